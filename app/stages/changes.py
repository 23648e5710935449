"""The changes of a step to individual blocks."""

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
    """Its text was shortened, or its images removed."""
    CLEARED = "cleared"
    """Its text became a placeholder."""
    SAVED = "saved"
    """Its text was moved to a file and a preview stays."""
    STUB = "stub"
    """Its text became a line that names another copy."""
    EDITED = "edited"
    """Its text was rewritten by hand."""
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
    """A lazy sequence of changes: the length is known, the items are created on first access.

    A stage that drops most of a session would otherwise create one per block, mostly unused.
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
    """The `count` changes that drop these blocks."""
    kind = ChangeKind.DROPPED
    return Changes(count, lambda: tuple(Change(b.key, kind, reason, b, None) for b in blocks()))
