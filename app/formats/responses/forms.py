"""Writing items in the provider's form: from scratch, or by editing a record's value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias

from app.formats.responses.blocks import answer_of, given_of, text_key
from app.formats.responses.names import ANSWERED_BY, OUTPUTS, kind_of
from app.model import Author, Block, Image, JsonPath, Message, Opaque, Part, Role, Text, ToolResult, ToolUse

Item: TypeAlias = dict[str, Any]

_ROLES: Final = {
    Role.SYSTEM: "developer",
    Role.USER: "user",
    Role.ASSISTANT: "assistant",
    Role.TOOL: "user",
}


def made_items(message: Message, blocks: Sequence[Block]) -> Iterator[Item]:
    """Items for new blocks of `message`; thinking cannot be made, so it is left out.

    A marker gets the role developer: with the role user it would count as a turn of its own.
    """
    said: list[Part] = []
    role = _role(message, blocks)
    for block in blocks:
        if isinstance(block, Text | Image) or (isinstance(block, Opaque) and not _is_item(block)):
            said.append(block)
            continue
        if said:
            yield message_item(role, said)
            said = []
        if (item := _alone(block)) is not None:
            yield item
    if said:
        yield message_item(role, said)


def message_item(role: str, parts: Sequence[Part]) -> Item:
    """A message item of new parts."""
    return {"type": "message", "role": role, "content": [made_part(part, role) for part in parts]}


def text_item(role: str, text: str) -> Item:
    """A message item of one text."""
    return {"type": "message", "role": role, "content": [{"type": _text_type(role), "text": text}]}


def made_part(part: Part, role: str) -> Any:
    """A new part of a message or an output."""
    match part:
        case Text():
            return {"type": _text_type(role), "text": part.content.read()}
        case Image():
            return {"type": "input_image", "image_url": _url(part)}
        case Opaque():
            value = part.content.value()
            return (
                value if isinstance(value, dict) else {"type": _text_type(role), "text": part.content.read()}
            )


def edited_item(value: Item, place: JsonPath, old: Sequence[Block], new: Sequence[Block]) -> Item:
    """The item at `place` with the blocks `new` instead of `old`; unchanged parts are the same objects."""
    if old and old[0].place is not None and old[0].place.path == place:
        return _edited_whole(value, old[0], new)
    content = value.get("content")
    role = str(value.get("role", "user"))
    parts = content if isinstance(content, list) else [{"type": _text_type(role), "text": content}]
    known = {block.key: number for number, block in enumerate(old)}
    edited = [_edited_part(block, parts, old, known, role) for block in new]
    only = edited[0] if len(edited) == 1 and isinstance(content, str) else None
    plain = only is not None and set(only) == {"type", "text"}
    return {**value, "content": only["text"] if plain and only is not None else edited}


def _edited_part(
    block: Block, parts: Sequence[Any], old: Sequence[Block], known: dict[str, int], role: str
) -> Any:
    number = known.get(block.key)
    if not isinstance(block, Text | Image | Opaque):
        return {"type": _text_type(role), "text": ""}
    if number is None:
        return made_part(block, role)
    part = parts[number]
    if block is old[number] or block == old[number] or not isinstance(part, dict):
        return part
    if isinstance(block, Text) and isinstance(old[number], Text):
        return {**part, text_key(part): block.content.read()}
    return made_part(block, role)


def _edited_whole(value: Item, old: Block, new: Sequence[Block]) -> Item:
    block = next((b for b in new if b.key == old.key), None)
    if block is None or block == old:
        return value
    kind = kind_of(value)
    if kind in ANSWERED_BY and isinstance(block, ToolUse) and isinstance(old, ToolUse):
        return _edited_call(value, kind, old, block)
    if kind in OUTPUTS and isinstance(block, ToolResult) and isinstance(old, ToolResult):
        return _edited_output(value, kind, old, block)
    return _alone(block) or text_item("assistant", block.content.read() if isinstance(block, Text) else "")


def _edited_call(value: Item, kind: str, old: ToolUse, new: ToolUse) -> Item:
    changes: Item = {}
    if new.input is not old.input:
        as_text = kind in ("function_call", "custom_tool_call")
        changes[given_of(kind)] = new.input.read() if as_text else new.input.value()
    if new.id != old.id:
        changes["call_id"] = new.id
    if new.name != old.name:
        changes["name"] = new.name
    return {**value, **changes} if changes else value


def _edited_output(value: Item, kind: str, old: ToolResult, new: ToolResult) -> Item:
    changes: Item = {}
    if new.tool_use_id != old.tool_use_id:
        changes["call_id"] = new.tool_use_id
    if new.parts != old.parts:
        member = answer_of(kind)
        changes[member] = [] if member == "tools" else _edited_answer(value.get(member), old.parts, new.parts)
    return {**value, **changes} if changes else value


def _edited_answer(answer: Any, old: Sequence[Part], new: Sequence[Part]) -> Any:
    only = new[0] if len(new) == 1 else None
    if isinstance(only, Text) and (not isinstance(answer, list) or only not in old):
        text = only.content.read()
        return {**answer, "content": text} if isinstance(answer, dict) and "content" in answer else text
    parts = answer if isinstance(answer, list) else [{"type": "input_text", "text": answer}]
    known = {part.key: number for number, part in enumerate(old)}
    return [_edited_part(part, parts, old, known, "user") for part in new]


def _alone(block: Block) -> Item | None:
    """An item of its own for a new block; None if none can be made."""
    match block:
        case ToolUse():
            return {
                "type": "function_call", "call_id": block.id, "name": block.name,
                "arguments": block.input.read(),
            }  # fmt: skip
        case ToolResult():
            content = _edited_answer("", (), block.parts) if block.parts else ""
            return {"type": "function_call_output", "call_id": block.tool_use_id, "output": content}
        case Opaque() if isinstance(value := block.content.value(), dict):
            return value
        case Text():
            return text_item("assistant", block.content.read())
    return None


def _role(message: Message, blocks: Sequence[Block]) -> str:
    marks = any(isinstance(block, Text) and block.author is Author.MARKER for block in blocks)
    hides = message.boundary is not None and message.boundary.hides
    return "developer" if marks and not hides else _ROLES[message.role]


def _is_item(block: Opaque) -> bool:
    value = block.content.value()
    return isinstance(value, dict) and not kind_of(value).startswith(("input_", "output_"))


def _text_type(role: str) -> str:
    return "output_text" if role == "assistant" else "input_text"


def _url(image: Image) -> str:
    data = image.data.read()
    inline = image.media_type and not data.startswith("data:")
    return f"data:{image.media_type};base64,{data}" if inline else data
