"""Applying an export's changes to a message of the file; unchanged parts are shared with the old one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, TypeAlias

from app.formats.opencode.names import INFO, PARTS
from app.formats.opencode.nodes import interrupted_output, is_hidden, state_of
from app.formats.opencode.request import said
from app.formats.opencode.wanted import AddedPart, KeptPart, WantedMessage, number_of
from app.formats.plain.anthropic_blocks import as_object
from app.formats.result_copies import without_copies
from app.model import Image, Opaque, Text, ToolResult, ToolUse

Value: TypeAlias = dict[str, Any]

MakeId: TypeAlias = Callable[[str, str | None, int], str]
"""(id before, id after, number among the new parts between those two) -> the id of a new part."""


def changed_message(old: Value, wanted: WantedMessage, make_id: MakeId) -> Value:
    """The message `old` updated to `wanted`."""
    return {**old, INFO: _info(old[INFO], wanted), PARTS: list(_parts(old, wanted, make_id))}


def _info(old: Value, wanted: WantedMessage) -> Value:
    info = dict(old)
    if wanted.tokens is not None:
        info["tokens"] = _tokens(old["tokens"], wanted.tokens)
    if wanted.parent:
        info["parentID"] = wanted.parent
    if wanted.created is not None:
        time = old.get("time")
        info["time"] = {**(time if isinstance(time, dict) else {}), "created": wanted.created}
    if wanted.ident:
        info["id"] = wanted.ident
    return info if info != old else old


def _tokens(old: Value, tokens: int) -> Value:
    cache = old.get("cache")
    new = {**old, "input": tokens}
    if isinstance(cache, dict):
        new["cache"] = {**cache, **{name: 0 for name in ("read", "write") if name in cache}}
    if "total" in old:
        counts = (old.get(name) for name in ("output", "reasoning"))
        new["total"] = tokens + sum(int(count) for count in counts if isinstance(count, int | float))
    return new


def _parts(message: Value, wanted: WantedMessage, make_id: MakeId) -> Iterator[Any]:
    """The kept parts, changed if necessary, with new ones in between."""
    assert wanted.node is not None
    known = {number_of(block) for block in wanted.node.blocks}
    kept = {part.number: part for part in wanted.parts if isinstance(part, KeptPart)}
    ahead = _ahead(list(kept))
    before, behind = _before(wanted.parts, ahead)
    session, ident = str(message[INFO].get("sessionID", "")), wanted.ident or wanted.node.ident
    last = ident
    for number, part in enumerate(message[PARTS]):
        own = part.get("id") if isinstance(part, dict) else None
        for count, new in enumerate(before.get(number, ()), 1):
            last = make_id(last, own if isinstance(own, str) else None, count)
            if isinstance(new, AddedPart):
                yield made_part(new, last, session, ident)
            else:
                yield _moved({**_part(message[PARTS][new.number], new, wanted), "id": last}, wanted)
        if number in ahead:
            continue
        if number in kept:
            yield _moved(_tail(_part(part, kept[number], wanted), wanted), wanted)
        elif number not in known:
            yield _moved(part, wanted)
        last = own if isinstance(own, str) else last
    for made in behind:
        last = make_id(last, None, 1)
        if isinstance(made, AddedPart):
            yield made_part(made, last, session, ident)


def _ahead(numbers: Sequence[int]) -> set[int]:
    """The parts of the file that must move before one that precedes them now."""
    found: set[int] = set()
    lowest = len(numbers) and max(numbers)
    for number in reversed(numbers):
        if number > lowest:
            found.add(number)
        lowest = min(lowest, number)
    return found


def _before(
    parts: Iterable[KeptPart | AddedPart], ahead: Set[int]
) -> tuple[dict[int, list[KeptPart | AddedPart]], list[KeptPart | AddedPart]]:
    """The new or moved parts to put before each part of the file, by its index, and those after all."""
    before: dict[int, list[KeptPart | AddedPart]] = {}
    waiting: list[KeptPart | AddedPart] = []
    for part in parts:
        if isinstance(part, AddedPart) or part.number in ahead:
            waiting.append(part)
        else:
            before[part.number], waiting = waiting, []
    return before, waiting


def _tail(part: Any, wanted: WantedMessage) -> Any:
    """A compaction with the id of the first earlier message that it keeps."""
    if wanted.tail is None or part.get("type") != "compaction":
        return part
    left = {name: part[name] for name in part if name != "tail_start_id"}
    return {**left, "tail_start_id": wanted.tail} if wanted.tail else left


def _moved(part: Any, wanted: WantedMessage) -> Any:
    return {**part, "messageID": wanted.ident} if wanted.ident and isinstance(part, dict) else part


def made_part(made: AddedPart, ident: str, session: str, message: str) -> Value:
    """A new part."""
    owner = {"id": ident, "sessionID": session, "messageID": message}
    value = made.value
    if value.get("type") == "tool_use":
        state = {"status": "pending", "input": value.get("input"), "raw": ""}
        return {"type": "tool", "tool": value.get("name"), "callID": value.get("id"), "state": state, **owner}
    if value.get("type") == "image":
        return {"type": "file", **_picture(value.get("source") or {}), **owner}
    text = value.get("content" if value.get("type") == "tool_result" else "text")
    said = {"type": "text", "text": text if isinstance(text, str) else ""}
    return {**said, **({"synthetic": True} if made.synthetic else {}), **owner}


def _picture(source: Mapping[str, Any]) -> Value:
    """The members of an attached file for an image in the provider's form."""
    if source.get("type") != "base64":
        return {"mime": "image/png", "url": source.get("url")}
    media = source.get("media_type")
    return {"mime": media, "url": f"data:{media};base64,{source.get('data')}"}


