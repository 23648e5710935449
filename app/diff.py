"""What changed between two states of a conversation: paired messages, and line rows of two texts."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Final

from app.model import Message

MAX_LINES: Final = 2_000
"""Lines that are compared unasked, of either side, common ends taken off: at worst 0.1 s of work."""
MAX_CHARS: Final = 200_000
"""Code points of the same."""
CONTEXT_LINES: Final = 3
"""Unchanged lines shown on each side of a change."""
LONG_RUN: Final = 20
"""A run of removed lines longer than this is folded ..."""
RUN_HEAD: Final = 6
"""... to so many of its first lines."""
SUMMARY_LINES: Final = 20
"""Lines shown of each end of a run when the texts are too big to compare."""


class Pairing(StrEnum):
    """What became of a message."""

    KEPT = "kept"
    CHANGED = "changed"
    DROPPED = "dropped"
    MADE = "made"
    BOUNDARY = "boundary"
    """No message: the line where `after.boundary` stands; `before` is set if it was there before."""


@dataclass(frozen=True, slots=True)
class PairedRow:
    """A message before and after; one side is None for a dropped or made one."""

    kind: Pairing
    before: Message | None
    after: Message | None


def pair_messages(before: Sequence[Message], after: Sequence[Message]) -> list[PairedRow]:
    """Both states as one list of rows in display order, paired by message key.

    Dropped messages stand where they were: a run of them comes before what was made in its place.
    """
    places: defaultdict[str, deque[int]] = defaultdict(deque)
    for place, message in enumerate(before):
        places[message.key].append(place)
    partners = [places[m.key].popleft() if places.get(m.key) else None for m in after]
    survivors = {place for place in partners if place is not None}

    rows: list[PairedRow] = []
    cursor = 0
    for message, partner in zip(after, partners, strict=True):
        stop = cursor if partner is None else max(cursor, partner)
        while cursor < stop or (cursor < len(before) and cursor not in survivors):
            if cursor not in survivors:
                rows.append(PairedRow(Pairing.DROPPED, before[cursor], None))
            cursor += 1
        if partner is not None:
            cursor = max(cursor, partner + 1)
        rows.extend(_rows_of(None if partner is None else before[partner], message))
    rest = (i for i in range(cursor, len(before)) if i not in survivors)
    rows.extend(PairedRow(Pairing.DROPPED, before[i], None) for i in rest)
    return rows


def _rows_of(old: Message | None, new: Message) -> Iterator[PairedRow]:
    if new.boundary is not None:
        known = old is not None and old.boundary is not None and old.boundary.key == new.boundary.key
        yield PairedRow(Pairing.BOUNDARY, old if known else None, new)
    if old is None:
        yield PairedRow(Pairing.MADE, None, new)
    else:
        yield PairedRow(Pairing.KEPT if _same(old, new) else Pairing.CHANGED, old, new)


def _same(old: Message, new: Message) -> bool:
    return old is new or (
        old.role == new.role
        and len(old.blocks) == len(new.blocks)
        and all(a is b or a == b for a, b in zip(old.blocks, new.blocks, strict=True))
    )


class LineKind(StrEnum):
    """The sign of a diff row; a gap stands for rows that are folded away."""

    SAME = " "
    REMOVED = "-"
    ADDED = "+"
    GAP = "."


@dataclass(frozen=True, slots=True)
class DiffRow:
    """One line of a diff, or a gap that holds several. Numbers are 1-based lines of each side."""

    kind: LineKind
    old: int | None = None
    new: int | None = None
    text: str = ""
    """The line as it is in the session, not safe for a terminal."""
    folded: tuple[DiffRow, ...] = ()
    """The rows behind a gap: all of one kind."""


@dataclass(frozen=True, slots=True)
class TextDiff:
    """Two texts as rows, with long runs folded."""

    rows: tuple[DiffRow, ...]
    added: int
    """Added lines."""
    removed: int
    """Removed lines."""
    too_big: bool = False
    """The differing part was not compared: its lines all count as removed and added."""


def text_rows(before: str, after: str, *, full: bool = False) -> TextDiff:
    """The line diff of two texts, cut at LF only; an empty text has no lines.

    Common lines at both ends are taken off first. What remains is compared if it is within
    `MAX_LINES` and `MAX_CHARS`, or if `full` asks for it (then in a worker: it can take seconds).
    """
    old, new = _lines(before), _lines(after)
    head = _common(old, new)
    tail = _common(reversed(old[head:]), reversed(new[head:]))
    old_middle, new_middle = old[head : len(old) - tail], new[head : len(new) - tail]
    too_big = bool(old_middle and new_middle) and not full and _exceeds(old_middle, new_middle)

    rows = [DiffRow(LineKind.SAME, i + 1, i + 1, old[i]) for i in range(head)]
    if too_big:
        rows += _replaced(old_middle, new_middle, head, head)
    else:
        rows += _compared(old_middle, new_middle, head)
    for i in range(tail, 0, -1):
        rows.append(DiffRow(LineKind.SAME, len(old) - i + 1, len(new) - i + 1, old[-i]))
    return TextDiff(
        rows=tuple(_folded(rows, too_big)),
        added=sum(row.kind is LineKind.ADDED for row in rows),
        removed=sum(row.kind is LineKind.REMOVED for row in rows),
        too_big=too_big,
    )


def _lines(text: str) -> list[str]:
    return text.split("\n") if text else []


def _common(old: Iterable[str], new: Iterable[str]) -> int:
    count = 0
    for a, b in zip(old, new, strict=False):
        if a != b:
            break
        count += 1
    return count


def _exceeds(old: list[str], new: list[str]) -> bool:
    return any(len(lines) > MAX_LINES or sum(map(len, lines)) > MAX_CHARS for lines in (old, new))


def _replaced(old: list[str], new: list[str], old_start: int, new_start: int) -> Iterator[DiffRow]:
    for number, text in enumerate(old, old_start + 1):
        yield DiffRow(LineKind.REMOVED, number, None, text)
    for number, text in enumerate(new, new_start + 1):
        yield DiffRow(LineKind.ADDED, None, number, text)


def _compared(old: list[str], new: list[str], start: int) -> Iterator[DiffRow]:
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new).get_opcodes():
        if tag == "equal":
            for i, j in zip(range(i1, i2), range(j1, j2), strict=True):
                yield DiffRow(LineKind.SAME, start + i + 1, start + j + 1, old[i])
        else:
            yield from _replaced(old[i1:i2], new[j1:j2], start + i1, start + j1)


def _folded(rows: Sequence[DiffRow], too_big: bool) -> Iterator[DiffRow]:
    for start, stop in _runs(rows):
        run = rows[start:stop]
        if run[0].kind is LineKind.SAME:
            head = CONTEXT_LINES if start > 0 else 0
            tail = CONTEXT_LINES if stop < len(rows) else 0
        elif too_big:
            head = tail = SUMMARY_LINES
        elif run[0].kind is LineKind.REMOVED and len(run) > LONG_RUN:
            head, tail = RUN_HEAD, 0
        else:
            head, tail = len(run), 0
        yield from _fold(run, head, tail)


def _fold(run: Sequence[DiffRow], head: int, tail: int) -> Iterator[DiffRow]:
    hidden = tuple(run[head : len(run) - tail])
    if len(hidden) < 2:
        yield from run
        return
    yield from run[:head]
    yield DiffRow(LineKind.GAP, folded=hidden)
    yield from run[len(run) - tail :]


def _runs(rows: Sequence[DiffRow]) -> Iterator[tuple[int, int]]:
    """Bounds of the longest stretches of one kind."""
    start = 0
    for i in range(1, len(rows) + 1):
        if i == len(rows) or rows[i].kind is not rows[start].kind:
            yield start, i
            start = i


@dataclass(frozen=True, slots=True)
class SplitRow:
    """One line of a side-by-side view; a gap and an unchanged line are on both sides."""

    left: DiffRow | None
    right: DiffRow | None


def split_rows(rows: Iterable[DiffRow]) -> list[SplitRow]:
    """The rows of a unified diff side by side: a removed run beside the added run that follows it."""
    result: list[SplitRow] = []
    removed: deque[DiffRow] = deque()
    for row in rows:
        if row.kind is LineKind.REMOVED or (row.kind is LineKind.GAP and _hides(row, LineKind.REMOVED)):
            removed.append(row)
        elif row.kind is LineKind.ADDED or (row.kind is LineKind.GAP and _hides(row, LineKind.ADDED)):
            result.append(SplitRow(removed.popleft() if removed else None, row))
        else:
            result.extend(SplitRow(left, None) for left in removed)
            removed.clear()
            result.append(SplitRow(row, row))
    result.extend(SplitRow(left, None) for left in removed)
    return result


def _hides(gap: DiffRow, kind: LineKind) -> bool:
    return bool(gap.folded) and gap.folded[0].kind is kind
