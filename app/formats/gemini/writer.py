"""Writing a session as a Gemini CLI file: rows to bytes, one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from app.formats.base import Rewrite, Rewriting
from app.formats.gemini.chat import Chat, Document, Log, chat_of
from app.formats.gemini.entries import Entry
from app.formats.gemini.names import HEADER, MESSAGES, OWN_FIELD, SET
from app.formats.gemini.plan import Plan, Planner
from app.formats.gemini.rows import Item, Line, Listed, Row, Titled
from app.formats.lenient_json import mend
from app.formats.lines import parse_record
from app.formats.plain.layout import Piece
from app.formats.reshape import reshape
from app.formats.source import chunks
from app.formats.splice import encode, items, span, splice
from app.formats.times import stamped
from app.model import Boundary, JsonPath, Session

_LIST: Final[JsonPath] = (SET, MESSAGES)


def rewrite(session: Session, wish: Rewrite) -> Rewriting:
    """Plan the file that holds `wish`; see `app.formats.base.Format.rewrite`."""
    chat = chat_of(session)
    plan = Planner(session, wish, chat).plan()
    if plan.untouched and wish.session_id is None:
        return Rewriting(lambda: chunks(chat.source), len(chat), 0, 0, 0)
    writer = _LogWriter(chat, wish) if isinstance(chat, Log) else _DocumentWriter(chat, wish)
    kept, changed, added, used = 0, 0, 0, set()
    for record, same in wish.looked(writer.counts(plan)):
        kept += record is not None and same
        changed += record is not None and not same
        added += record is None
        used.add(record)
    listed = chat.listed if isinstance(chat, Document) else len(chat)
    dropped = listed - len(used - {None})
    return Rewriting(lambda: writer.pieces(plan), kept, changed, added, dropped, plan.repairs)


class _Messages:
    """The bytes of messages, unchanged or updated."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self._held: tuple[int, bytes, dict[int, tuple[int, int]]] = (-1, b"", {})

    def raw(self, index: int) -> bytes:
        """The bytes of a record as one sound JSON value on one line."""
        raw = self._chat.raw(index)
        if self._chat[index].damage:
            raw = mend(raw)
        # In sound JSON a raw line end can only be between values.
        return raw.replace(b"\n", b" ").replace(b"\r", b" ") if b"\n" in raw or b"\r" in raw else raw

    def of(self, item: Item) -> bytes:
        """A message on one line."""
        if item.entry is None:
            return encode(item.wanted.made() if item.wanted is not None else {})
        raw = self._bytes_of(item.entry)
        if item.wanted is None:
            return raw
        old = parse_record(raw)
        return reshape(raw, old, item.wanted.changed(old))

    def is_same(self, item: Item) -> bool:
        """Whether a message of the file is written unchanged."""
        if item.wanted is None or item.entry is None:
            return True
        value = self._chat.value(item.entry.record)
        for step in item.entry.path:
            value = value[step]
        return bool(item.wanted.changed(value) == value)

    def _bytes_of(self, entry: Entry) -> bytes:
        if not entry.path:
            return self.raw(entry.record)
        if self._held[0] != entry.record:
            raw = self.raw(entry.record)
            start, _ = span(raw, entry.path[:-1])
            self._held = entry.record, raw, {int(i.key): (i.start, i.end) for i in items(raw, start)}
        _, raw, spans = self._held
        start, end = spans[int(entry.path[-1])]
        return raw[start:end]


