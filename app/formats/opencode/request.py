"""Building the request that the client would send, in the form of the Messages API.

The client supports any provider, and a tool call and its result are one part of a message, so what is
checked and repaired here are the rules of all providers. Thinking is not included.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from app.formats.drafts import Outgoing
from app.formats.opencode.names import ASKED
from app.formats.plain.anthropic_blocks import as_object
from app.model import (
    Author,
    Block,
    Held,
    Image,
    Message,
    Opaque,
    Role,
    Session,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
)

Value = dict[str, Any]

_DATA = re.compile(r"data:([^;,]*)[^,]*,(.*)", re.DOTALL)


def as_sent(messages: Sequence[Message]) -> list[Message]:
    """The messages as a file of this format can hold them: a new summary first, after a user message."""
    at = next((n for n, message in enumerate(messages) if is_made_summary(message)), None)
    if at is None:
        return list(messages)
    summary = messages[at]
    asked = Text(f"{summary.key}/asked:0", Held(ASKED), Author.INJECTED)
    question = Message(f"{summary.key}/asked", Role.USER, (asked,), boundary=summary.boundary)
    told = replace(summary, role=Role.ASSISTANT, boundary=None)
    return [question, told, *messages[:at], *messages[at + 1 :]]


def is_made_summary(message: Message) -> bool:
    """Whether a message is new and replaces what a boundary hides."""
    return not message.records and message.boundary is not None and message.boundary.hides


class Sender:
    """Converts a session's messages (kept, changed and new ones) to the provider's form."""

    def __init__(self, session: Session) -> None:
        self._originals = {block.key: block for message in session.messages for block in message.blocks}

    def original(self, block: Block) -> Block | None:
        """The original block in the file of a block that may have been changed; None for a new one."""
        return None if block.place is None else self._originals.get(block.key)

    def outgoing(self, messages: Sequence[Message]) -> Iterator[Outgoing]:
        """The messages of the request: consecutive ones of the user are joined."""
        run: list[Message] = []
        for message in as_sent(messages):
            if not any(map(_is_shown, message.blocks)):
                continue
            if run and not (_is_users(run[-1]) and _is_users(message)):
                yield self._joined(run)
                run = []
            run.append(message)
        if run:
            yield self._joined(run)

    def pairs(self, messages: Sequence[Message]) -> Iterator[tuple[str, Value]]:
        """Each message's key with the message in the provider's form."""
        for sent in self.outgoing(messages):
            content = [self.value_of(message, block) for message, block in sent.items]
            yield sent.key, {"role": str(sent.role), "content": content}

    @staticmethod
    def value_of(_: Message, block: Block) -> Value:
        """A block in the provider's form."""
        match block:
            case Text():
                return {"type": "text", "text": block.content.read()}
            case ToolUse():
                given = as_object(block.input)
                return {"type": "tool_use", "id": block.id, "name": block.name, "input": given}
            case ToolResult():
                return _result(block)
        return _file(block)

    @staticmethod
    def _joined(run: Sequence[Message]) -> Outgoing:
        items = [(message, block) for message in run for block in message.blocks if _is_shown(block)]
        role = Role.USER if _is_users(run[0]) else Role.ASSISTANT
        if role is Role.USER:
            items.sort(key=lambda item: not isinstance(item[1], ToolResult))
        return Outgoing(run[0].key, role, tuple(items))


def _is_shown(block: Block) -> bool:
    """Whether a block is in the request: not thinking, which is sent in a form of its own."""
    return not isinstance(block, Thinking) and not (isinstance(block, Text) and block.content.chars == 0)


def _result(block: ToolResult) -> Value:
    words, files = said(block), [_file(part) for part in block.parts if not isinstance(part, Text)]
    told = [{"type": "text", "text": words}] if words else []
    content: Any = [*told, *files] if files else words
    form = {"type": "tool_result", "tool_use_id": block.tool_use_id, "content": content}
    return {**form, "is_error": True} if block.is_error else form


def said(result: ToolResult) -> str:
    """The text of a result, which a file holds as one text, with attached files after it."""
    texts = (part.content.read() for part in result.parts if isinstance(part, Text))
    return "\n".join(filter(None, texts))


def _is_users(message: Message) -> bool:
    return message.role is not Role.ASSISTANT


def _file(block: Block) -> Value:
    """An attached file; one of a type that only some providers accept is replaced by its name."""
    match block:
        case Image():
            found = _DATA.fullmatch(block.data.read())
            if found is None:
                return {"type": "image", "source": {"type": "url", "url": block.data.read()}}
            source = {"type": "base64", "media_type": found[1] or block.media_type, "data": found[2]}
            return {"type": "image", "source": source}
        case Opaque() if isinstance(value := block.content.value(), dict):
            return {
                "type": "text",
                "text": f"[Attached {value.get('mime')}: {value.get('filename') or 'file'}]",
            }
        case Opaque():
            return {"type": "text", "text": block.content.read()}
    return {"type": "text", "text": ""}