def _part(old: Value, kept: KeptPart, wanted: WantedMessage) -> Value:
    """A part of the file, updated."""
    block, value = kept.block, kept.value
    if isinstance(block, ToolUse):
        return _tool(old, kept, wanted)
    if value is not None and value.get("type") == "text":
        if old.get("type") == "text":
            return {**old, "text": value.get("text")}
        owner: Value = {name: old[name] for name in ("id", "sessionID", "messageID") if name in old}
        return {"type": "text", "text": value.get("text"), "synthetic": True, **owner}
    if not kept.changed or value is not None:
        return old
    if isinstance(block, Text):
        return {**old, "type": "text", "text": block.content.read()}
    if isinstance(block, Image):
        return {**old, "url": block.data.read()}
    return old


def _tool(old: Value, kept: KeptPart, wanted: WantedMessage) -> Value:
    """A part that holds a call and its result, updated."""
    new, call = dict(old), kept.block
    assert isinstance(call, ToolUse)
    value = kept.value or {}
    ident, name = value.get("id", call.id), value.get("name", call.name)
    if ident != old.get("callID"):
        new["callID"] = ident
    if name != old.get("tool"):
        new["tool"] = name
    given = value.get("input", as_object(call.input)) if kept.changed else None
    state = dict(state_of(old))
    if given is not None and given != state.get("input"):
        state["input"] = given
    result = wanted.results.get(kept.number)
    if call.id in wanted.made_results:
        state = _answered(state, wanted.made_results[call.id])
    elif result is not None and result.changed:
        state = _with_result(state, result)
    return {**new, "state": state} if state != state_of(old) else new


def _answered(state: Value, text: str) -> Value:
    """A call's state with `text` as the reason why there is no result."""
    time = state.get("time")
    moment = time if isinstance(time, dict) else {}
    start = moment.get("start", 0)
    kept: Value = {name: state[name] for name in ("input",) if name in state}
    return {
        "status": "error",
        **kept,
        "error": text,
        "time": {"start": start, "end": moment.get("end", start)},
    }


def _with_result(state: Value, kept: KeptPart) -> Value:
    """A call's state with another result; copies of the old one are removed."""
    result, original, value = kept.block, kept.original, kept.value
    assert isinstance(result, ToolResult) and isinstance(original, ToolResult)
    before = said(original)
    after = said(result) if value is None else _words_of(value)
    if state.get("status") not in ("completed", "error"):
        return _answered(state, after)
    new = dict(state)
    if state.get("status") == "error" and interrupted_output(state) is None:
        new["error"] = after
    elif state.get("status") == "error":
        new["metadata"] = {**state["metadata"], "output": after}
    else:
        new["output"] = after
    if before != after and is_hidden(state):
        before = str(state.get("output", ""))
        new["time"] = {name: moment for name, moment in state["time"].items() if name != "compacted"}
    if isinstance(state.get("metadata"), dict) and interrupted_output(state) is None and before != after:
        new["metadata"] = without_copies(state["metadata"], before, after, (("output",), ("preview",)))
    if isinstance(state.get("attachments"), list):
        _keep_files(new, result, value)
    return new


def _keep_files(state: Value, result: ToolResult, value: Value | None) -> None:
    """Remove the attached files that are no longer wanted."""
    kept = {part.key for part in result.parts if isinstance(part, Image | Opaque)}
    if value is not None and not isinstance(value.get("content"), list):
        kept = set()
    files = [
        file
        for number, file in enumerate(state["attachments"])
        if f"{result.key.removesuffix('/r')}/a{number}" in kept
    ]
    state["attachments"] = files
    if not files:
        del state["attachments"]


def _words_of(value: Mapping[str, Any]) -> str:
    """The text of a result in the provider's form."""
    content = value.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(filter(None, _texts(content if isinstance(content, list) else ())))


def _texts(content: Iterable[Any]) -> Iterator[str]:
    for part in content:
        text = part.get("text") if isinstance(part, dict) else None
        if isinstance(text, str):
            yield text
