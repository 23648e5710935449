"""The base of the plain JSON formats: a file that holds a list of messages, and little else.

The whole list is sent when the conversation goes on, so every message in it is live; a compaction that
is recognised by its text becomes a boundary on its message and hides nothing. A rewrite removes
messages that are not wanted, and leaves everything outside the list as it is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, Final

from app.formats.base import Rewrite, Rewriting
from app.formats.plain.layout import DocumentRecords, PlainRecords, open_records, records_of
from app.formats.plain.reported import total
from app.formats.plain.sniffing import kind_of
from app.formats.plain.writer import Lines, Writer, same_blocks
from app.formats.repairs import Mender, Mending, PairsAnew, as_notices
from app.formats.source import Source
from app.model import Facts, Message, Notice, Record, Role, SendStatus, Session

DAMAGE: Final = frozenset(
    {
        "bad-line", "torn-tail", "glued-records", "spliced-record", "nul-bytes", "bom", "crlf",
        "invalid-utf8", "not-a-record",
    }
)  # fmt: skip
"""Warning words for bytes that a rewrite does not copy."""

_SMALL: Final = 1 << 16
"""Bytes of a value besides the messages up to which it may be a title or a model."""

_HELD: Final = 4 << 20
"""Bytes of a document held in memory when it is only streamed for its request."""

_NOTICES: Final = 100
"""Notices of one word that are listed one by one."""


class MessageReader(ABC):
    """Reads the messages of one session's records, in file order."""

    def __init__(self, records: PlainRecords) -> None:
        self.records = records

    @abstractmethod
    def message(self, record: Record, value: dict[str, Any]) -> Message:
        """The message of a record that has a role; one that is not sent is not `LIVE`."""

    def elsewhere(self) -> Iterable[Message]:
        """Messages outside the list; called after all messages in it were read."""
        return ()


class PlainFormat(ABC):
    """A dialect of plain JSON. Subclasses say how a message is read and written."""

    name: str
    title: str
    validity: str
    one_text: bool

    @abstractmethod
    def _reader(self, records: PlainRecords) -> MessageReader:
        """The reader for the messages of a session."""

    @abstractmethod
    def _mender(self) -> Mender:
        """A mender, which finds on loading what is broken."""

    @abstractmethod
    def _mending(self, records: PlainRecords, pairs: PairsAnew, *, alternate: bool) -> Mending:
        """The repairs that messages in the provider's form need."""

    @abstractmethod
    def made(self, message: Message) -> dict[str, Any]:
        """A new message in the provider's form."""

    @abstractmethod
    def edited(self, value: dict[str, Any], old: Message, new: Message) -> dict[str, Any]:
        """A record's value with `new` instead of `old`; unchanged parts are the same objects."""

    def edited_elsewhere(self, value: Any, old: Message, new: Message) -> Any:
        """The same for a value outside the list of messages."""
        return value

    def sent(self, value: dict[str, Any]) -> dict[str, Any]:
        """The message that is sent for a record's value, in the provider's form."""
        return value

    def stored(self, value: dict[str, Any]) -> dict[str, Any]:
        """The value to store for a message in the provider's form; the inverse of `sent`."""
        return value

    def copies(self, records: PlainRecords, texts: Callable[[], Mapping[str, str]]) -> dict[int, bytes]:
        """New bytes of records outside the list that repeat results; `texts` maps old texts to new ones."""
        return {}

    def gone(self, session: Session, rewrite: Rewrite) -> set[int]:
        """Listed records that are not messages and are removed with what is changed or left out."""
        return set()

    def heading(self, records: PlainRecords, rewrite: Rewrite) -> dict[int, bytes]:
        """New bytes of records that describe the session as a whole."""
        return {}

    def _notices(self, records: PlainRecords) -> Iterable[Notice]:
        """Further notices about the file."""
        return ()

    def _open(self, source: Source) -> PlainRecords:
        """The records of a session, not yet loaded."""
        return open_records(source)

    def sniff(self, source: Source) -> bool:
        """Whether the content is of this dialect."""
        return kind_of(source) == self.name

    def read(self, source: Source, leaf: str | None = None) -> Session:
        """The session; the format has no branches, so `leaf` is ignored."""
        records = self._open(source)
        reader = self._reader(records)
        messages: list[Message] = []
        mender = self._mender()
        for _ in mender.run(self._sent(_noted(_loaded(records, reader), messages))):
            pass
        records.notices = _not_too_many(records.notices)
        live = tuple(message for message in messages if message.standing is SendStatus.LIVE)
        others = tuple(reader.elsewhere())
        front = tuple(message for message in others if message.role is Role.SYSTEM)
        behind = tuple(message for message in others if message.role is not Role.SYSTEM)
        repairs = as_notices(mender.repairs, Lines(records, messages).of)
        known = {notice.word for notice in records.notices}
        return Session(
            format=self.name,
            name=source.name,
            records=records,
            messages=(*front, *messages, *behind),
            boundaries=tuple(message.boundary for message in live if message.boundary is not None),
            facts=Facts(
                records=sum(
                    record.kind != "unreadable" for record in map(records.__getitem__, range(records.listed))
                ),
                bad_lines=tuple(records.bad_lines),
                conversation=len(live),
                messages=len(live),
                branches=max(1, len(behind)),
            ),
            notices=(
                *records.notices,
                *(notice for notice in repairs if notice.word not in known),
                *_control_notices(records),
                *self._notices(records),
            ),
            title=_word_beside(records, "title"),
            model=_word_beside(records, "model") or next((m.model for m in reversed(live) if m.model), None),
            usage=total(message.usage for message in live),
            last_usage=next((m.usage for m in reversed(live) if m.usage and m.usage.context), None),
        )

    def live_request(self, source: Source) -> Iterator[tuple[str, dict[str, Any]]]:
        """What `request` yields for the live messages of a file, each read lazily."""
        records = self._open(source)
        records.held = _HELD
        return self._sent(_loaded(records, self._reader(records)))

    def _sent(self, loaded: Iterable[tuple[Message, dict[str, Any]]]) -> Iterator[tuple[str, dict[str, Any]]]:
        """The live ones among these messages, in the provider's form."""
        return ((m.key, self.sent(value)) for m, value in loaded if m.standing is SendStatus.LIVE)

    def request(self, session: Session, messages: Sequence[Message]) -> Iterator[tuple[str, dict[str, Any]]]:
        """Each message's key with its provider form; what is outside the list of messages is left out."""
        records = records_of(session)
        originals = {message.key: message for message in session.messages}
        for message in messages:
            original = originals.get(message.key)
            if original is None:
                yield message.key, self.sent(self.made(message))
            elif original.records[0] < records.listed:
                value = records.value(original.records[0])
                if not same_blocks(message, original):
                    value = self.edited(value, original, message)
                yield message.key, self.sent(value)

    def rewrite(self, session: Session, rewrite: Rewrite) -> Rewriting:
        """Plan the file with these messages. It has no ids, title or usage, so these are ignored."""
        records = records_of(session)
        plan = self._mending(
            records,
            lambda: rewrite.looked(self.request(session, rewrite.messages)),
            alternate=rewrite.alternate,
        )
        writer = Writer(self, session, rewrite, plan)
        kept = changed = added = 0
        for step in rewrite.looked(writer.steps()):
            kept += step.record is not None and step.value is None
            changed += step.record is not None and step.value is not None
            added += step.record is None
        elsewhere = writer.elsewhere() | self.heading(records, rewrite)
        damage = (notice for notice in records.notices if notice.word in DAMAGE)
        return Rewriting(
            pieces=lambda: records.write(writer.pieces(), elsewhere),
            kept=kept,
            changed=changed + len(elsewhere),
            added=added,
            dropped=records.listed - kept - changed,
            repairs=(*damage, *as_notices(plan.repairs, Lines(records, session.messages).of)),
        )

    def side_folder(self, original: PurePath) -> PurePath | None:
        """None: such a file has no folder of its own."""
        return None

    def resume_command(self, session_id: str) -> str | None:
        """None: no program resumes a plain list of messages."""
        return None

    def new_name(self, original: PurePath, session_id: str | None) -> str:
        """`<stem>.compacted` with the suffix of the original."""
        return compacted_name(original)


