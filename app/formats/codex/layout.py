"""The order of the lines in the new file, and what depends on it: ordinals, times of new records."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Final

from app.formats.codex.rollout import Rollout
from app.formats.codex.rows import Line, Row, record_of, row_at

_END: Final = 1 << 62


def placed(
    rollout: Rollout, tail: Sequence[Line], made: Row | None, governing: Row | None, gone: Set[int]
) -> list[Line]:
    """All lines: those of the old file in order, new and moved ones after what is sent before them.

    `tail` are the lines of items after the compaction; `made` is a new compaction, which goes before
    them; `gone` are records that are left out.
    """
    leading: list[Line] = [made] if made is not None else []
    own: dict[int, Line] = {}
    behind: dict[int, list[Line]] = {}
    anchor = -1
    moved: set[int] = set()
    for line in tail:
        record = record_of(line)
        if record is not None and record > anchor:
            anchor = record
            own[anchor] = line
            continue
        if record is not None:
            moved.add(record)
        (leading if anchor < 0 else behind.setdefault(anchor, [])).append(line)
    if governing is not None and governing.record is not None:
        own[governing.record] = governing
    first = min((record for record in own if own[record] is not governing), default=_END)
    lines: list[Line] = []
    for index in range(len(rollout)):
        if index == first:
            lines += leading
        if index not in gone and index not in moved and rollout.kinds[index] != "unreadable":
            lines.append(own.get(index, index))
            lines += behind.get(index, ())
    return lines if first < _END else lines + leading


def without_old(lines: Sequence[Line], compaction: Row, rollout: Rollout) -> list[Line]:
    """The lines from the compaction on, and those before it that describe the session as a whole."""
    border = lines.index(compaction)
    heading = rollout.heading
    stay = {*list(heading.metas)[:1], *heading.last.values()}
    return [line for line in lines[:border] if record_of(line) in stay] + list(lines[border:])


def number(lines: list[Line], rollout: Rollout) -> None:
    """Renumber the ordinals of the lines, if the file has them.

    Codex accepts gaps, but the last record must have an ordinal. If every record is in its place
    nothing is changed.
    """
    if all(record_of(line) == at for at, line in enumerate(lines)) and len(lines) == len(rollout):
        return
    coming = next((ordinal for ordinal in rollout.ordinals if ordinal is not None), None)
    if coming is None:
        return
    for place, line in enumerate(lines):
        record = record_of(line)
        old = None if record is None else rollout.ordinals[record]
        if record is not None and old is None:
            continue
        if old != coming:
            row_at(lines, place).ordinal = coming
        coming += 1


def date(lines: Sequence[Line], rollout: Rollout) -> None:
    """Give new rows a time between those of their neighbours if possible, else that of one of them."""
    following: list[float | None] = []
    after: float | None = None
    for line in reversed(lines):
        record = record_of(line)
        own = None if record is None else rollout.times[record]
        after = own if own is not None else after
        following.append(after)
    before: float | None = None
    for line, coming in zip(lines, reversed(following), strict=True):
        record = record_of(line)
        if record is not None:
            before = rollout.times[record] or before
            continue
        assert isinstance(line, Row), "what is no record is made"
        between = before is not None and coming is not None and before < coming
        line.time = (before + coming) / 2 if between and before is not None and coming is not None else coming
        line.time = before if line.time is None else line.time
        before = line.time if line.time is not None else before
