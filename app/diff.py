"""The difference between two states of a conversation: paired messages, and the line diff of two texts."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Final

from msgspec import Struct

from app.model import Message

MAX_LINES: Final = 2_000
"""Lines on either side of a stretch between two anchors up to which it is compared without `full`."""
MAX_CHARS: Final = 200_000
"""The same limit in code points."""
CONTEXT_LINES: Final = 3
"""Unchanged lines shown on each side of a change."""
LONG_RUN: Final = 20
"""A run of removed lines longer than this is folded ..."""
RUN_HEAD: Final = 6
"""... to this many of its first lines."""
SUMMARY_LINES: Final = 20
"""Lines shown at each end of a run when the texts are too big to compare."""


class Pairing(StrEnum):
    """What happened to a message."""

    KEPT = "kept"
    CHANGED = "changed"
    DROPPED = "dropped"
    MADE = "made"
    BOUNDARY = "boundary"
    """Not a message: the line of `after.boundary`; `before` is set if the boundary was there before."""


class PairedRow(Struct, frozen=True):
    """A message before and after; one side is None if it was dropped or made."""

    kind: Pairing
    before: Message | None
    after: Message | None


def pair_messages(before: Sequence[Message], after: Sequence[Message]) -> list[PairedRow]:
    """Both states as one list of rows in display order, paired by message key.

    Dropped messages stay where they were: a run of them comes before the messages that replace it.
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
    """The marker of a diff row; a gap stands for rows that are folded away."""

    SAME = " "
    REMOVED = "-"
    ADDED = "+"
    GAP = "."


class DiffRow(Struct, frozen=True):
    """One line of a diff, or a gap that holds several. Numbers are 1-based lines of each side."""

    kind: LineKind
    old: int | None = None
    new: int | None = None
    text: str = ""
    """The line as it is in the session, not safe for a terminal."""
    folded: tuple[DiffRow, ...] = ()
    """The rows that a gap hides, all of one kind."""


class TextDiff(Struct, frozen=True):
    """Two texts as rows, with long runs folded."""

    rows: tuple[DiffRow, ...]
    added: int
    """Added lines."""
    removed: int
    """Removed lines."""
    too_big: bool = False
    """A stretch was too big to compare: all its lines count as removed and added."""


def text_rows(before: str, after: str, *, full: bool = False) -> TextDiff:
    """The line diff of two texts, split at LF only; an empty text has no lines.

    Lines that occur exactly once in both texts are anchors, and only the stretches between them are
    compared, so time grows with the size, not with its square. A stretch above `MAX_LINES` or
    `MAX_CHARS` is compared only if `full` is set (then in a worker: it can take seconds).
    """
    old, new = _lines(before), _lines(after)
    rows: list[DiffRow] = []
    too_big = False
    for a, b in _stretches(old, new):
        head = _common((old[i] for i in a), (new[j] for j in b))
        rest = a[head:], b[head:]
        tail = _common((old[i] for i in reversed(rest[0])), (new[j] for j in reversed(rest[1])))
        a_middle, b_middle = (part[: len(part) - tail] for part in rest)
        rows += _unchanged(old, a[:head], b[:head])
        if not full and a_middle and b_middle and (_exceeds(old, a_middle) or _exceeds(new, b_middle)):
            too_big = True
            rows += _replaced(old, a_middle, new, b_middle)
        else:
            rows += _compared(old, a_middle, new, b_middle)
        rows += _unchanged(old, a[len(a) - tail :], b[len(b) - tail :])
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


def _stretches(old: list[str], new: list[str]) -> Iterator[tuple[range, range]]:
    """Corresponding ranges of both sides, split before each anchor that does not follow the last one."""
    i = j = 0
    last = (-1, -1)
    for anchor in _anchors(old, new):
        if anchor != (last[0] + 1, last[1] + 1):
            yield range(i, anchor[0]), range(j, anchor[1])
            i, j = anchor
        last = anchor
    yield range(i, len(old)), range(j, len(new))


def _anchors(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """Indexes of lines that occur once in both, in the order of both (Bram Cohen's patience diff)."""
    counts = Counter(old), Counter(new)
    places = {line: j for j, line in enumerate(new) if counts[0][line] == counts[1][line] == 1}
    shared = [(i, places[line]) for i, line in enumerate(old) if line in places]
    return longest_rising(shared)


def longest_rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest subsequence of pairs whose second numbers rise; the first numbers must already rise."""
    # For each length the smallest last value and its index; `before` links each pair to its predecessor.
    lasts: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for index, (_, j) in enumerate(pairs):
        length = bisect_left(lasts, j)
        before.append(ends[length - 1] if length else -1)
        lasts[length : length + 1] = [j]
        ends[length : length + 1] = [index]
    found = []
    index = ends[-1] if ends else -1
    while index >= 0:
        found.append(pairs[index])
        index = before[index]
    return found[::-1]


def _exceeds(lines: list[str], part: range) -> bool:
    return len(part) > MAX_LINES or sum(len(lines[i]) for i in part) > MAX_CHARS


def _replaced(old: list[str], a: range, new: list[str], b: range) -> Iterator[DiffRow]:
    for i in a:
        yield DiffRow(LineKind.REMOVED, i + 1, None, old[i])
    for j in b:
        yield DiffRow(LineKind.ADDED, None, j + 1, new[j])


def _unchanged(old: list[str], a: range, b: range) -> Iterator[DiffRow]:
    for i, j in zip(a, b, strict=True):
        yield DiffRow(LineKind.SAME, i + 1, j + 1, old[i])


def _compared(old: list[str], a: range, new: list[str], b: range) -> Iterator[DiffRow]:
    matcher = SequenceMatcher(None, old[a.start : a.stop], new[b.start : b.stop])
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            yield from _unchanged(old, a[i1:i2], b[j1:j2])
        else:
            yield from _replaced(old, a[i1:i2], new, b[j1:j2])


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
    """Bounds of the maximal runs of rows of one kind."""
    start = 0
    for i in range(1, len(rows) + 1):
        if i == len(rows) or rows[i].kind is not rows[start].kind:
            yield start, i
            start = i


class SplitRow(Struct, frozen=True):
    """One line of a side-by-side view; an unchanged line or its gap is on both sides."""

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