def compacted_name(original: PurePath) -> str:
    """The name of a new file beside `original`, for formats whose sessions have no id."""
    if original.suffix.lower() in (".json", ".jsonl", ".ndjson"):
        return f"{original.stem}.compacted{original.suffix}"
    return f"{original.name if original.name not in ('', '-') else 'session'}.compacted.json"


def _loaded(records: PlainRecords, reader: MessageReader) -> Iterator[tuple[Message, dict[str, Any]]]:
    """Load all records; yields each message in the list with its record's value."""
    for record, value in records.load():
        if not isinstance(value, dict):
            continue
        if not isinstance(value.get("role"), str):
            if not records.only_messages:
                continue
            detail = "an object without a role stays in place and is not part of the conversation"
            records.notices.append(Notice("unknown-record-type", record.line, detail))
            continue
        yield reader.message(record, value), value


def _noted(
    loaded: Iterable[tuple[Message, dict[str, Any]]], messages: list[Message]
) -> Iterator[tuple[Message, dict[str, Any]]]:
    """Pass the items through, adding each message to `messages`."""
    for message, value in loaded:
        messages.append(message)
        yield message, value


def _not_too_many(notices: Iterable[Notice]) -> list[Notice]:
    """The first notices of each word, and how many more there are."""
    kept: list[Notice] = []
    counts: dict[str, int] = {}
    for notice in notices:
        counts[notice.word] = counts.get(notice.word, 0) + 1
        if counts[notice.word] <= _NOTICES:
            kept.append(notice)
    more = [Notice(word, detail=f"{n - _NOTICES} more") for word, n in counts.items() if n > _NOTICES]
    return kept + more


def _control_notices(records: PlainRecords) -> Iterator[Notice]:
    if records.controls:
        count = sum(records.controls.values())
        line = records[min(records.controls)].line
        yield Notice(
            "control-chars", line, f"{count} texts contain control characters, shown as visible signs"
        )


def _word_beside(records: PlainRecords, key: str) -> str | None:
    """The list's sibling value `key` if it is a short text."""
    value = records.member_value(key, _SMALL) if isinstance(records, DocumentRecords) else None
    return value if isinstance(value, str) and value else None