class _LogWriter:
    """Writes rows as lines."""

    def __init__(self, chat: Log, wish: Rewrite) -> None:
        self._chat = chat
        self._wish = wish
        self._messages = _Messages(chat)

    def counts(self, plan: Plan) -> Iterator[tuple[int | None, bool]]:
        """For each line its record (None for a new one), and whether that is unchanged."""
        for row in plan.rows:
            match row:
                case Line():
                    yield row.record, not self._is_split(row.record)
                case Item():
                    record = None if row.entry is None else row.entry.record
                    yield record, self._messages.is_same(row)
                case Listed() if row.record is not None:
                    yield row.record, self._is_whole(row)
                case _:
                    yield None, False

    def pieces(self, plan: Plan) -> Iterator[bytes]:
        """The bytes of the file."""
        for row in plan.rows:
            yield self._line(row) + b"\n"

    def _line(self, row: Row) -> bytes:
        match row:
            case Line():
                return self._told(row.record)
            case Item():
                return self._messages.of(row)
            case Titled():
                return encode({SET: {"summary": row.title}})
            case Listed():
                return self._listed(row)

    def _told(self, index: int) -> bytes:
        raw = self._messages.raw(index)
        if self._is_split(index):
            raw = splice(raw, {}, [(MESSAGES,)])
        if self._wish.session_id is None or self._chat[index].kind not in (HEADER, SET):
            return raw
        path: JsonPath = ("sessionId",) if self._chat[index].kind == HEADER else (SET, "sessionId")
        try:
            return splice(raw, {path: encode(self._wish.session_id)})
        except KeyError:
            return raw

    def _is_split(self, index: int) -> bool:
        """Whether a header holds messages, which are moved to lines of their own."""
        value = self._chat.value(index) if self._chat[index].kind == HEADER else None
        return isinstance(value, Mapping) and isinstance(value.get(MESSAGES), list)

    def _is_whole(self, row: Listed) -> bool:
        """Whether a list of messages is unchanged."""
        return self._known(row) == len(row.items) and all(
            item.entry is not None and self._messages.is_same(item) for item in row.items
        )

    def _known(self, row: Listed) -> int:
        """The number of messages a list held, if the remaining ones are there as before; else -1."""
        if row.record is None:
            return -1
        held = self._chat.value(row.record)[SET][MESSAGES]
        paths = [item.entry.path for item in row.items if item.entry and item.entry.record == row.record]
        return len(held) if paths == [(*_LIST, n) for n in range(len(held))] else -1

    def _listed(self, row: Listed) -> bytes:
        if row.record is None:
            return self._made_list(row)
        raw = self._messages.raw(row.record)
        if not self._is_whole(row):
            raw = splice(raw, {_LIST: b"[" + b",".join(map(self._messages.of, row.items)) + b"]"})
        return raw

    def _made_list(self, row: Listed) -> bytes:
        messages = b",".join(map(self._messages.of, row.items))
        summary = row.summary.ident if row.summary is not None else ""
        own = encode(own_member(row.boundary, summary)) if row.boundary is not None else b"{}"
        updated = encode(stamped(row.time or 0.0))
        return b'{"%b":{"%b":[%b],"lastUpdated":%b,"%b":%b}}' % (
            SET.encode(), MESSAGES.encode(), messages, updated, OWN_FIELD.encode(), own,
        )  # fmt: skip


class _DocumentWriter:
    """Writes rows as the messages of one document, which cannot hold what a compaction hides."""

    def __init__(self, chat: Document, wish: Rewrite) -> None:
        self._chat = chat
        self._wish = wish
        self._messages = _Messages(chat)

    def counts(self, plan: Plan) -> Iterator[tuple[int | None, bool]]:
        """For each message its record (None for a new one), and whether that is unchanged."""
        for row in plan.rows:
            if isinstance(row, Line):
                yield row.record, True
            elif isinstance(row, Item):
                yield (None if row.entry is None else row.entry.record), self._messages.is_same(row)

    def pieces(self, plan: Plan) -> Iterator[bytes]:
        """The bytes of the file."""
        elsewhere: dict[int, bytes] = {}
        last, title = self._chat.heading.last, self._wish.title
        if self._wish.session_id is not None:
            name = encode(self._wish.session_id)
            if title is not None and "summary" not in last:
                name += b',"summary":' + encode(title)
            elsewhere[last["sessionId"]] = name
        if title is not None and "summary" in last:
            elsewhere[last["summary"]] = encode(title)
        return self._chat.write(self._listed(plan), elsewhere)

    def _listed(self, plan: Plan) -> Iterator[Piece]:
        for row in plan.rows:
            if isinstance(row, Line):
                yield row.record
            elif isinstance(row, Item) and row.entry is None:
                yield self._chat.style.written(row.wanted.made() if row.wanted is not None else {})
            elif isinstance(row, Item) and row.entry is not None:
                yield self._piece(row, row.entry.record)

    def _piece(self, row: Item, record: int) -> Piece:
        if self._messages.is_same(row) and not self._chat[record].damage:
            return record
        raw, old = self._chat.sound_bytes(record), self._chat.value(record)
        return raw if row.wanted is None else reshape(raw, old, row.wanted.changed(old))


def own_member(boundary: Boundary, summary: str) -> dict[str, Any]:
    """Our member in a list of messages that is a compaction, for facts without a member of the client's."""
    own: dict[str, Any] = {"trigger": boundary.trigger, "strategy": boundary.strategy}
    for name in ("tokens_before", "tokens_after", "removed"):
        if getattr(boundary, name) is not None:
            own[name] = getattr(boundary, name)
    if boundary.preserved is not None:
        own["preserved"] = list(boundary.preserved)
    return own | {"summary": summary}
