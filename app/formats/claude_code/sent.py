"""The conversation in the form in which the client sends it, and blocks as JSON values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.formats.store import Stored
from app.model import (
    Author,
    Block,
    Content,
    Image,
    Message,
    Opaque,
    Part,
    Records,
    Role,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
)

Value = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One message of a request: user messages that follow each other are sent as one."""

    key: str
    role: Role
    items: tuple[tuple[Message, Block], ...]
    """The blocks in the order they are sent, each with the message of the session it is of."""


def outgoing(messages: Sequence[Message]) -> Iterator[Outgoing]:
    """The messages of the request that these make; those without a block are left out."""
    run: list[Message] = []
    for message in messages:
        if not message.blocks:
            continue
        if run and not (run[-1].role is message.role is Role.USER):
            yield _joined(run)
            run = []
        run.append(message)
    if run:
        yield _joined(run)


def _joined(run: Sequence[Message]) -> Outgoing:
    items = [(message, block) for message in run for block in message.blocks]
    if run[0].role is Role.USER:
        items.sort(key=lambda item: rank(item[1]))
    return Outgoing(run[0].key, run[0].role, tuple(items))


def rank(block: Block) -> int:
    """The client moves results to the front of a user message and attachments before the words."""
    if isinstance(block, ToolResult):
        return 0
    if isinstance(block, Text) and block.author is Author.SUMMARY:
        return 1
    return 2 if block.place is not None and is_attachment(block) else 3


def is_attachment(block: Block) -> bool:
    """Whether a block comes from an attachment record."""
    return block.place is not None and block.place.path[0] != "message"


def pairs(records: Records, messages: Sequence[Message]) -> Iterator[tuple[str, Value]]:
    """Each message's key with the message in the provider's form; contents are lists."""
    for sent in outgoing(messages):
        content = [value_of(block, records) for _, block in sent.items]
        yield sent.key, {"role": str(sent.role), "content": content}


def value_of(block: Block | Part, records: Records) -> Any:
    """A block as JSON: the file's own value when nobody changed it, else with the changes in it."""
    base = at_place(block, records)
    if not isinstance(base, dict):
        return base if base is not None and isinstance(block, Opaque) else _made(block)
    match block:
        case Text():
            return (
                base
                if _is_stored(block.content)
                else {**_of_type(base, "text"), "text": block.content.read()}
            )
        case ToolUse():
            return _changed_call(block, base)
        case ToolResult():
            return _changed_result(block, base, records)
        case Image():
            return base if _is_stored(block.data) else {**_of_type(base, "image"), "source": _source(block)}
    return base


def at_place(block: Block | Part, records: Records) -> Any:
    """The JSON value at a block's place; a bare string as a text block, None for a made block."""
    if block.place is None:
        return None
    value = records.value(block.place.record)
    for step in block.place.path:
        value = value[step]
    return {"type": "text", "text": value} if isinstance(value, str) and isinstance(block, Text) else value


def _is_stored(content: Content) -> bool:
    return isinstance(content, Stored)


def _of_type(base: Value, kind: str) -> Value:
    return base if base.get("type") == kind else {"type": kind}


def _changed_call(block: ToolUse, base: Value) -> Value:
    changes: Value = {}
    if block.id != str(base.get("id", "")):
        changes["id"] = block.id
    if block.name != str(base.get("name", "")):
        changes["name"] = block.name
    if not _is_stored(block.input):
        changes["input"] = block.input.value()
    return {**base, **changes} if changes else base


def _changed_result(block: ToolResult, base: Value, records: Records) -> Value:
    changes: Value = {}
    if block.tool_use_id != str(base.get("tool_use_id", "")):
        changes["tool_use_id"] = block.tool_use_id
    if block.is_error != (base.get("is_error") is True):
        changes["is_error"] = block.is_error
    if not _same_parts(block.parts, base.get("content")):
        changes["content"] = _content_of(block.parts, records)
    return {**base, **changes} if changes else base


def _same_parts(parts: Sequence[Part], content: Any) -> bool:
    """Whether parts are those that the file has."""
    number = len(content) if isinstance(content, list) else int(content is not None)
    return len(parts) == number and all(
        part.place is not None
        and part.place.path[-1] in (position, "content")
        and _is_stored(part.data if isinstance(part, Image) else part.content)
        for position, part in enumerate(parts)
    )


def _content_of(parts: Sequence[Part], records: Records) -> Any:
    if len(parts) == 1 and isinstance(parts[0], Text):
        return parts[0].content.read()
    return [value_of(part, records) for part in parts]


def _made(block: Block | Part) -> Value:
    """A block that is not in the file."""
    match block:
        case Text():
            return {"type": "text", "text": block.content.read()}
        case Thinking():
            return {"type": "thinking", "thinking": block.content.read(), "signature": ""}
        case ToolUse():
            return {"type": "tool_use", "id": block.id, "name": block.name, "input": block.input.value()}
        case ToolResult():
            value: Value = {"type": "tool_result", "tool_use_id": block.tool_use_id}
            if block.parts:
                value["content"] = (
                    block.parts[0].content.read()
                    if len(block.parts) == 1 and isinstance(block.parts[0], Text)
                    else [_made(part) for part in block.parts]
                )
            return {**value, "is_error": True} if block.is_error else value
        case Image():
            return {"type": "image", "source": _source(block)}
        case Opaque():
            value = block.content.value()
            return (
                value
                if isinstance(value, dict)
                else {"type": block.type or "text", "text": block.content.read()}
            )


def _source(image: Image) -> Mapping[str, Any]:
    if image.media_type:
        return {"type": "base64", "media_type": image.media_type, "data": image.data.read()}
    return {"type": "url", "url": image.data.read()}
