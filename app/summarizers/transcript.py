"""A conversation as text: for a model to summarise, for checking a summary, and for a file that keeps it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from app.formats.splice import encode
from app.model import Block, Content, Image, Message, Opaque, Text, Thinking, ToolResult, ToolUse, text_of


def as_text(messages: Iterable[Message], *, thinking: bool = False) -> str:
    """The conversation as a person would read it; pictures are only named, thinking is left out."""
    return "\n\n".join(_paragraphs(messages, thinking))


def clipped(text: str, limit: int, *, head: int) -> str:
    """A text over `limit` code points as the first `head` of them and the last of the others."""
    if len(text) <= limit:
        return text
    left_out = f"[... {len(text) - limit:,} characters left out ...]"
    return "\n\n".join(filter(None, (text[:head], left_out, text[len(text) - (limit - head) :])))


def as_json_lines(messages: Iterable[Message]) -> str:
    """Every message as a JSON object on a line of its own, with all its blocks."""
    return "".join(f"{encode(_message_form(message)).decode()}\n" for message in messages)


def _paragraphs(messages: Iterable[Message], thinking: bool) -> Iterator[str]:
    for message in messages:
        for block in message.blocks:
            match block:
                case Text():
                    yield f"[{message.role}]\n{block.content.read()}"
                case Thinking():
                    if thinking and block.content.chars:
                        yield f"[thinking]\n{block.content.read()}"
                case ToolUse():
                    yield f"[call of {block.name}]\n{block.input.read()}"
                case ToolResult():
                    yield f"[{'failed result' if block.is_error else 'result'}]\n{_result_text(block)}"
                case Image():
                    yield f"[picture {block.media_type}]".replace(" ]", "]")
                case Opaque():
                    yield f"[{block.type or 'unknown block'}]"


def _result_text(result: ToolResult) -> str:
    pictures = sum(isinstance(part, Image) for part in result.parts)
    return text_of(result) + "[picture]" * pictures


def _message_form(message: Message) -> dict[str, Any]:
    return {"role": str(message.role), "content": [_form(block) for block in message.blocks]}


def _form(block: Block) -> Any:
    match block:
        case Text():
            return {"type": "text", "text": block.content.read()}
        case Thinking():
            return {"type": "thinking", "thinking": block.content.read()}
        case ToolUse():
            return {"type": "tool_use", "id": block.id, "name": block.name, "input": _value(block.input)}
        case ToolResult():
            parts = [_form(part) for part in block.parts]
            form = {"type": "tool_result", "tool_use_id": block.tool_use_id, "content": parts}
            return {**form, "is_error": True} if block.is_error else form
        case Image():
            source = {"type": "base64", "media_type": block.media_type, "data": _value(block.data)}
            return {"type": "image", "source": source}
        case Opaque():
            return _value(block.content)


def _value(content: Content) -> Any:
    try:
        return content.value()
    except (ValueError, RecursionError):
        return content.read()
