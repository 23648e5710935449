"""Building the content of pi's entries, from blocks of a conversation or the results of repairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.formats.drafts import Item
from app.formats.pi.log import PiLog
from app.formats.plain.anthropic_blocks import as_object
from app.model import Block, Image, Part, Text, ToolResult, ToolUse

Value = dict[str, Any]


def content_item(log: PiLog, item: Item) -> Value:
    """An item as a block of an entry's content; members that it does not cover are kept."""
    old = value_at(log, item.block)
    if item.value is not None:
        return {**_same_kind(old, item.value), **from_sent(log, item.value, item.block)}
    assert item.block is not None
    if log.original(item.block) is item.block and isinstance(old, dict):
        return old
    form = made_form(item.block)
    return {**_same_kind(old, {"type": form["type"]}), **form}


def _same_kind(old: Any, value: Value) -> Value:
    """The old value, if the new one is of the same kind."""
    kinds = {"tool_use": "toolCall"}
    kind = kinds.get(str(value.get("type")), value.get("type"))
    return old if isinstance(old, dict) and old.get("type") == kind else {}


def value_at(log: PiLog, block: Block | None) -> Any:
    """The JSON value of a block of the file; a bare string as a text block, None for a new block."""
    if block is None or block.place is None:
        return None
    value = log.value(block.place.record)
    for step in block.place.path:
        value = value[step]
    return {"type": "text", "text": value} if isinstance(value, str) and isinstance(block, Text) else value


def made_form(block: Block) -> Value:
    """A text, an image or a call in pi's form; raises TypeError for any other block."""
    match block:
        case Text():
            return {"type": "text", "text": block.content.read()}
        case Image():
            return {"type": "image", "data": block.data.read(), "mimeType": block.media_type}
        case ToolUse():
            arguments = as_object(block.input)
            return {"type": "toolCall", "id": block.id, "name": block.name, "arguments": arguments}
    raise TypeError(f"a {block.kind} block cannot be made anew")


def from_sent(log: PiLog, value: Value, block: Block | None) -> Value:
    """A block of a request as a block of an entry's content."""
    match value["type"]:
        case "image":
            source = value["source"]
            return {"type": "image", "data": source["data"], "mimeType": source["media_type"]}
        case "tool_use":
            ident = value["id"]
            if isinstance(block, ToolUse) and ident == log.safe_ids.get(block.id, block.id):
                ident = block.id
            return {"type": "toolCall", "id": ident, "name": value["name"], "arguments": value["input"]}
    return {"type": "text", "text": value["text"]}


def result_content(log: PiLog, item: Item) -> list[Value]:
    """The content of a tool result."""
    if item.value is None:
        assert isinstance(item.block, ToolResult)
        return part_values(log, item.block.parts)
    content = item.value.get("content", "")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [from_sent(log, part, None) for part in content]


def part_values(log: PiLog, parts: Sequence[Part]) -> list[Value]:
    """The parts of a result; those in the file as they are there."""
    values = []
    for part in parts:
        old = value_at(log, part)
        form = made_form(part)
        kept = isinstance(old, dict) and old.get("type") == form["type"]
        values.append({**old, **form} if kept else form)
    return values


def text_of_item(item: Item, around: tuple[str, str]) -> str:
    """The text of an item without pi's wrapping `around` it."""
    if item.value is not None:
        return str(item.value["text"]).removeprefix(around[0]).removesuffix(around[1])
    assert isinstance(item.block, Text)
    return item.block.content.read()


def words_of(content: Any) -> str:
    """The texts of a content, joined."""
    if isinstance(content, str):
        return content
    items = content if isinstance(content, list) else ()
    texts = (item.get("text") for item in items if isinstance(item, dict))
    return "\n".join(text for text in texts if isinstance(text, str))
