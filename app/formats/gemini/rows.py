"""The lines of the new file as data: the record or message of each line, and the changes to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from msgspec import Struct, field

from app.formats.gemini.entries import Entry
from app.formats.gemini.wanted import WantedMessage
from app.model import Boundary


class Line(Struct, frozen=True):
    """A record that holds no message."""

    record: int


class Item(Struct, frozen=True):
    """A message, on a line of its own or in a list."""

    entry: Entry | None
    """None for a new one."""
    wanted: WantedMessage | None = None
    """Its wanted content; None for a message that is kept unchanged and not sent."""


class Listed(Struct, frozen=True):
    """A list of messages that restarts the history."""

    items: tuple[Item, ...]
    record: int | None = None
    """None for a new one."""
    boundary: Boundary | None = None
    """The boundary of a new list."""
    summary: WantedMessage | None = None
    time: float | None = None


class Titled(Struct, frozen=True):
    """A change of the session's title."""

    title: str


Row: TypeAlias = Line | Item | Listed | Titled


class Places(Struct):
    """Positions of the wanted messages among those of the file, which keep their order."""

    at: dict[Entry, list[WantedMessage]] = field(default_factory=dict)
    """For a message of the file: itself and new or moved ones around it, in order."""
    end: list[WantedMessage] = field(default_factory=list)
    """All wanted messages, if none of the file's own is wanted."""

    def items(self, entry: Entry) -> Iterator[Item]:
        """The items at the position of a message."""
        return (Item(wanted.entry, wanted) for wanted in self.at.get(entry, ()))


def places_of(wanted: Iterable[WantedMessage], order: Iterable[Entry]) -> Places:
    """Place each message where it is in the file, and new ones after their predecessor."""
    number = {entry: at for at, entry in enumerate(order)}
    places = Places()
    last, current = -1, places.end
    for each in wanted:
        position = -1 if each.entry is None else number.get(each.entry, -1)
        if each.entry is not None and position > last:
            last = position
            start = current if current is places.end else []
            current = places.at[each.entry] = [*start, each]
            places.end = []
        else:
            current.append(each)
    return places
