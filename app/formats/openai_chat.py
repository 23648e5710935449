"""Sessions in the form of OpenAI's Chat Completions: a list of messages, a request with its reply, a
trajectory of mini-swe-agent, or one message a line.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from app.formats.markers import boundary_of
from app.formats.plain.chat_blocks import ChatBlockReader
from app.formats.plain.layout import DocumentRecords, PlainRecords
from app.formats.plain.reported import model_of, time_of, usage_of
from app.formats.plain.session import MessageReader, PlainFormat
from app.formats.repairs import Mender, Mending, PairsAnew
from app.formats.splice import items
from app.model import Message, Notice, Record, Role, SendStatus, Text

_ROLES: Final = {
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}


class OpenAIChat(PlainFormat):
    """OpenAI Chat Completions as JSON."""

    name = "openai-chat"
    title = "OpenAI Chat JSON"
    validity = "openai-chat"
    one_text = False

    def _reader(self, records: PlainRecords) -> MessageReader:
        return ChatReader(records)

    def _mender(self) -> Mender:
        # Imported lazily, here and below: a run uses one format.
        from app.formats.plain.chat_repairs import ChatMender

        return ChatMender()

    def _mending(self, records: PlainRecords, pairs: PairsAnew, *, alternate: bool) -> Mending:
        from app.formats.plain.chat_repairs import mend_openai_chat

        return mend_openai_chat(pairs, alternate=alternate)

    def made(self, message: Message) -> dict[str, Any]:
        """A message made from scratch."""
        from app.formats.plain.chat_forms import made_message

        return made_message(message)

    def edited(self, value: dict[str, Any], old: Message, new: Message) -> dict[str, Any]:
        """A record's value with the blocks of `new`."""
        from app.formats.plain.chat_forms import edited_message

        return edited_message(value, old, new)

    def _notices(self, records: PlainRecords) -> Iterable[Notice]:
        count = sum(records[index].kind == "choice" for index in range(records.listed, len(records)))
        if count > 1:
            yield Notice(
                "forked",
                detail=f"{count} choices beside the messages are alternatives: they are shown as branches,"
                " none of them is part of the conversation",
            )


class ChatReader(MessageReader):
    """Reads Chat Completions messages."""

    def __init__(self, records: PlainRecords) -> None:
        super().__init__(records)
        self._blocks = ChatBlockReader(records)

    def message(self, record: Record, value: dict[str, Any]) -> Message:
        return self._message(record, value, (), SendStatus.LIVE)

    def _message(
        self, record: Record, value: dict[str, Any], path: tuple[str | int, ...], standing: SendStatus
    ) -> Message:
        role = _ROLES.get(value["role"])
        blocks = self._blocks.blocks(record, path, value)
        first = blocks[0] if blocks and role is Role.USER else None
        text = self._blocks.text_of(value) if isinstance(first, Text) else ""
        return Message(
            key=record.key,
            role=role or Role.USER,
            blocks=blocks,
            standing=SendStatus.NEVER_SENT if role is None else standing,
            time=time_of(value),
            model=model_of(value) if role is Role.ASSISTANT else None,
            usage=usage_of(value) if role is Role.ASSISTANT else None,
            boundary=boundary_of(text, record.key, record.index),
            records=(record.index,),
        )

    def elsewhere(self) -> Iterable[Message]:
        """The choices of a logged reply: alternatives, none of them selected yet."""
        records = self.records
        span = records.member("choices") if isinstance(records, DocumentRecords) else None
        if span is None or not isinstance(records, DocumentRecords):
            return
        raw = records.source.read(span[0], span[1] - span[0])
        for item in list(items(raw, 0)):
            record = records.add_elsewhere(span[0] + item.start, span[0] + item.end, "choice")
            choice = records.value(record.index)
            message = choice.get("message") if isinstance(choice, dict) else None
            if isinstance(message, dict) and isinstance(message.get("role"), str):
                yield self._message(record, message, ("message",), SendStatus.OFF_BRANCH)
