"""The map of a session: where its tokens are, of which sort, and where its boundaries are.

It holds prefix sums over the rows, so a map of any width is computed without visiting the rows.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from typing import Final

from msgspec import Struct

from app.compactability import Verdict
from app.model import Boundary
from app.views.listing import Item, is_live, tokens_of
from app.views.outlook import Outlook
from app.work.rows import BlockRow


class SliceKind(StrEnum):
    """What the tokens of a slice mostly are; named as the shares of the usage bar."""

    KEPT = "kept"
    SUPERSEDED = "superseded"
    REGENERABLE = "regenerable"
    ERROR = "error"
    COMPACTED = "compacted"
    UNSENT = "unsent"
    """Of what is not sent: before a boundary, on another branch."""


_SORTS: Final = {
    Verdict.SUPERSEDED: SliceKind.SUPERSEDED,
    Verdict.REGENERABLE: SliceKind.REGENERABLE,
    Verdict.ERROR: SliceKind.ERROR,
    Verdict.COMPACTED: SliceKind.COMPACTED,
}


class Slice(Struct, frozen=True):
    """Some rows that follow each other: from `start` up to `end`, not counting that."""

    start: int
    end: int
    tokens: int
    sort: SliceKind
    """What most of the tokens are."""


@dataclass(frozen=True)
class SessionMap:
    """Tokens along the rows of a session, and the places that matter, as positions of rows."""

    sums: tuple[array[int], ...]
    """For each of `SliceKind` the tokens up to each row: one entry more than there are rows."""
    boundaries: tuple[int, ...] = ()
    first_changed: int | None = None
    """The rows before it stay in the provider's cache; None if nothing is changed."""
    frozen_end: int | None = None
    """The position after the last result that a latch froze; None if none did."""

    @property
    def rows(self) -> int:
        return len(self.sums[0]) - 1

    def slices(self, width: int) -> list[Slice]:
        """The rows in `width` slices of equal length; where there are fewer rows, each fills several."""
        return [] if not self.rows else [self._slice(cell, width) for cell in range(width)]

    def _slice(self, cell: int, width: int) -> Slice:
        start = cell * self.rows // width
        end = max(start + 1, (cell + 1) * self.rows // width)
        tokens = [sums[end] - sums[start] for sums in self.sums]
        most = max(range(len(tokens)), key=tokens.__getitem__)
        return Slice(start, end, sum(tokens), tuple(SliceKind)[most])

    def cell_of(self, row: int, width: int) -> int:
        """The slice that a row is in, the first where it fills several."""
        cell = min(width - 1, row * width // max(1, self.rows))
        while cell > 0 and self._slice(cell - 1, width).end > row:
            cell -= 1
        while cell < width - 1 and self._slice(cell, width).end <= row:
            cell += 1
        return cell


def session_map(items: Sequence[Item], seen: Outlook, first_changed: int | None = None) -> SessionMap:
    """The map of all rows as they are now; takes a look at every row.

    `first_changed` is the number of the first message that differs from what was sent before.
    """
    sorts = tuple(SliceKind)
    steps = [array("q", bytes(8 * len(items))) for _ in sorts]
    last_frozen: int | None = None
    changed: int | None = None
    for place, item in enumerate(items):
        if not isinstance(item, BlockRow):
            continue
        if changed is None and first_changed is not None and item.number >= first_changed:
            changed = place
        if item.key in seen.frozen:
            last_frozen = place
        if seen.block(item) is not None:
            sort = _SORTS.get(seen.verdict(item), SliceKind.KEPT) if is_live(item) else SliceKind.UNSENT
            steps[sorts.index(sort)][place] = tokens_of(item, seen)
    return SessionMap(
        sums=tuple(_summed(step) for step in steps),
        boundaries=tuple(place for place, item in enumerate(items) if isinstance(item, Boundary)),
        first_changed=changed,
        frozen_end=None if last_frozen is None else last_frozen + 1,
    )


def _summed(steps: Iterable[int]) -> array[int]:
    return array("q", accumulate(steps, initial=0))
