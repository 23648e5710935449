"""The order of the lines in the new file, and what follows from it: ordinals, times of made records."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Final

from app.formats.codex.rollout import Rollout
from app.formats.codex.rows import Row

_END: Final = 1 << 62


def placed(
    rollout: Rollout, tail: Sequence[Row], made: Row | None, governing: Row | None, gone: Set[int]
) -> list[Row]:
    """All rows: those of the old file in its order, made and moved ones behind what is sent before them.

    `tail` are the rows of items that lie behind the compaction; `made` is a new compaction, which stands
    in front of them; `gone` are records that are left out.
    """
    leading = [made] if made is not None else []
    own: dict[int, Row] = {}
    behind: dict[int, list[Row]] = {}
    anchor = -1
    moved: set[int] = set()
    for row in tail:
        if row.record is not None and row.record > anchor:
            anchor = row.record
            own[anchor] = row
            continue
        if row.record is not None:
            moved.add(row.record)
        (leading if anchor < 0 else behind.setdefault(anchor, [])).append(row)
    if governing is not None and governing.record is not None:
        own[governing.record] = governing
    first = min((record for record in own if own[record] is not governing), default=_END)
    rows: list[Row] = []
    for index in range(len(rollout)):
        if index == first:
            rows += leading
        if index not in gone and index not in moved and rollout.kinds[index] != "unreadable":
            rows.append(own.get(index) or Row(index))
            rows += behind.get(index, ())
    return rows if first < _END else rows + leading


def without_old(rows: Sequence[Row], compaction: Row, rollout: Rollout) -> list[Row]:
    """The rows from the compaction on, and of those before it what tells of the session as a whole."""
    border = rows.index(compaction)
    heading = rollout.heading
    stay = {*list(heading.metas)[:1], *heading.last.values()}
    return [row for row in rows[:border] if row.record in stay] + list(rows[border:])


def number(rows: Sequence[Row], rollout: Rollout) -> None:
    """Let the ordinals of the rows follow each other, where the file has them.

    Codex takes gaps, but the last record must have one. As long as every record stands in its place
    nothing is touched.
    """
    if [row.record for row in rows] == list(range(len(rollout))):
        return
    coming = next((ordinal for ordinal in rollout.ordinals if ordinal is not None), None)
    if coming is None:
        return
    for row in rows:
        old = None if row.record is None else rollout.ordinals[row.record]
        if row.record is not None and old is None:
            continue
        row.ordinal = None if old == coming else coming
        coming += 1


def date(rows: Sequence[Row], rollout: Rollout) -> None:
    """Give made rows a time between their neighbours, where there is one, else that of what follows."""
    following: list[float | None] = []
    after: float | None = None
    for row in reversed(rows):
        own = None if row.record is None else rollout.times[row.record]
        after = own if own is not None else after
        following.append(after)
    before: float | None = None
    for row, coming in zip(rows, reversed(following), strict=True):
        if row.record is not None:
            before = rollout.times[row.record] or before
            continue
        between = before is not None and coming is not None and before < coming
        row.time = (before + coming) / 2 if between and before is not None and coming is not None else coming
        row.time = before if row.time is None else row.time
        before = row.time if row.time is not None else before
