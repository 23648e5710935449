"""Reading and writing a session that is a plain list of Responses API items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec import Struct

from app.formats.base import Rewrite, Rewriting
from app.formats.notices import Notices
from app.formats.plain.layout import DocumentRecords, Piece, PlainRecords, open_records, records_of
from app.formats.plain.reported import time_of
from app.formats.plain.session import DAMAGE
from app.formats.reshape import reshape
from app.formats.responses.authors import summary_boundary
from app.formats.responses.blocks import ItemReader, role_of
from app.formats.responses.entries import Entry, messages_of
from app.formats.responses.names import LIST, kind_of
from app.formats.responses.notices import tell_items
from app.formats.responses.outgoing import Outgoing, Sender, said
from app.formats.source import Source
from app.formats.store import stored
from app.model import Author, Facts, Message, Place, Record, Role, Session, Text

_SMALL: Final = 1 << 16
"""Bytes of a value besides the items up to which it may be the model's name."""


def read(source: Source, name: str) -> Session:
    """The session in a file; `name` is the format's name."""
    records = open_records(source, LIST)
    entries = list(_entries(records))
    system = _instructions(records)
    messages = tuple(messages_of(entries, {}))
    told = Notices(records)
    tell_items(entries, told)
    listed = [records[index] for index in range(records.listed)]
    return Session(
        format=name,
        name=source.name,
        records=records,
        messages=(*system, *messages),
        boundaries=tuple(message.boundary for message in messages if message.boundary is not None),
        facts=Facts(
            records=sum(record.kind != "unreadable" for record in listed),
            bad_lines=tuple(records.bad_lines),
            conversation=sum(entry.role is not Role.SYSTEM for entry in entries),
            messages=len(entries),
        ),
        notices=(*records.notices, *told.all()),
        model=_model(records),
    )


def request(session: Session, messages: Sequence[Message]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The items, each with the key of its message; the instructions are not among them."""
    records = records_of(session)
    return Sender(session, _PlainItems(records)).pairs(_listed(messages, records))


def rewrite(session: Session, rewrite: Rewrite) -> Rewriting:
    """Plan the file with these items. It has no ids, title or usage, so these are ignored."""
    records = records_of(session)
    sender = Sender(session, _PlainItems(records))
    wanted, repairs = sender.mended(_listed(rewrite.messages, records), rewrite)
    elsewhere = _changed_instructions(session, rewrite.messages, records)
    kept = sum(out.home is not None and not out.changed for out in wanted)
    changed = sum(out.home is not None and out.changed for out in wanted)
    return Rewriting(
        pieces=lambda: records.write(_pieces(wanted, records), elsewhere),
        kept=kept,
        changed=changed + len(elsewhere),
        added=len(wanted) - kept - changed,
        dropped=records.listed - kept - changed,
        repairs=(*(notice for notice in records.notices if notice.word in DAMAGE), *repairs),
    )


class _PlainItems(Struct, frozen=True):
    """Items of a file in which every record is an item."""

    records: PlainRecords

    def home(self, place: Place) -> Place:
        """The place of the item that holds the block at `place`."""
        return Place(place.record, ())

    def item(self, home: Place) -> dict[str, Any]:
        """The item at that place."""
        value: dict[str, Any] = self.records.value(home.record)
        return value

    def made(self, message: Message, item: dict[str, Any]) -> dict[str, Any]:
        """A new item, unchanged."""
        return item


def _entries(records: PlainRecords) -> Iterator[Entry]:
    reader = ItemReader(records)
    reply = 0
    before = Role.USER
    for record, value in records.load():
        if not isinstance(value, dict):
            continue
        role = role_of(value)
        reply += role is Role.ASSISTANT and before is not Role.ASSISTANT
        before = role
        yield _entry(record, value, role, reply, reader)


def _entry(record: Record, value: dict[str, Any], role: Role, reply: int, reader: ItemReader) -> Entry:
    entry = Entry(
        record=record.index,
        path=(),
        key=record.key,
        kind=kind_of(value),
        role=role,
        blocks=reader.blocks(record.index, (), record.key, value),
        reply=reply,
        named=bool(value.get("id")),
        time=time_of(value),
    )
    first = entry.blocks[0]
    if isinstance(first, Text) and first.author in (Author.SUMMARY, Author.MARKER):
        entry.boundary = summary_boundary(first.content.preview, record.key, record.index)
    return entry


def _instructions(records: PlainRecords) -> list[Message]:
    """The system prompt, which is outside the list of items."""
    span = records.member("instructions") if isinstance(records, DocumentRecords) else None
    if span is None or not isinstance(records, DocumentRecords):
        return []
    record = records.add_elsewhere(*span, "instructions")
    value = records.value(record.index)
    if not isinstance(value, str):
        return []
    content, place = stored(records, record.index, (), value), Place(record.index, ())
    text = Text(f"{record.key}:0", content, Author.SYSTEM, place)
    return [Message(record.key, Role.SYSTEM, (text,), records=(record.index,))]


def _listed(messages: Sequence[Message], records: PlainRecords) -> list[Message]:
    return [m for m in messages if not m.records or m.records[0] < records.listed]


def _changed_instructions(
    session: Session, messages: Sequence[Message], records: PlainRecords
) -> dict[int, bytes]:
    """New bytes of the system prompt, if it was changed."""
    originals = {message.key: message for message in session.messages}
    changed: dict[int, bytes] = {}
    for message in messages:
        original = originals.get(message.key)
        if original is None or not message.records or message.records[0] < records.listed:
            continue
        index = message.records[0]
        if message.blocks != original.blocks:
            text = "".join(block.content.read() for block in message.blocks if isinstance(block, Text))
            changed[index] = reshape(records.raw(index), records.value(index), text)
    return changed


def _pieces(wanted: Sequence[Outgoing], records: PlainRecords) -> Iterator[Piece]:
    for out in wanted:
        if out.home is None:
            yield records.style.written(out.value)
        elif out.changed:
            index = out.home.record
            yield reshape(records.sound_bytes(index), records.value(index), said(out, _PlainItems(records)))
        else:
            yield _kept(out.home.record, records)


def _kept(index: int, records: PlainRecords) -> Piece:
    """An unchanged record; if its bytes are not sound JSON, its value is written in new bytes."""
    if not records[index].damage:
        return index
    sound = records.sound_bytes(index)
    return index if sound == records.raw(index) else sound


def _model(records: PlainRecords) -> str | None:
    value = records.member_value("model", _SMALL) if isinstance(records, DocumentRecords) else None
    return value if isinstance(value, str) and value else None
