"""Planning the new list of messages of a plain JSON file, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, Protocol

from msgspec import Struct

from app.formats.base import Rewrite
from app.formats.plain.layout import Piece, PlainRecords, records_of
from app.formats.repairs import Mending
from app.formats.reshape import reshape, same
from app.model import Message, Session, ToolResult, text_of

_GONE: Final = object()
"""The value of a record that is removed."""


class Dialect(Protocol):
    """The parts of `app.formats.plain.session.PlainFormat` that writing needs."""

    def made(self, message: Message) -> dict[str, Any]: ...

    def edited(self, value: dict[str, Any], old: Message, new: Message) -> dict[str, Any]: ...

    def edited_elsewhere(self, value: Any, old: Message, new: Message) -> Any: ...

    def stored(self, value: dict[str, Any]) -> dict[str, Any]: ...

    def copies(self, records: PlainRecords, texts: Callable[[], Mapping[str, str]]) -> dict[int, bytes]: ...

    def gone(self, session: Session, rewrite: Rewrite) -> set[int]: ...


class Step(Struct, frozen=True):
    """One value of the new file's list."""

    record: int | None
    """None for a new value."""
    value: Any = None
    """The new value; None to keep the record's bytes."""


class Writer:
    """Plans the new list of messages."""

    def __init__(self, kind: Dialect, session: Session, rewrite: Rewrite, plan: Mending) -> None:
        self._kind = kind
        self._session = session
        self._records = records_of(session)
        self._messages = rewrite.messages
        self._plan = plan
        self._originals = {message.key: message for message in session.messages}
        self._gone = kind.gone(session, rewrite)

    def steps(self) -> Iterator[Step]:
        """Every value of the new list; records that are not live messages keep their place among them."""
        strays = self._strays()
        stray = next(strays, None)
        for step in self._mended() if self._plan.needed else self._unmended():
            while stray is not None and step.record is not None and stray < step.record:
                yield self._kept(stray)
                stray = next(strays, None)
            if step.value is not _GONE:
                yield step
        while stray is not None:
            yield self._kept(stray)
            stray = next(strays, None)

    def _unmended(self) -> Iterator[Step]:
        """The wanted messages; unchanged ones are not read."""
        for message in self._messages:
            original = self._originals.get(message.key)
            if original is None:
                yield Step(None, self._kind.made(message))
            elif original.records[0] < self._records.listed:
                index = original.records[0]
                if same_blocks(message, original):
                    yield self._kept(index)
                else:
                    yield self._said(index, self._kind.edited(self._records.value(index), original, message))

    def _mended(self) -> Iterator[Step]:
        for mended in self._plan.run():
            original = self._originals.get(mended.key) if mended.key is not None else None
            if original is not None:
                index = original.records[0]
                gone = mended.message is None
                yield (
                    Step(index, _GONE) if gone else self._said(index, self._kind.stored(mended.message or {}))
                )
            elif mended.message is not None:
                yield Step(None, self._kind.stored(mended.message))

    def _said(self, index: int, value: dict[str, Any]) -> Step:
        return self._kept(index) if same(self._records.value(index), value) else Step(index, value)

    def _kept(self, index: int) -> Step:
        """An unchanged record; if its bytes are not sound JSON, its value is written in new bytes."""
        sound = not self._records[index].damage or self._records.sound_bytes(index) == self._records.raw(
            index
        )
        return Step(index, None if sound else self._records.value(index))

    def _strays(self) -> Iterator[int]:
        """Listed records that are not live messages but are kept."""
        apart = self._gone.union(message.records[0] for message in self._session.live)
        for index in range(self._records.listed):
            if index not in apart and isinstance(self._records.value(index), dict):
                yield index

    def pieces(self) -> Iterator[Piece]:
        """The steps as pieces of the new file."""
        for step in self.steps():
            if step.record is None:
                yield self._records.new(step.value)
            elif step.value is None:
                yield step.record
            else:
                yield self._records.said(step.record, step.value)

    def elsewhere(self) -> dict[int, bytes]:
        """New bytes of records outside the list whose blocks were changed."""
        changed: dict[int, bytes] = {}
        for message in self._messages:
            original = self._originals.get(message.key)
            if original is None or original.records[0] < self._records.listed:
                continue
            if not same_blocks(message, original):
                index = original.records[0]
                value = self._records.value(index)
                new = self._kind.edited_elsewhere(value, original, message)
                changed[index] = reshape(self._records.raw(index), value, new)
        return changed | self._kind.copies(self._records, self._changed_texts)

    def _changed_texts(self) -> dict[str, str]:
        """The texts of changed or removed results, each with its replacement."""
        now = {block.key: block for message in self._messages for block in message.blocks}
        changed: dict[str, str] = {}
        for message in self._session.live:
            for block in message.blocks:
                new = now.get(block.key)
                if isinstance(block, ToolResult) and new is not block and new != block:
                    changed[text_of(block)] = "" if new is None else text_of(new)
        return changed


class Lines:
    """Looks up the physical lines of messages."""

    def __init__(self, records: PlainRecords, messages: Iterable[Message]) -> None:
        self._records = records
        self._index = {message.key: message.records[0] for message in messages if message.records}

    def of(self, key: str) -> int | None:
        """The 1-based line of the message `key`; None if it has none."""
        index = self._index.get(key)
        return None if index is None else self._records[index].line


def same_blocks(message: Message, original: Message) -> bool:
    """Whether a message's blocks are unchanged."""
    return message is original or message.blocks == original.blocks
