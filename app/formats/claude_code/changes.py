"""Applying an export's changes to a record of the old file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, cast

from app.formats.claude_code.names import WORD_COPIES
from app.formats.claude_code.request import Value
from app.formats.claude_code.rows import Row, value_in
from app.formats.claude_code.second_copies import with_twin
from app.formats.claude_code.transcript import Transcript
from app.formats.drafts import Item
from app.formats.repairs import replaced
from app.formats.text_copies import with_words
from app.model import JsonPath

_INPUTS: Final = ("cache_creation_input_tokens", "cache_read_input_tokens")
_SEGMENT: Final = ("preservedSegment", "preservedMessages")


def changed_record(old: Value, row: Row, records: Transcript) -> Value:
    """The record as `row` wants it; unchanged parts are shared with `old`."""
    new = dict(old)
    if row.content is not None:
        _set_content(new, row, row.content, records)
    for path, item in row.texts.items():
        value = value_in(item, records)
        new = replaced(new, path, value["text"] if isinstance(value, dict) else value)
    for path in sorted(row.gone, key=_depth_first, reverse=True):
        new = _without(new, path)
    if row.new_parent:
        new["parentUuid"] = row.parent_uuid
    if row.uuid is not None:
        new["uuid"] = row.uuid
    if row.drop_source:
        new.pop("sourceToolAssistantUUID", None)
    if row.reference is not None:
        name = "leafUuid" if isinstance(new.get("leafUuid"), str) else "messageId"
        new[name] = row.reference
    if row.context_tokens is not None:
        _set_usage(new, row.context_tokens)
    if row.plain_boundary:
        metadata = new["compactMetadata"]
        new["compactMetadata"] = {key: metadata[key] for key in metadata if key not in _SEGMENT}
    if row.words is not None:
        new = with_words(new, row.words, WORD_COPIES[old["type"]])
    return new


def _without(record: Value, path: JsonPath) -> Value:
    """The record without the text at `path`: a list item is removed, any other text emptied."""
    item = next((at for at in reversed(range(len(path))) if isinstance(path[at], int)), None)
    if item is None:
        return cast(Value, replaced(record, path, ""))
    holder: Any = record
    for step in path[:item]:
        holder = holder[step]
    rest = [value for number, value in enumerate(holder) if number != path[item]]
    return cast(Value, replaced(record, path[:item], rest))


def _depth_first(path: JsonPath) -> tuple[int | str, ...]:
    return tuple(step if isinstance(step, int) else -1 for step in path)


def _set_usage(record: Value, tokens: int) -> None:
    message = record["message"]
    usage = {**message["usage"], "input_tokens": tokens}
    usage |= {name: 0 for name in _INPUTS if name in usage}
    record["message"] = {**message, "usage": usage}


def _set_content(record: Value, row: Row, items: Sequence[Item], records: Transcript) -> None:
    message = record["message"]
    old = message["content"]
    content = [value_in(item, records) for item in items]
    if isinstance(old, str):
        only = content[0] if len(content) == 1 else None
        text = only.get("text") if isinstance(only, dict) and set(only) == {"type", "text"} else None
        record["message"] = {**message, "content": content if text is None else text}
        return
    places: list[int] = []
    for item in items:
        lies = item.block.place if item.block is not None else None
        # A new block takes the position of the block it follows.
        places.append(int(lies.path[-1]) if lies is not None else places[-1] if places else 0)
    record["message"] = {**message, "content": list(_with_unsent(old, row, places, content))}
    if "toolUseResult" in record:
        results = [(old[place], new) for place, new in zip(places, content, strict=True)]
        alone = sum(isinstance(b, dict) and b.get("type") == "tool_result" for b in old) == 1
        record["toolUseResult"] = with_twin(record["toolUseResult"], results, alone=alone)


def _with_unsent(
    old: Sequence[Any], row: Row, places: Sequence[int], content: Sequence[Any]
) -> Iterator[Any]:
    """The new content, with the record's never-sent blocks where they were."""
    known = row.node.blocks if row.node is not None else ()
    sent = {block.place.path[-1] for block in known if block.place is not None}
    unsent = [place for place in range(len(old)) if place not in sent]
    for place, value in zip(places, content, strict=True):
        while unsent and unsent[0] < place:
            yield old[unsent.pop(0)]
        yield value
    for place in unsent:
        yield old[place]
