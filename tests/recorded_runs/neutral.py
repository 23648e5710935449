"""The recordings' neutral messages as ours, and back."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from app.model import (
    Author,
    Block,
    Boundary,
    Content,
    Held,
    HeldValue,
    Image,
    Message,
    Opaque,
    Part,
    Role,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
)
from app.stages.base import Messages, PlannedFile

Json = dict[str, Any]
Params = Mapping[str, Any]
Run: TypeAlias = Callable[[Params, Sequence[Json]], Json]
"""One stage of one recording: params and neutral messages to `{messages, report, files}`."""


def answer(messages: Messages, report: Json, files: Sequence[PlannedFile] = ()) -> Json:
    """What a run gives back, in the recordings' form."""
    return {
        "messages": from_model(messages),
        "report": report,
        "files": [{"path": file.path, "text": file.text} for file in files],
    }


def to_model(messages: Sequence[Json]) -> Messages:
    """The recording's messages as ours."""
    return tuple(_message(i, message) for i, message in enumerate(messages))


def _message(i: int, message: Json) -> Message:
    meta = message.get("meta") or {}
    role = Role(message["role"])
    boundary = Boundary(key=f"b{i}", trigger="auto") if meta.get("boundary") else None
    content = message.get("content") or []
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    author = Author.INJECTED if meta.get("synthetic") else _AUTHORS[role]
    blocks = tuple(_block(f"{i}:{j}", block, author) for j, block in enumerate(content))
    return Message(str(i), role, blocks, boundary=boundary)


_AUTHORS = {
    Role.USER: Author.USER,
    Role.ASSISTANT: Author.ASSISTANT,
    Role.SYSTEM: Author.SYSTEM,
    Role.TOOL: Author.INJECTED,
}


def _block(key: str, block: Json, author: Author) -> Block:
    match block["type"]:
        case "text":
            return Text(key, Held(block["text"]), author)
        case "thinking":
            return Thinking(key, Held(block["thinking"]))
        case "tool_use":
            return ToolUse(key, block["id"], block["name"], HeldValue(block["input"]))
        case "tool_result":
            parts = block.get("content")
            if isinstance(parts, str):
                parts = [{"type": "text", "text": parts}] if parts else []
            made = tuple(_part(f"{key}/{k}", part) for k, part in enumerate(parts or []))
            return ToolResult(key, block["tool_use_id"] or "", made, bool(block.get("is_error")))
        case _:
            return _part(key, block)


def _part(key: str, part: Json) -> Part:
    if part["type"] == "text":
        return Text(key, Held(part["text"]), Author.INJECTED)
    if part["type"] == "image":
        return Image(key, HeldValue(part["source"]))
    return Opaque(key, part["type"], HeldValue(part))


def from_model(messages: Messages) -> list[Json]:
    """Our messages as the recording's."""
    return [
        {"role": str(message.role), "content": [_neutral(block) for block in message.blocks]}
        for message in messages
    ]


def _neutral(block: Block) -> Json:
    match block:
        case Text():
            return {"type": "text", "text": block.content.read()}
        case Thinking():
            return {"type": "thinking", "thinking": block.content.read()}
        case ToolUse():
            return {"type": "tool_use", "id": block.id, "name": block.name, "input": _value(block.input)}
        case ToolResult():
            neutral: Json = {
                "type": "tool_result",
                "tool_use_id": block.tool_use_id or None,
                "content": [_neutral(part) for part in block.parts],
            }
            return {**neutral, "is_error": True} if block.is_error else neutral
        case Image():
            return {"type": "image", "source": block.data.value()}
        case _:
            return dict(json.loads(block.content.read()))


def _value(content: Content) -> Any:
    return content.value()
