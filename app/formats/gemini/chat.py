"""The records of a Gemini CLI session together with the messages that are replayed from them.

Two forms: the log of patches, one JSON object a line, and the older single document.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from app.formats.gemini.entries import EntryReader
from app.formats.gemini.names import HEADER, MESSAGES, OWN_FIELD, REWIND, SET
from app.formats.gemini.replay import OwnCompaction, Replay
from app.formats.lines import UNREADABLE, LineReader
from app.formats.plain.anthropic_blocks import as_word
from app.formats.plain.layout import DocumentRecords
from app.formats.source import Source
from app.formats.store import RecordStore, Stored, stored
from app.model import Boundary, JsonPath, Notice, Record, Session

_LONGEST_KEY: Final = 200
_LONGEST_MEMBER: Final = 1 << 20
"""Bytes of a member of the header that are read."""

_TOLD: Final = ("sessionId", "projectHash", "startTime", "summary", "kind", "directories")


class SessionHeader:
    """Facts about a session as a whole; of repeated members the last counts."""

    def __init__(self) -> None:
        self.members: dict[str, Any] = {}
        self.last: dict[str, int] = {}
        """Member -> the record that set it last."""
        self._records: set[int] = set()

    def take(self, record: int, members: Mapping[str, Any]) -> None:
        """Take in the members of a header, or of a change of it."""
        self.last.update(dict.fromkeys(members, record))
        self._records.add(record)
        self.members |= {name: members[name] for name in _TOLD if name in members}

    def knows(self, record: int) -> bool:
        """Whether a record holds facts about the session as a whole."""
        return record in self._records

    def word(self, name: str) -> str | None:
        """A member that is a string."""
        return as_word(self.members.get(name)) or None

    @property
    def folder(self) -> str | None:
        """The first of the folders that a session names."""
        folders = self.members.get("directories")
        first = folders[0] if isinstance(folders, list) and folders else None
        return as_word(first) or None


class Log(RecordStore):
    """A log of patches."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.source = source
        self.heading = SessionHeader()
        self.notices: list[Notice] = []
        self.bad_lines: list[int] = []
        self.replay = Replay(EntryReader(self), _Keys(self).make)

    def content(self, record: int, path: JsonPath, value: Any) -> Stored:
        """The content at `path` of a record; `value` is the value there, from which it is measured."""
        return stored(self, record, path, value)

    def load(self) -> None:
        """Index every record once."""
        rows = LineReader(self.source)
        for index, row in enumerate(rows):
            value: Any = row.value
            record = value if isinstance(value, dict) else {}
            kind = "unreadable" if value is UNREADABLE else _kind_of(record)
            self.append(Record(index, row.offset, row.length, row.line, kind, f"@{row.offset}", row.damage))
            self._take(index, record)
        self.notices += rows.notices
        self.bad_lines += rows.bad_lines

    def _take(self, index: int, record: Mapping[str, Any]) -> None:
        # The client asks in this order.
        patch = record.get(SET)
        if isinstance(record.get(REWIND), str):
            self.replay.rewind(index, record[REWIND])
        elif isinstance(record.get("id"), str):
            self.replay.put(index, (), record)
        elif isinstance(patch, dict):
            messages = patch.get(MESSAGES)
            self.heading.take(index, {name: patch[name] for name in patch if name != MESSAGES})
            if isinstance(messages, list):
                self.replay.begin(index, messages, self._own(index, patch.get(OWN_FIELD)))
            else:
                self.replay.tell(index)
        else:
            self.replay.tell(index)
            if _is_header(record):
                self.heading.take(index, record)
                self._take_listed(index, record.get(MESSAGES))

    def _take_listed(self, index: int, messages: Any) -> None:
        """Take in the messages in the header, where the older form has them even on one line."""
        for number, value in enumerate(messages if isinstance(messages, list) else ()):
            if isinstance(value, dict) and isinstance(value.get("id"), str):
                self.replay.put(index, (MESSAGES, number), value)

    def _own(self, index: int, told: Any) -> OwnCompaction | None:
        """The facts of a compaction made by us, which has a member of its own."""
        if not isinstance(told, dict):
            return None
        kept = told.get("preserved")
        boundary = Boundary(
            key=self[index].key,
            trigger=as_word(told.get("trigger")),
            strategy=as_word(told.get("strategy")),
            tokens_before=_count(told.get("tokens_before")),
            tokens_after=_count(told.get("tokens_after")),
            removed=_count(told.get("removed")),
            preserved=(str(kept[0]), str(kept[1])) if isinstance(kept, list) and len(kept) == 2 else None,
            record=index,
        )
        return OwnCompaction(boundary, as_word(told.get("summary")))


class Document(DocumentRecords):
    """The older form: one JSON document, whose messages are records here."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.heading = SessionHeader()
        self.replay = Replay(EntryReader(self), _Keys(self).make)

    def read(self) -> None:
        """Index every message once."""
        for record, value in self.load():
            if isinstance(value, dict):
                # The client takes everything in the list, even with repeated ids.
                self.replay.put(record.index, (), {**value, "id": record.key})
            else:
                self.replay.tell(record.index)
        for name in _TOLD:
            value, span = self.member_value(name, _LONGEST_MEMBER), self.member(name)
            if value is not None and span is not None:
                self.heading.take(self.add_elsewhere(*span, HEADER).index, {name: value})


Chat: TypeAlias = Log | Document


def chat_of(session: Session) -> Chat:
    """The records of a session read by this format; raises TypeError for any other."""
    if not isinstance(session.records, Log | Document):
        raise TypeError(f"a session of {session.format} was not read from a Gemini CLI file")
    return session.records


class _Keys:
    """Makes keys of messages: their ids, if usable."""

    def __init__(self, records: Sequence[Record] | Any) -> None:
        self._records = records
        self._used: set[str] = set()

    def make(self, record: int, path: JsonPath, ident: str) -> str:
        key = ident
        if ident[:1] in ("", "@") or len(ident) > _LONGEST_KEY or ident in self._used:
            steps = "".join(f"/{step}" for step in path if isinstance(step, int))
            key = f"@{self._records[record].offset}{steps}"
        self._used.add(key)
        return key


def _kind_of(record: Mapping[str, Any]) -> str:
    if isinstance(record.get(REWIND), str):
        return REWIND
    if isinstance(record.get("id"), str):
        return as_word(record.get("type"))
    if isinstance(record.get(SET), dict):
        return SET
    return HEADER if _is_header(record) else as_word(record.get("type"))


def _is_header(record: Mapping[str, Any]) -> bool:
    return isinstance(record.get("sessionId"), str) and isinstance(record.get("projectHash"), str)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def all_records(chat: Chat) -> Iterator[Record]:
    """Every record, in file order."""
    return map(chat.__getitem__, range(len(chat)))
