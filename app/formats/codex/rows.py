"""The lines of the new file as data: the record of each line, and the changes to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from msgspec import Struct

from app.formats.responses.outgoing import Outgoing

Value: TypeAlias = dict[str, Any]
Edit: TypeAlias = Callable[[Value], Value]
"""Returns a changed record; unchanged parts are shared with the old one."""


class Row(Struct, eq=False):
    """One line of the new file: a record of the old one, or a new record."""

    record: int | None = None
    made: Callable[[], Value] | None = None
    """Makes type and payload of a new record."""
    time: float | None = None
    """Time of a new record, in seconds since 1970."""
    ordinal: int | None = None
    """A new ordinal; None keeps the existing one, if any."""
    item: Outgoing | None = None
    """The new item of the record, if it changes."""
    edits: tuple[Edit, ...] = ()

    @property
    def edited(self) -> bool:
        """Whether a record changes (apart from its ordinal)."""
        return self.item is not None or bool(self.edits)


Line: TypeAlias = Row | int
"""A row, or the index of an unchanged record, of which a long session has a hundred thousand."""


def record_of(line: Line) -> int | None:
    """The index of a line's record in the old file; None for a new record."""
    return line if isinstance(line, int) else line.record


def row_at(lines: list[Line], place: int) -> Row:
    """The row at an index; an unchanged record there is replaced by a row first."""
    line = lines[place]
    if isinstance(line, int):
        lines[place] = line = Row(line)
    return line
