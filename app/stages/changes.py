"""What a step did to single blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from functools import cached_property
from typing import overload

from msgspec import Struct

from app.model import Block


class ChangeKind(StrEnum):
    """What happened to a block."""

    CUT = "cut"
    """Its text was shortened, or its pictures went."""
    CLEARED = "cleared"
    """Its text became a placeholder."""
    SAVED = "saved"
    """Its text went to a file and a preview stays."""
    STUB = "stub"
    """Its text became a line that names another copy."""
    EDITED = "edited"
    """Its text was written anew by hand."""
    DROPPED = "dropped"
    MADE = "made"


class Change(Struct, frozen=True):
    """One block that a step changed: `before` is None for a made one, `after` for a dropped one."""

    key: str
    kind: ChangeKind
    reason: str
    before: Block | None
    after: Block | None


class Changes(Sequence[Change]):
    """Changes whose number is known, and which are made when somebody looks at one.

    A stage that drops most of a session would make one of each of its blocks, mostly for nobody.
    """

    def __init__(self, count: int, make: Callable[[], tuple[Change, ...]]) -> None:
        self._count = count
        self._make = make

    @cached_property
    def _made(self) -> tuple[Change, ...]:
        return self._make()

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Change: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Change, ...]: ...
    def __getitem__(self, index: int | slice) -> Change | tuple[Change, ...]:
        return self._made[index]

    def __iter__(self) -> Iterator[Change]:
        return iter(self._made)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._made == tuple(other)

    def __hash__(self) -> int:
        return hash(self._made)


def dropped(count: int, blocks: Callable[[], Iterable[Block]], reason: str) -> Changes:
    """The changes that take blocks out, of which there are so many."""
    kind = ChangeKind.DROPPED
    return Changes(count, lambda: tuple(Change(b.key, kind, reason, b, None) for b in blocks()))
