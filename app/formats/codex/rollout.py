"""The records of a rollout together with an index of their facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from sys import intern
from typing import Any

from msgspec import Struct, field

from app.formats.codex.boundaries import compaction_of, marker_of
from app.formats.codex.names import (
    COMPACTED,
    EVENT,
    HISTORY,
    ITEM,
    META,
    NAMED,
    ROLLED_BACK,
    SETTINGS,
    TOKEN_COUNT,
    TURN,
)
from app.formats.codex.nodes import Node, node_of
from app.formats.codex.replay import Replay, Segment, words_kept
from app.formats.codex.second_copies import repeats_output, repeats_words
from app.formats.codex.usage import UsageMeter
from app.formats.columns import Numbers, Times
from app.formats.lines import UNREADABLE, LineReader, Row
from app.formats.responses.authors import KINDS, PASSED, SUMMARY_KIND
from app.formats.responses.blocks import ItemReader
from app.formats.responses.forms import text_item
from app.formats.responses.names import LOCAL, SEALED, kind_of
from app.formats.source import Source
from app.formats.store import CACHE_BYTES, RecordStore, stored
from app.formats.times import seconds
from app.model import Author, Boundary, JsonPath, Message, Place, Record, Role, SendStatus, Session, Text


class SessionHeader(Struct):
    """Facts about a session as a whole; of repeated records the first or the last counts."""

    session_id: str | None = None
    title: str | None = None
    cwd: str | None = None
    model: str | None = None
    metas: dict[int, None] = field(default_factory=dict)
    """Records that name a session, this one's first."""
    last: dict[str, int] = field(default_factory=dict)
    """The last record of each type that describes the session and not a moment in it."""


