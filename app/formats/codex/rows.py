"""The lines of the new file, as data: which record each one is, and what it must say differently."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, TypeAlias

from msgspec import Struct

from app.formats.responses.outgoing import Outgoing

Value: TypeAlias = dict[str, Any]
Edit: TypeAlias = Callable[[Value], Value]
"""A record with a change; what does not change is shared with the old one."""


class Row(Struct, eq=False):
    """One line of the new file: a record of the old one, or a made one."""

    record: int | None = None
    made: Callable[[], Value] | None = None
    """Type and payload of a made record."""
    time: float | None = None
    """Seconds since 1970, of a made record."""
    ordinal: int | None = None
    """A new ordinal; None for the one that is there, if any."""
    item: Outgoing | None = None
    """What the item of a record says, where it is changed."""
    edits: tuple[Edit, ...] = ()

    @property
    def edited(self) -> bool:
        """Whether a record says something else (an ordinal left aside)."""
        return self.item is not None or bool(self.edits)

    def as_line(self) -> Row | int:
        """The record itself where it is kept as it is.

        Another row is copied, so that those that stay lie together and the room of the rest is free.
        """
        is_kept = self.record is not None and self.ordinal is None and not self.edited
        return self.record if is_kept and self.record is not None else copy(self)
