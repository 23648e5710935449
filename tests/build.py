"""Small conversations for tests: messages of the model with held content, written in one line each.

    conversation(
        user("Fix the login."),
        assistant(thinking("The cookie."), use("r1", "Read", {"file_path": "a.py"})),
        user(result("r1", "x = 1")),
        assistant("Done."),
    )

Keys that a test does not give are made by `conversation`: messages are `m1`, `m2` ..., their blocks
`m1/0`, `m1/1` ..., the parts of a result `m2/0/0` ...
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from app.model import (
    Author,
    Block,
    Boundary,
    Held,
    HeldValue,
    Image,
    Message,
    Opaque,
    Part,
    Role,
    SendStatus,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
    Usage,
)

Messages = tuple[Message, ...]

_PATH_ARGUMENTS = ("file_path", "path", "filePath", "absolute_path", "notebook_path")


def conversation(*messages: Message) -> Messages:
    """The messages with every empty key filled in."""
    return tuple(_with_keys(message, f"m{n}") for n, message in enumerate(messages, 1))


def user(
    *blocks: str | Block, key: str = "", time: float | None = None, standing: SendStatus = SendStatus.LIVE
) -> Message:
    """A user message; a string is a text typed by the person."""
    return Message(key, Role.USER, _blocks(blocks, Author.USER), standing, time)


def injected(
    *blocks: str | Block, key: str = "", time: float | None = None, standing: SendStatus = SendStatus.LIVE
) -> Message:
    """A user message whose texts the client put there."""
    return Message(key, Role.USER, _blocks(blocks, Author.INJECTED), standing, time)


def assistant(
    *blocks: str | Block,
    key: str = "",
    time: float | None = None,
    standing: SendStatus = SendStatus.LIVE,
    usage: Usage | None = None,
    model: str | None = None,
) -> Message:
    """An assistant message; a string is a text."""
    return Message(key, Role.ASSISTANT, _blocks(blocks, Author.ASSISTANT), standing, time, model, usage)


def tool(*blocks: Block, key: str = "", time: float | None = None) -> Message:
    """OpenAI Chat's result message."""
    return Message(key, Role.TOOL, _blocks(blocks, Author.INJECTED), time=time)


def system(text: str, *, key: str = "") -> Message:
    """A system prompt."""
    return Message(key, Role.SYSTEM, _blocks((text,), Author.SYSTEM))


def summary(text: str, *, boundary: Boundary | None = None, key: str = "") -> Message:
    """A summary behind a boundary."""
    made = boundary or Boundary(key="boundary", trigger="manual", strategy="test")
    return Message(key, Role.USER, _blocks((text,), Author.SUMMARY), boundary=made)


def use(
    id: str,  # noqa: A002 - the block's own word
    name: str,
    arguments: Mapping[str, Any] | str | None = None,
    *,
    key: str = "",
    path: str | None = None,
    server: bool = False,
) -> ToolUse:
    """A call. Its path is taken from the arguments where they name one under a usual name."""
    data = {} if arguments is None else arguments
    if path is None and isinstance(data, Mapping):
        path = next((data[n] for n in _PATH_ARGUMENTS if isinstance(data.get(n), str)), None)
    return ToolUse(key, id, name, HeldValue(data if isinstance(data, str) else dict(data)), path, server)


def result(
    id: str,  # noqa: A002 - the block's own word
    *parts: str | Part,
    key: str = "",
    error: bool = False,
    server: bool = False,
    user_words: bool = False,
    cleared_live: bool = False,
) -> ToolResult:
    """What a call gave back; a string is a text part, several stay several."""
    made = tuple(Text("", Held(part), Author.INJECTED) if isinstance(part, str) else part for part in parts)
    return ToolResult(key, id, made, error, server, cleared_live, user_words)


def thinking(text: str, *, key: str = "", signature_chars: int = 128, redacted: bool = False) -> Thinking:
    """A model's thinking, sealed as providers do."""
    return Thinking(key, Held(text), signature_chars, redacted)


def image(data: str = "iVBORw0KGgo=", *, key: str = "", media_type: str = "image/png") -> Image:
    """A picture, for a message or as a part of a result."""
    return Image(key, Held(data), media_type)


def opaque(type: str, text: str = "{}", *, key: str = "") -> Opaque:  # noqa: A002 - the block's own word
    """A block of a type that nobody reads."""
    return Opaque(key, type, Held(text))


def off(message: Message, standing: SendStatus) -> Message:
    """The same message standing elsewhere: before the boundary, on a sidechain ..."""
    return replace(message, standing=standing)


def from_anthropic(source: Path | Sequence[Mapping[str, Any]]) -> Messages:
    """A list of messages in Anthropic's JSON, or a file that holds one or a whole request, as a conversation.

    A convenience for tests of what stands above the formats: every text of a user message is the
    person's, nothing is repaired, and block types beyond the usual six become opaque ones.
    """
    data = json.loads(source.read_text("utf-8")) if isinstance(source, Path) else source
    data = data["messages"] if isinstance(data, Mapping) else data
    return conversation(*(_from_anthropic(message) for message in data))


def _from_anthropic(message: Mapping[str, Any]) -> Message:
    content = message["content"]
    raw = [{"type": "text", "text": content}] if isinstance(content, str) else content
    blocks = [_block_from_anthropic(block, message["role"]) for block in raw]
    return assistant(*blocks) if message["role"] == "assistant" else user(*blocks)


def _block_from_anthropic(block: Mapping[str, Any], role: str) -> Block:
    match block["type"]:
        case "text":
            return Text("", Held(block["text"]), Author.ASSISTANT if role == "assistant" else Author.USER)
        case "thinking":
            return thinking(block["thinking"], signature_chars=len(block.get("signature", "")))
        case "tool_use" | "server_tool_use" as kind:
            return use(block["id"], block["name"], block["input"], server=kind != "tool_use")
        case "tool_result":
            inner = block.get("content", ())
            parts = [inner] if isinstance(inner, str) else [_part_from_anthropic(part) for part in inner]
            return result(block["tool_use_id"], *parts, error=bool(block.get("is_error")))
        case "image":
            return image(block["source"].get("data", ""), media_type=block["source"].get("media_type", ""))
        case other:
            return opaque(other, json.dumps(block))


def _part_from_anthropic(part: Mapping[str, Any]) -> str | Part:
    made = part["text"] if part["type"] == "text" else _block_from_anthropic(part, "user")
    return made if isinstance(made, str | Text | Image) else opaque(part["type"], json.dumps(part))


def _blocks(blocks: Sequence[str | Block], author: Author) -> tuple[Block, ...]:
    return tuple(Text("", Held(block), author) if isinstance(block, str) else block for block in blocks)


def _with_keys(message: Message, key: str) -> Message:
    key = message.key or key
    blocks = tuple(_keyed(block, f"{key}/{n}") for n, block in enumerate(message.blocks))
    return replace(message, key=key, blocks=blocks)


def _keyed(block: Block, key: str) -> Block:
    key = block.key or key
    if not isinstance(block, ToolResult):
        return replace(block, key=key)
    parts = tuple(part if part.key else replace(part, key=f"{key}/{n}") for n, part in enumerate(block.parts))
    return replace(block, key=key, parts=parts)
