"""The lines of the new file, as data: which record each one is, and what it must say differently."""

from __future__ import annotations

from collections.abc import Callable
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


Line: TypeAlias = Row | int
"""A row, or the number of a record that is kept as it is: a long session has a hundred thousand of these."""


def record_of(line: Line) -> int | None:
    """The record of the old file that a line is; None for a made one."""
    return line if isinstance(line, int) else line.record


def row_at(lines: list[Line], place: int) -> Row:
    """The row at a place, made of a record that was kept as it is until now."""
    line = lines[place]
    if isinstance(line, int):
        lines[place] = line = Row(line)
    return line
