"""Sessions in the form of Anthropic's Messages API: a list of messages, a request, or one message a line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from app.formats.anthropic_repairs import AnthropicMender, mend_anthropic
from app.formats.markers import boundary_of
from app.formats.plain.anthropic_blocks import BlockReader, first_text, form_of, revised_content
from app.formats.plain.layout import DocumentRecords, PlainRecords
from app.formats.plain.reported import model_of, time_of, usage_of
from app.formats.plain.session import MessageReader, PlainFormat
from app.formats.repairs import Mender, Mending, PairsAnew
from app.model import Author, Message, Notice, Record, Role, SendStatus, Text

_ROLES: Final = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM}
_AUTHORS: Final = {Role.USER: Author.USER, Role.ASSISTANT: Author.ASSISTANT, Role.SYSTEM: Author.SYSTEM}

_LONGEST_BESIDE: Final = 16 << 20
"""Bytes of `system` and `tools` up to which they are parsed."""


class Anthropic(PlainFormat):
    """Anthropic Messages as JSON."""

    name = "anthropic"
    title = "Anthropic JSON"
    validity = "anthropic"
    one_text = False

    def _reader(self, records: PlainRecords) -> MessageReader:
        return _Reader(records)

    def _mender(self) -> Mender:
        return AnthropicMender()

    def _mending(self, records: PlainRecords, pairs: PairsAnew, *, alternate: bool) -> Mending:
        return mend_anthropic(
            pairs, outer_marks=_outer_marks(records), alternate=alternate, thinking=_has_thinking_on(records)
        )

    def made(self, message: Message) -> dict[str, Any]:
        """A message made from scratch; thinking cannot be made, so it is left out."""
        role = "assistant" if message.role is Role.ASSISTANT else "user"
        only = message.blocks[0] if len(message.blocks) == 1 else None
        if isinstance(only, Text):
            return {"role": role, "content": only.content.read()}
        forms = [form for block in message.blocks if (form := form_of(block)) is not None]
        return {"role": role, "content": forms}

    def edited(self, value: dict[str, Any], old: Message, new: Message) -> dict[str, Any]:
        """A record's value with the blocks of `new`."""
        return {**value, "content": revised_content(value.get("content"), old.blocks, new.blocks)}

    def edited_elsewhere(self, value: Any, old: Message, new: Message) -> Any:
        """The system prompt with the blocks of `new`."""
        return revised_content(value, old.blocks, new.blocks)

    def _notices(self, records: PlainRecords) -> Iterable[Notice]:
        if _has_thinking_on(records) and _lacks_thinking(records):
            yield Notice(
                "thinking-missing",
                detail="the request has thinking on, but the turn in progress does not begin with it:"
                " the next request needs it off",
            )


class _Reader(MessageReader):
    def __init__(self, records: PlainRecords) -> None:
        super().__init__(records)
        self._blocks = BlockReader(records)

    def message(self, record: Record, value: dict[str, Any]) -> Message:
        role = _ROLES.get(value["role"])
        content = value.get("content")
        standing = SendStatus.NEVER_SENT if role is None else SendStatus.LIVE
        author = _AUTHORS[role] if role is not None else Author.INJECTED
        boundary = boundary_of(first_text(content), record.key, record.index) if role is Role.USER else None
        return Message(
            key=record.key,
            role=role or Role.USER,
            blocks=self._blocks.blocks(record.index, ("content",), content, record.key, author),
            standing=standing,
            time=time_of(value),
            model=model_of(value) if role is Role.ASSISTANT else None,
            usage=usage_of(value) if role is Role.ASSISTANT else None,
            boundary=boundary,
            records=(record.index,),
        )

    def elsewhere(self) -> Iterable[Message]:
        """The system prompt, which is outside the list of messages."""
        records = self.records
        span = records.member("system") if isinstance(records, DocumentRecords) else None
        if span is None or not isinstance(records, DocumentRecords):
            return
        record = records.add_elsewhere(*span, "system")
        value = records.value(record.index)
        blocks = self._blocks.blocks(record.index, (), value, record.key, Author.SYSTEM)
        if blocks:
            yield Message(record.key, Role.SYSTEM, blocks, records=(record.index,))


def _beside(records: PlainRecords, key: str) -> Any:
    return records.member_value(key, _LONGEST_BESIDE) if isinstance(records, DocumentRecords) else None


def _outer_marks(records: PlainRecords) -> int:
    """The number of `cache_control` marks in the system prompt and the tools."""
    beside = (_beside(records, key) for key in ("system", "tools"))
    holders = [item for listed in beside if isinstance(listed, list) for item in listed]
    return sum(isinstance(holder, dict) and holder.get("cache_control") is not None for holder in holders)


def _has_thinking_on(records: PlainRecords) -> bool:
    thinking = _beside(records, "thinking")
    return isinstance(thinking, dict) and thinking.get("type") == "enabled"


def _lacks_thinking(records: PlainRecords) -> bool:
    """Whether the newest assistant message, already answered, does not begin with thinking."""
    for index in range(records.listed - 1, -1, -1):
        value = records.value(index)
        if not isinstance(value, dict):
            continue
        content = value.get("content")
        first = content[0] if isinstance(content, list) and content else None
        kind = first.get("type") if isinstance(first, dict) else None
        if value.get("role") == "assistant":
            return kind not in ("thinking", "redacted_thinking")
        if kind != "tool_result":
            return False
    return False
