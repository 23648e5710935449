"""Conversations in the form of the Gemini API: a list of contents, a request, or one content a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from app.formats.contents.names import ROLES
from app.formats.markers import boundary_of
from app.formats.plain.layout import DocumentRecords, PlainRecords, open_records
from app.formats.plain.reported import model_of, time_of, usage_of
from app.formats.plain.session import MessageReader, PlainFormat
from app.formats.plain.sniffing import first_look
from app.formats.repairs import Mender, Mending, PairsAnew
from app.formats.source import Source
from app.model import Author, Message, Record, Role, SendStatus, Text

_LISTS: Final = ("contents", "history")
"""The name of the list of contents in a request, and in a file that `/chat save` writes."""

_SYSTEM: Final = ("systemInstruction", "system_instruction")


class GeminiJson(PlainFormat):
    """Gemini contents as JSON."""

    name = "gemini"
    title = "Gemini JSON"
    validity = "gemini"
    one_text = False

    def sniff(self, source: Source) -> bool:
        """Whether the content is a list of contents with parts."""
        return _list_in(source) is not None

    def _open(self, source: Source) -> PlainRecords:
        return open_records(source, _list_in(source) or _LISTS[0])

    def _reader(self, records: PlainRecords) -> MessageReader:
        return _Reader(records)

    def _mender(self) -> Mender:
        # Imported lazily, here and below: a run uses one format.
        from app.formats.contents.repairs import ContentsMender

        return ContentsMender(join=True)

    def _mending(self, records: PlainRecords, pairs: PairsAnew, *, alternate: bool) -> Mending:
        from app.formats.contents.repairs import mend_contents

        return mend_contents(pairs, join=True)

    def made(self, message: Message) -> dict[str, Any]:
        """A message made from scratch."""
        from app.formats.contents.forms import made_content

        return made_content(message)

    def edited(self, value: dict[str, Any], old: Message, new: Message) -> dict[str, Any]:
        """A record's value with the blocks of `new`."""
        from app.formats.contents.forms import edited_parts

        parts = value.get("parts")
        items = parts if isinstance(parts, list) else [parts]
        return {**value, "parts": edited_parts(items, old.blocks, new.blocks)}

    def edited_elsewhere(self, value: Any, old: Message, new: Message) -> Any:
        """The system instruction with the blocks of `new`; a string stays a string."""
        return self.edited(value, old, new) if isinstance(value, dict) else value


class _Reader(MessageReader):
    def __init__(self, records: PlainRecords) -> None:
        from app.formats.contents.parts import PartReader

        super().__init__(records)
        self._parts = PartReader(records)

    def message(self, record: Record, value: dict[str, Any]) -> Message:
        said = value["role"] == "model"
        author = Author.ASSISTANT if said else Author.USER
        blocks = self._parts.blocks(record.index, ("parts",), value.get("parts"), record.key, author)
        first = blocks[0] if blocks and not said else None
        text = first.content.preview if isinstance(first, Text) else ""
        return Message(
            key=record.key,
            role=Role.ASSISTANT if said else Role.USER,
            blocks=blocks,
            standing=SendStatus.LIVE if value["role"] in ROLES else SendStatus.NEVER_SENT,
            time=time_of(value),
            model=model_of(value) if said else None,
            usage=usage_of(value) if said else None,
            boundary=boundary_of(text, record.key, record.index),
            records=(record.index,),
        )

    def elsewhere(self) -> Iterable[Message]:
        """The system instruction, which is outside the list of contents."""
        records = self.records
        for name in _SYSTEM:
            span = records.member(name) if isinstance(records, DocumentRecords) else None
            if span is not None and isinstance(records, DocumentRecords):
                yield from self._instruction(records.add_elsewhere(*span, "system"))

    def _instruction(self, record: Record) -> Iterator[Message]:
        value = self.records.value(record.index)
        held = isinstance(value, dict)
        parts, path = (value.get("parts"), ("parts",)) if held else (value, ())
        blocks = self._parts.blocks(record.index, path, parts, record.key, Author.SYSTEM)
        if blocks:
            yield Message(record.key, Role.SYSTEM, blocks, records=(record.index,))


def _list_in(source: Source) -> str | None:
    """The name of the list of contents (any of them for a list at the root); None if there is no list."""
    for name in _LISTS:
        look = first_look(source, name)
        contents = [value for value in look.values if isinstance(value, dict)]
        good = sum(value.get("role") in ROLES and "parts" in value for value in contents if _has_word(value))
        if look.shape is not None and good and good * 2 >= len(contents):
            return name
    return None


def _has_word(value: dict[str, Any]) -> bool:
    return isinstance(value.get("role"), str)
