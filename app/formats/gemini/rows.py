"""The lines of the new file, as data: which record or message each is, and what it must say differently."""

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
    """None for a made one."""
    wanted: WantedMessage | None = None
    """What it must say; None for a message that is kept as it is and not sent."""


class Listed(Struct, frozen=True):
    """A list of messages with which they begin anew."""

    items: tuple[Item, ...]
    record: int | None = None
    """None for a made one."""
    boundary: Boundary | None = None
    """Of a made one."""
    summary: WantedMessage | None = None
    time: float | None = None


class Titled(Struct, frozen=True):
    """A change of the session's title."""

    title: str


Row: TypeAlias = Line | Item | Listed | Titled


class Places(Struct):
    """Where the wanted messages stand among those of the file, which keep their order."""

    at: dict[Entry, list[WantedMessage]] = field(default_factory=dict)
    """For a message of the file: itself and made or moved ones around it, in order."""
    end: list[WantedMessage] = field(default_factory=list)
    """Where none of the file's own messages is wanted."""

    def items(self, entry: Entry) -> Iterator[Item]:
        """What stands in the place of a message."""
        return (Item(wanted.entry, wanted) for wanted in self.at.get(entry, ()))


def places_of(wanted: Iterable[WantedMessage], order: Iterable[Entry]) -> Places:
    """Let each message stand where the file has it, and made ones behind the one before them."""
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
