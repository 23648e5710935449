"""Writing Chat Completions messages in the provider's form: from scratch, or by editing a record's value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from app.formats.plain.anthropic_blocks import as_word, kind_of
from app.model import Block, Image, Message, Opaque, Part, Role, Text, ToolResult, ToolUse


def made_message(message: Message) -> dict[str, Any]:
    """A new message in the provider's form; it does not contain thinking."""
    if message.role is Role.TOOL:
        result = next((block for block in message.blocks if isinstance(block, ToolResult)), None)
        parts = result.parts if result else ()
        ident = result.tool_use_id if result else ""
        return {"role": "tool", "tool_call_id": ident, "content": _parts_form(parts)}
    said = [block for block in message.blocks if isinstance(block, Text | Image | Opaque)]
    calls = [_call_form(block) for block in message.blocks if isinstance(block, ToolUse)]
    made: dict[str, Any] = {"role": str(message.role), "content": _parts_form(said)}
    if calls:
        made["content"] = made["content"] or None
        made["tool_calls"] = calls
    return made


def _parts_form(parts: Sequence[Part]) -> str | list[dict[str, Any]]:
    if all(isinstance(part, Text) for part in parts) and len(parts) < 2:
        return parts[0].content.read() if parts and isinstance(parts[0], Text) else ""
    return [_part_form(part) for part in parts]


def _part_form(part: Block) -> dict[str, Any]:
    match part:
        case Image():
            data = part.data.read()
            inline = part.media_type and not data.startswith("data:")
            return {
                "type": "image_url",
                "image_url": {"url": f"data:{part.media_type};base64,{data}" if inline else data},
            }
        case Opaque() if isinstance(value := part.content.value(), dict):
            return value
        case Text() | Opaque():
            return {"type": "text", "text": part.content.read()}
    return {"type": "text", "text": ""}


def _call_form(call: ToolUse) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.input.read()}
    return {"id": call.id, "type": "function", "function": function}


def edited_message(value: dict[str, Any], old: Message, new: Message) -> dict[str, Any]:
    """A record's value with the blocks of `new`; unchanged parts are the same objects."""
    edited = dict(value)
    if new.role is Role.TOOL:
        return _edited_result(edited, old, new)
    kept = {block.key for block in new.blocks}
    gone = [block for block in old.blocks if block.key not in kept and block.place is not None]
    for key in ("reasoning_content", "refusal", "function_call"):
        if any(block.place is not None and block.place.path == (key,) for block in gone):
            del edited[key]
    if isinstance(value.get("tool_calls"), list):
        edited["tool_calls"] = list(_edited_calls(value["tool_calls"], old, new))
    for block in new.blocks:
        _edit_alone(edited, block, old)
    content = _edited_content(value.get("content"), _content_blocks(old.blocks), _content_blocks(new.blocks))
    if content is not value.get("content"):
        edited["content"] = content
    if not edited.get("tool_calls", True):
        del edited["tool_calls"]
    if content == "" and value.get("content") and (edited.get("tool_calls") or edited.get("function_call")):
        edited["content"] = None
    return edited


def _edit_alone(edited: dict[str, Any], block: Block, old: Message) -> None:
    """Apply a change of a block that has its own key: the refusal, the old form of a call."""
    before = next((b for b in old.blocks if b.key == block.key), None)
    if before is None or before == block or block.place is None:
        return
    if block.place.path == ("refusal",) and isinstance(block, Text):
        edited["refusal"] = block.content.read()
    elif block.place.path == ("function_call",) and isinstance(block, ToolUse):
        call = edited["function_call"]
        edited["function_call"] = {**call, "name": block.name, "arguments": block.input.read()}


def _edited_calls(calls: Sequence[Any], old: Message, new: Message) -> Iterator[Any]:
    before = {block.key: block for block in old.blocks}
    for block in new.blocks:
        original = before.get(block.key)
        number = _call_number(original) if original is not None else None
        if original is None:
            if isinstance(block, ToolUse):
                yield _call_form(block)
        elif number is not None:
            same = block is original or block == original
            yield (
                calls[number]
                if same or not isinstance(block, ToolUse)
                else _edited_call(calls[number], block)
            )


def _call_number(block: Block) -> int | None:
    """The index of a block among the message's calls; None if it is not one of them."""
    path = block.place.path if block.place else ()
    return path[-1] if len(path) > 1 and path[-2] == "tool_calls" and isinstance(path[-1], int) else None


def _edited_call(call: dict[str, Any], block: ToolUse) -> dict[str, Any]:
    kind, given = ("custom", "input") if kind_of(call) == "custom" else ("function", "arguments")
    body = {**call[kind], "name": block.name, given: block.input.read()}
    return {**call, "id": block.id, kind: body}


def _content_blocks(blocks: Sequence[Block]) -> list[Block]:
    """The blocks that are, or will be, in the message's content."""
    found: list[Block] = []
    for block in blocks:
        if block.place is None:
            if isinstance(block, Text | Image | Opaque):
                found.append(block)
        elif "content" in block.place.path:
            found.append(block)
    return found


def _edited_content(content: Any, old: Sequence[Block], new: Sequence[Block]) -> Any:
    """The content with the blocks `new` instead of `old`."""
    if list(old) == list(new):
        return content
    only = new[0] if len(new) == 1 else None
    known = {block.key: number for number, block in enumerate(old)}
    if isinstance(only, Text) and (not isinstance(content, list) or only.key not in known):
        return only.content.read()
    items = content if isinstance(content, list) else [{"type": "text", "text": content}]
    forms = []
    for block in new:
        number = known.get(block.key)
        if number is None:
            forms.append(_part_form(block))
        elif block == old[number]:
            forms.append(items[number])
        else:
            both = isinstance(block, Text) and isinstance(old[number], Text)
            forms.append({**(items[number] if both else {}), **_part_form(block)})
    return forms or ""


def _edited_result(edited: dict[str, Any], old: Message, new: Message) -> dict[str, Any]:
    """A tool message with new content; a trajectory's copy of the output is updated (mini-swe-agent)."""
    before = next((block for block in old.blocks if isinstance(block, ToolResult)), None)
    after = next((block for block in new.blocks if isinstance(block, ToolResult)), None)
    if before is None or after is None or before.parts == after.parts:
        return edited
    edited["content"] = _edited_content(edited.get("content"), before.parts, after.parts)
    extra, said = edited.get("extra"), edited["content"]
    if (
        isinstance(extra, dict)
        and isinstance(said, str)
        and len(said) < len(as_word(extra.get("raw_output")))
    ):
        edited["extra"] = {**extra, "raw_output": said}
    return edited
