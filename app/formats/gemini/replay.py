"""Replaying a log of patches to its messages.

The rules are the client's (0.61.0, read and measured): a message with a known id replaces the older one at
its position; `$set` with `messages` restarts the history with those; `$rewindTo` removes a message and all
after it, and everything if there is no such message.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from app.formats.gemini.entries import Entry, EntryReader, is_said
from app.formats.gemini.names import GEMINI, MESSAGES, SET, THANKS, USER
from app.model import Author, Block, Boundary, JsonPath, Text


class MessageAdded(Struct, eq=False):
    """A new message was added."""

    entry: Entry


class MessagesReplaced(Struct, eq=False):
    """All messages were replaced by a list."""

    record: int
    entries: tuple[Entry, ...]
    boundary: Boundary | None = None
    """Set for a compression: messages that are not in the list were summarised."""
    ended: list[Entry] = field(default_factory=list)


class MessagesRewound(Struct, eq=False):
    """Messages were removed by a rewind."""

    record: int
    ended: list[Entry] = field(default_factory=list)


class NoMessage(Struct, eq=False):
    """A record without a message: the header, a change of it, or one of an unknown type."""

    record: int


Event: TypeAlias = MessageAdded | MessagesReplaced | MessagesRewound | NoMessage

MakeKey: TypeAlias = Callable[[int, JsonPath, str], str]
"""(record, path, id) -> the key of a new message."""


class OwnCompaction(Struct, frozen=True):
    """The facts of a compaction in a list that we wrote."""

    boundary: Boundary
    summary: str
    """The id of its summary."""


class Replay:
    """Takes the records of a log in order; afterwards `entries` are the remaining messages."""

    def __init__(self, reader: EntryReader, make_key: MakeKey) -> None:
        self.events: list[Event] = []
        self.place: dict[Entry, Event] = {}
        """The event that placed each message: the newest list that it is in, else its record."""
        self.end: dict[Entry, MessagesReplaced | MessagesRewound] = {}
        """The event that removed a message."""
        self._reader = reader
        self._make_key = make_key
        self._map: dict[str, Entry] = {}

    @property
    def entries(self) -> list[Entry]:
        """The remaining messages, in order."""
        return list(self._map.values())

    def tell(self, record: int) -> None:
        """Take in a record without a message."""
        self.events.append(NoMessage(record))

    def put(self, record: int, path: JsonPath, value: Mapping[str, Any]) -> None:
        """Take in a message that is a record of its own, or an item of a document's list."""
        ident = str(value["id"])
        entry = self._map.get(ident)
        if entry is None:
            entry = self._map[ident] = self._new(record, path, ident)
            event = MessageAdded(entry)
            self.events.append(event)
            self.place[entry] = event
        self._reader.fill(entry, record, path, value)

    def begin(self, record: int, messages: Sequence[Any], own: OwnCompaction | None) -> None:
        """Replace all messages by a list; `own` is set if the record marks it as our compaction."""
        path: JsonPath = (SET, MESSAGES)
        old, self._map = self._map, {}
        event = MessagesReplaced(record, ())
        fresh: list[Entry] = []
        for number, value in enumerate(messages):
            if not isinstance(value, dict) or not isinstance(value.get("id"), str):
                continue
            ident = value["id"]
            entry = old.get(ident) or self._map.get(ident)
            if entry is None:
                entry = self._new(record, (*path, number), ident)
                fresh.append(entry)
            self._map[ident] = entry
            self._reader.fill(entry, record, (*path, number), value)
            self.place[entry] = event
        event.entries = tuple(self._map.values())
        event.ended = [entry for ident, entry in old.items() if ident not in self._map]
        self.end.update(dict.fromkeys(event.ended, event))
        event.boundary = self._boundary(event, fresh, own, record)
        self.events.append(event)

    def rewind(self, record: int, ident: str) -> None:
        """Remove the message with this id and all after it."""
        known = list(self._map)
        start = known.index(ident) if ident in self._map else 0
        event = MessagesRewound(record, [self._map.pop(name) for name in known[start:]])
        self.end.update(dict.fromkeys(event.ended, event))
        self.events.append(event)

    def _new(self, record: int, path: JsonPath, ident: str) -> Entry:
        return Entry(self._make_key(record, path, ident), ident)

    def _boundary(
        self, event: MessagesReplaced, fresh: Sequence[Entry], own: OwnCompaction | None, record: int
    ) -> Boundary | None:
        """The boundary of a list that is a compaction; sets the author of its summary."""
        if own is not None:
            summaries = [entry for entry in fresh if entry.ident == own.summary]
            boundary = own.boundary
        else:
            summaries = [entry for entry in fresh if entry.kind == USER and _is_summary(entry, event.entries)]
            if not summaries:
                return None
            boundary = Boundary(key=f"{summaries[0].key}/boundary", trigger="", record=record)
        for entry in summaries:
            entry.said = tuple(map(_as_summary, entry.said))
        if summaries:
            boundary = replace(boundary, time=boundary.time or summaries[0].time)
            summaries[0].boundary = boundary
        return boundary


def _is_summary(entry: Entry, entries: Sequence[Entry]) -> bool:
    """Whether a new message in a list is a summary: it looks like one, or `THANKS` follows it."""
    if any(isinstance(block, Text) and block.author is Author.SUMMARY for block in entry.said):
        return True
    at = entries.index(entry) + 1
    following = entries[at] if at < len(entries) else None
    return following is not None and following.kind == GEMINI and is_said(following.said, THANKS)


def _as_summary(block: Block) -> Block:
    return replace(block, author=Author.SUMMARY) if isinstance(block, Text) else block