class Rollout(RecordStore):
    """A record store that also holds the history; `Session.records` of this format."""

    def __init__(self, source: Source, cache_bytes: int = CACHE_BYTES) -> None:
        super().__init__(source, cache_bytes)
        self.source = source
        self.heading = SessionHeader()
        self.meter = UsageMeter()
        self.replay = Replay(self._history)
        self.unsent: list[Node] = []
        """Items that the client keeps but does not send."""
        self.boundaries: dict[int, Boundary] = {}
        """By index of the compaction's record."""
        self.summaries: dict[int, list[Node]] = {}
        """The nodes of the summary, if any, by index of the compaction's record."""
        self.ordinals = Numbers()
        """By record index."""
        self.times = Times()
        self.twins: dict[str, list[int]] = {}
        """Events that show an item a second time, by the id of the call or the item."""
        self.copies: set[int] = set()
        """Events that repeat a long output."""
        self.said: set[int] = set()
        """Events that repeat words of the person or of the model."""
        self.counted: int | None = None
        """The newest `token_count` with counts."""
        self.types: set[str] = set()
        self.prefix: list[Node] = []
        """The items with which the last compaction restarted the history."""
        self._reader = ItemReader(self)
        self._seen: set[str] = set()

    @property
    def live(self) -> list[Node]:
        """The sent items, in order."""
        return self.prefix + self.replay.top.nodes

    def load(self) -> LineReader:
        """Index every record once; returns the line reader, for its notices."""
        rows = LineReader(self.source)
        for index, row in enumerate(rows):
            self._index(index, row)
        self.prefix = self.replay.settle()
        return rows

    def home(self, place: Place) -> Place:
        """The place of the item that holds the block at `place`."""
        path = place.path
        if path[1:2] == (HISTORY,):
            found = self.shared_path(path[:3])
        else:
            found = path if path == _MESSAGE else _PAYLOAD
        return place if path == found else Place(place.record, found)

    def item(self, home: Place) -> dict[str, Any]:
        """An item as it is sent; a summary that is a bare string as the message it becomes."""
        value = self.value(home.record)
        for step in home.path:
            value = value[step]
        if isinstance(value, str):
            return _marked(text_item("user", value))
        found: dict[str, Any] = value
        return found

    def made(self, message: Message, item: dict[str, Any]) -> dict[str, Any]:
        """An item that an export adds; a summary is marked, so that the next compaction does not keep it."""
        if message.boundary is None or not message.boundary.hides or item["type"] != "message":
            return item
        return _marked(item)

    def _history(self, segment: Segment) -> list[Node]:
        """The nodes that a compaction left at the start of its segment; none at the start of the file."""
        bare: list[Segment] = []
        while (found := self._own_history(segment)) is None and segment.previous is not None:
            bare.append(segment)
            segment = segment.previous
        if not bare:
            return found or []
        since = [node for later in reversed(bare) if later.previous for node in later.previous.nodes]
        return words_kept([*(found or ()), *since]) + self.summaries[bare[0].compaction or 0]

    def _own_history(self, segment: Segment) -> list[Node] | None:
        """The nodes that a compaction's own record lists; None if they have to be derived."""
        if segment.left is not None or segment.compaction is None:
            return segment.left or []
        payload = self.value(segment.compaction)["payload"]
        items = payload.get(HISTORY)
        return list(self._replaced(segment.compaction, payload, items)) if isinstance(items, list) else None

    def _summary(self, index: int, payload: Mapping[str, Any]) -> list[Node]:
        """The summary of a compaction as a node: its message, else the summary in its history."""
        message, items = payload.get("message"), payload.get(HISTORY)
        items = items if isinstance(items, list) else []
        key, time = f"{self[index].key}/summary", self.times[index]
        if isinstance(message, str) and (message or not items):
            place = Place(index, _MESSAGE)
            block = Text(f"{key}:0", stored(self, index, _MESSAGE, message), Author.SUMMARY, place)
            return [Node(index, _MESSAGE, key, "message", Role.USER, (block,), time=time)]
        sealed = [number for number, item in enumerate(items) if kind_of(item) in SEALED]
        path: JsonPath = ("payload", HISTORY, *sealed[-1:])
        return [node_of(index, path, key, items[sealed[-1]], self._reader, time)] if sealed else []

    def _replaced(self, record: int, payload: Mapping[str, Any], items: list[Any]) -> Iterator[Node]:
        message = payload.get("message")
        for number, item in enumerate(items):
            if not isinstance(item, dict) or kind_of(item) in LOCAL:
                continue
            path: JsonPath = ("payload", HISTORY, number)
            node = node_of(
                record, path, f"{self[record].key}/{number}", item, self._reader, self.times[record]
            )
            if isinstance(message, str) and message and node.role is Role.USER:
                node.blocks = tuple(_as_summary(block, message) for block in node.blocks)
            yield node

    def _index(self, index: int, row: Row) -> None:
        value: Any = row.value
        record = value if isinstance(value, dict) else {}
        kind = record.get("type")
        kind = intern(kind) if isinstance(kind, str) else ""
        payload = record.get("payload")
        payload = payload if isinstance(payload, dict) else {}
        key = self._key(row.offset, kind, payload)
        name = "unreadable" if value is UNREADABLE else kind
        self.append(Record(index, row.offset, row.length, row.line, name, key, row.damage))
        ordinal = record.get("ordinal")
        self.ordinals.append(ordinal if isinstance(ordinal, int) and not isinstance(ordinal, bool) else None)
        self.times.append(seconds(record.get("timestamp")))
        self.types.add(kind)
        if payload:
            self._take(index, kind, payload)

    def _key(self, offset: int, kind: str, payload: Mapping[str, Any]) -> str:
        """The item's own id if it is usable, else `@offset`."""
        ident = payload.get("id") if kind == ITEM else None
        if not isinstance(ident, str) or ident[:1] in ("", "@") or len(ident) > 200 or ident in self._seen:
            return f"@{offset}"
        self._seen.add(ident)
        return ident

    def _take(self, index: int, kind: str, payload: dict[str, Any]) -> None:
        if kind == ITEM:
            self._take_item(index, payload)
        elif kind == EVENT:
            self._take_event(index, payload)
        elif kind == COMPACTED:
            self.boundaries[index] = compaction_of(payload, self[index], self.times[index])
            self.summaries[index] = self._summary(index, payload)
            self.meter.compacted()
            self.replay.compact(index)
        elif kind == META:
            self._take_meta(index, payload)
        else:
            self.heading.last[kind] = index
            if kind == TURN:
                self.heading.model = _word(payload, "model") or self.heading.model
                self.heading.cwd = _word(payload, "cwd") or self.heading.cwd
            elif kind == "token_usage_record":
                self.meter.end_reply()

    def _take_item(self, index: int, item: dict[str, Any]) -> None:
        if kind_of(item) in LOCAL:
            return
        node = node_of(index, _PAYLOAD, self[index].key, item, self._reader, self.times[index])
        if node.kind == "message" and item.get("role") == "system":
            node.standing = SendStatus.NEVER_SENT
            self.unsent.append(node)
            return
        node.reply = self.meter.item(node.role)
        node.model = self.heading.model
        if len(node.blocks) == 1 and isinstance(block := node.blocks[0], Text):
            node.boundary = marker_of(block, node)
        self.replay.add(node)

    def _take_event(self, index: int, event: dict[str, Any]) -> None:
        kind = event.get("type")
        if kind == TOKEN_COUNT:
            self.meter.tell_window(event.get("info"))
            if self.meter.count(event.get("info")):
                self.counted = index
        elif kind == ROLLED_BACK:
            turns = event.get("num_turns")
            self.meter.end_reply()
            self.replay.roll_back(turns if isinstance(turns, int) else 0)
        elif kind in (NAMED, SETTINGS):
            self.heading.last[str(kind)] = index
            if kind == NAMED:
                self.heading.title = _word(event, "thread_name") or self.heading.title
        else:
            self.meter.tell_window(event)
            shown = event.get("item")
            ident = event.get("call_id") or (shown.get("id") if isinstance(shown, dict) else None)
            if isinstance(ident, str) and ident:
                self.twins.setdefault(ident, []).append(index)
            if repeats_output(event):
                self.copies.add(index)
            if repeats_words(event):
                self.said.add(index)

    def _take_meta(self, index: int, payload: dict[str, Any]) -> None:
        self.heading.metas[index] = None
        if len(self.heading.metas) == 1:
            self.heading.session_id = _word(payload, "id") or _word(payload, "session_id")
            self.heading.cwd = self.heading.cwd or _word(payload, "cwd")


_PAYLOAD: JsonPath = ("payload",)
_MESSAGE: JsonPath = ("payload", "message")


def rollout_of(session: Session) -> Rollout:
    """The records of a session read by this format; raises TypeError for any other."""
    if not isinstance(session.records, Rollout):
        raise TypeError(f"a session of {session.format} was not read from a rollout")
    return session.records


def _marked(item: dict[str, Any]) -> dict[str, Any]:
    """A message marked as a summary, as the client does it: it does not count as the person's turn."""
    return {**item, PASSED: {KINDS: [SUMMARY_KIND] * len(item["content"])}}


def place_of(node: Node) -> Place:
    """The place of an item."""
    return Place(node.record, node.path)


def in_file_order(node: Node) -> tuple[int, str | int]:
    """The sort key of file order, including the order of items inside one compaction."""
    return node.record, node.path[2] if len(node.path) > 2 else 0


def _as_summary(block: Any, message: str) -> Any:
    if isinstance(block, Text) and block.content.chars == len(message) and block.content.read() == message:
        return Text(block.key, block.content, Author.SUMMARY, block.place)
    return block


def _word(holder: Mapping[str, Any], name: str) -> str | None:
    value = holder.get(name)
    return value if isinstance(value, str) and value else None
