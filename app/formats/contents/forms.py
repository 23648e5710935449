"""Writing parts in the provider's form: from scratch, or by editing a record's value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from app.formats.contents.names import ANSWER, CALL
from app.formats.contents.parts import answer_key
from app.formats.plain.anthropic_blocks import as_object
from app.model import Block, Image, Message, Opaque, Part, Role, Text, Thinking, ToolResult, ToolUse

Value = dict[str, Any]

ROLES: Final = {Role.USER: "user", Role.TOOL: "user", Role.ASSISTANT: "model", Role.SYSTEM: "user"}


def made_content(message: Message) -> Value:
    """A content made from scratch; thinking cannot be made, so it is left out."""
    return {"role": ROLES[message.role], "parts": [p for block in message.blocks for p in made_parts(block)]}


def made_parts(block: Block) -> Iterator[Value]:
    """The parts of a new block."""
    match block:
        case Text():
            yield {"text": block.content.read()}
        case ToolUse():
            yield {CALL: made_call(block)}
        case ToolResult():
            yield {ANSWER: made_answer(block)}
            yield from (_medium(part) for part in block.parts if not isinstance(part, Text))
        case Image() | Opaque():
            yield _medium(block)
        case Thinking():
            return


def made_call(call: ToolUse) -> Value:
    """A new function call, without the part around it."""
    return {"id": call.id, "name": call.name, "args": as_object(call.input)}


def made_answer(result: ToolResult, name: str = "") -> Value:
    """A new function response, without the part around it; `name` is the function's."""
    member = "error" if result.is_error else "output"
    return {
        "id": result.tool_use_id,
        "name": name or result.tool_use_id,
        "response": {member: _text_of(result.parts)},
    }


def edited_parts(items: Sequence[Any], old: Sequence[Block], new: Sequence[Block]) -> list[Any]:
    """The parts of the blocks `new`; `items` are those of `old`, of which unchanged ones are kept."""
    before = {block.key: block for block in old}
    return [part for block in new for part in edited(items, before.get(block.key), block)]


def edited(items: Sequence[Any], old: Block | None, new: Block) -> Iterator[Any]:
    """The parts of the block `new`; those of `old` are in `items`, at the index that ends its path.

    If the path does not end in an index, `items` holds only the one part.
    """
    number = None if old is None else _number(old) or 0
    if old is None or number is None:
        yield from made_parts(new)
    elif isinstance(old, ToolResult) and isinstance(new, ToolResult):
        yield from _edited_answer(items, number, old, new)
    elif new is old or new == old:
        yield items[number]
    else:
        yield from _edited(items[number], old, new)


def _edited(item: Any, old: Block, new: Block) -> Iterator[Any]:
    match old, new:
        case Thinking(), Thinking():
            yield item
        case Text(), Text() if isinstance(item, str):
            yield {"text": new.content.read()}
        case Text(), Text():
            yield {**item, "text": new.content.read()}
        case ToolUse(), ToolUse():
            yield {**item, CALL: edited_call(item[CALL], old, new)}
        case _:
            yield from made_parts(new)


def edited_call(call: Mapping[str, Any], old: ToolUse, new: ToolUse) -> Value:
    """A function call with `new` instead of `old`."""
    changes: Value = {}
    if new.input is not old.input and new.input != old.input:
        changes["args"] = as_object(new.input)
    if new.id != old.id:
        changes["id"] = new.id
    if new.name != old.name:
        changes["name"] = new.name
    return {**call, **changes}


def _edited_answer(items: Sequence[Any], number: int, old: ToolResult, new: ToolResult) -> Iterator[Any]:
    item = items[number]
    yield item if new is old or new == old else {**item, ANSWER: edited_answer(item[ANSWER], old, new)}
    behind = {part.key: at for part in old.parts if (at := _behind(part, old)) is not None}
    kept = {part.key: part for part in old.parts}
    for part in new.parts:
        if part.key in behind and part == kept[part.key]:
            yield items[behind[part.key]]
        elif not isinstance(part, Text) and part.key not in kept:
            yield _medium(part)


def edited_answer(answer: Mapping[str, Any], old: ToolResult, new: ToolResult) -> Value:
    """A function response with `new` instead of `old`."""
    changes: Value = {}
    if new.tool_use_id != old.tool_use_id:
        changes["id"] = new.tool_use_id
    texts = [part for part in new.parts if isinstance(part, Text)]
    if texts != [part for part in old.parts if isinstance(part, Text)] or new.is_error != old.is_error:
        known = answer_key(answer.get("response")) or "output"
        member = known if new.is_error == old.is_error else "error" if new.is_error else "output"
        changes["response"] = {member: _text_of(new.parts)}
    inner = answer.get("parts")
    if isinstance(inner, list):
        kept = {part.key for part in new.parts}
        left = [part for n, part in enumerate(inner) if f"{old.key}/p{n}" in kept]
        if len(left) != len(inner):
            changes["parts"] = left
    edited_value = {**answer, **changes}
    if edited_value.get("parts") == []:
        del edited_value["parts"]
    return edited_value


def _behind(part: Part, result: ToolResult) -> int | None:
    """The index of a result's part that is a part of its own after the response; else None."""
    if part.place is None or result.place is None or len(part.place.path) != len(result.place.path):
        return None
    return _number(part) if part.place != result.place else None


def _number(block: Block) -> int | None:
    """The index of a block among its content's parts."""
    last = block.place.path[-1] if block.place is not None and block.place.path else None
    return last if isinstance(last, int) else None


def _text_of(parts: Sequence[Part]) -> str:
    return "".join(part.content.read() for part in parts if isinstance(part, Text))


def _medium(part: Block) -> Value:
    match part:
        case Image() if part.media_type:
            return {"inlineData": {"mimeType": part.media_type, "data": part.data.read()}}
        case Image():
            return {"fileData": {"fileUri": part.data.read()}}
        case Opaque() if isinstance(value := part.content.value(), dict):
            return value
        case Opaque():
            return {"text": part.content.read()}
    return {"text": ""}
