"""Planning an export as rows, before any byte is written.

Each message is written once, in its last version, at its first position; the results of a call are only with
the call. A new compaction is a list of messages with its summary, as the client itself writes one; what it
hides stays above it, what it keeps follows, each message on a line of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec import Struct

from app.formats.base import Rewrite
from app.formats.damage import file_repairs
from app.formats.gemini.chat import Chat, Document
from app.formats.gemini.entries import Entry
from app.formats.gemini.names import HEADER, REWIND
from app.formats.gemini.replay import Event, MessageAdded, MessagesReplaced, MessagesRewound, NoMessage
from app.formats.gemini.request import Sender
from app.formats.gemini.rows import Item, Line, Listed, Places, Row, Titled, places_of
from app.formats.gemini.wanted import Gatherer, WantedMessage
from app.formats.new_ids import MadeIds
from app.formats.repairs import as_notices
from app.model import Notice, Session

_DOUBLED: Final = "each result is written once: the client writes it twice and then cannot resume"


class Plan(Struct, frozen=True):
    """The rows of the new file, and the repairs."""

    rows: list[Row]
    repairs: tuple[Notice, ...]
    untouched: bool
    """Whether the rewrite changes nothing in the file."""


class Planner:
    """Plans one export of a session."""

    def __init__(self, session: Session, rewrite: Rewrite, chat: Chat) -> None:
        self._session = session
        self._rewrite = rewrite
        self._chat = chat
        self._live = chat.replay.entries
        self._sent = [entry for entry in self._live if entry.sent and (entry.words or entry.answers)]
        self._boundary = rewrite.boundary if not isinstance(chat, Document) else None

    def plan(self) -> Plan:
        """The rows in their new order, with all changes to them."""
        said, mending = Sender(self._session, self._chat).mended(self._rewrite)
        wanted = Gatherer(self._live).gather(self._rewrite.looked(said))
        self._set_usage(wanted)
        self._name(wanted)
        repairs = [*file_repairs(self._session.notices), *as_notices(mending.repairs, self._lines())]
        doubled = [entry for entry in self._live if entry.copies]
        if doubled:
            count = sum(len(entry.copies) for entry in doubled)
            repairs.append(
                Notice("result-twice", self._chat[doubled[0].record].line, f"{_DOUBLED} ({count} times)")
            )
        untouched = (
            not mending.needed and not file_repairs(self._session.notices) and self._is_as_it_was(wanted)
        )
        return Plan(self._rows(wanted), tuple(repairs), untouched)

    def _lines(self) -> Callable[[str], int | None]:
        lines = {m.key: self._chat[m.records[0]].line for m in self._session.messages if m.records}
        return lines.get

    def _set_usage(self, wanted: Sequence[WantedMessage]) -> None:
        """Set the newest usage to the new size of the context."""
        tokens = self._rewrite.context_tokens
        if tokens is None:
            return
        for each in reversed(wanted):
            if each.entry is not None and each.entry.usage is not None and each.entry.usage.context:
                each.tokens = max(1, tokens)
                return

    def _name(self, wanted: Sequence[WantedMessage]) -> None:
        """Give new messages their ids, and times between those of their neighbours."""
        ids = {entry.ident for entry in self._chat.replay.place}
        made = MadeIds(self._rewrite.session_id or self._session.session_id or self._session.name, ids)
        following: list[float | None] = []
        after: float | None = None
        for each in reversed(wanted):
            after = each.entry.time if each.entry is not None and each.entry.time is not None else after
            following.append(after)
        before: float | None = None
        for number, (each, coming) in enumerate(zip(wanted, reversed(following), strict=True)):
            if each.entry is not None:
                before = each.entry.time or before
                continue
            each.ident = made.make(each.message.key if each.message is not None else f"repair/{number}")
            between = before is not None and coming is not None and before < coming
            each.time = (
                (before + coming) / 2 if between and before is not None and coming is not None else coming
            )
            each.time = before if each.time is None else each.time
            before = each.time if each.time is not None else before

    def _is_as_it_was(self, wanted: Sequence[WantedMessage]) -> bool:
        if self._boundary is not None or [each.entry for each in wanted] != self._sent:
            return False
        now = {block.key: block for message in self._rewrite.messages for block in message.blocks}
        was = {block.key: block for entry in self._sent for block in (*entry.words, *entry.answers)}
        same = now.keys() == was.keys() and all(now[key] is was[key] or now[key] == was[key] for key in was)
        return same and self._rewrite.context_tokens is None and self._rewrite.title is None

    def _rows(self, wanted: Sequence[WantedMessage]) -> list[Row]:
        title = [Titled(self._rewrite.title)] if self._rewrite.title is not None else []
        if self._boundary is None:
            places = places_of(wanted, self._live)
            rows = [row for event in self._chat.replay.events for row in self._row(event, places)]
            return [*rows, *(Item(each.entry, each) for each in places.end), *title]
        kept = {each.entry for each in wanted}
        hidden = [WantedMessage("", [], entry) for entry in self._sent if entry not in kept]
        places = places_of(hidden, self._live)
        rows = [row for event in self._chat.replay.events for row in self._row(event, places)]
        rows = [_kept_whole(row) for row in rows]
        if self._rewrite.drop_old:
            rows = [row for row in rows if isinstance(row, Line) and self._chat[row.record].kind != REWIND]
        return [*rows, *self._compaction(wanted, self._boundary.key), *title]

    def _compaction(self, wanted: Sequence[WantedMessage], key: str) -> Iterator[Row]:
        """The list that restarts the history with the summary, and what follows it."""
        end = next((n for n, each in enumerate(wanted, 1) if _is_summary(each, key)), 0)
        listed = tuple(Item(each.entry, each) for each in wanted[:end])
        summary = wanted[end - 1] if end else None
        time = (
            summary.time if summary is not None else next((each.time for each in wanted if each.time), None)
        )
        yield Listed(listed, boundary=self._boundary, summary=summary, time=time)
        yield from (Item(each.entry, each) for each in wanted[end:])

    def _row(self, event: Event, places: Places) -> Iterator[Row]:
        match event:
            case NoMessage():
                if self._is_told(event.record):
                    yield Line(event.record)
            case MessageAdded():
                if self._chat.replay.place[event.entry] is event:
                    yield from self._items(event.entry, places)
            case MessagesReplaced():
                here = [entry for entry in event.entries if self._chat.replay.place[entry] is event]
                items = tuple(item for entry in here for item in self._items(entry, places))
                if items or event.boundary is not None:
                    yield Listed(items, event.record)
            case MessagesRewound():
                yield Line(event.record)

    def _items(self, entry: Entry, places: Places) -> Iterator[Item]:
        """What is written at the position of a message."""
        end = self._chat.replay.end.get(entry)
        if end is not None:
            if isinstance(end, MessagesRewound) or end.boundary is not None:
                yield Item(entry)
        elif not entry.sent:
            yield Item(entry)
        else:
            yield from places.items(entry)

    def _is_told(self, record: int) -> bool:
        """Whether a record without a message is written: of header changes only the last ones."""
        kind, last = self._chat[record].kind, self._chat.heading.last
        if kind == "unreadable":
            return False
        return kind == HEADER or record in last.values() or not self._chat.heading.knows(record)


def _is_summary(wanted: WantedMessage, key: str) -> bool:
    boundary = wanted.message.boundary if wanted.message is not None else None
    return boundary is not None and boundary.key == key


def _kept_whole(row: Row) -> Row:
    """A row above a new compaction: the messages in it are kept as they are."""
    if isinstance(row, Item):
        return Item(row.entry)
    if isinstance(row, Listed):
        return Listed(tuple(Item(item.entry) for item in row.items), row.record)
    return row
