"""The changes that an export makes to entries of the file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from app.formats.drafts import Item
from app.formats.pi.added import injected_message
from app.formats.pi.forms import content_item, result_content, text_of_item, words_of
from app.formats.pi.log import PiLog
from app.formats.pi.nodes import Node
from app.formats.pi.request import wrapping
from app.formats.pi.threads import is_result
from app.formats.repairs import replaced
from app.formats.result_copies import without_copies
from app.formats.tree_rows import Edit, Row
from app.model import Block, JsonPath, Text, ToolResult

Value = dict[str, Any]


class Editor:
    """Adds the edits to rows that make them hold what is wanted."""

    def __init__(self, log: PiLog, base: dict[int, Row[Node]]) -> None:
        self._log = log
        self._base = base

    def differs(self, node: Node, items: Sequence[Item], silent: Sequence[Block]) -> bool:
        """Whether an entry must change; `silent` are kept blocks that are in no request."""
        if any(item.value is not None or not self._is_original(item.block) for item in items):
            return True
        wanted = {item.block.key for item in items if item.block} | {block.key for block in silent}
        return wanted != {block.key for block in node.blocks}

    def _is_original(self, block: Block | None) -> bool:
        return block is not None and self._log.original(block) is block

    def edit(self, node: Node, items: Sequence[Item], silent: Sequence[Block], *, bake: bool) -> None:
        """Make an entry hold `items`.

        `bake`: the `context_edit` that replaced its content will no longer be read, so the content is
        written into the entry itself.
        """
        changes = self.differs(node, items, silent)
        if not changes and not (bake and node.edit is not None):
            return
        row = self._base[node.index]
        home, path = self._log.home(node)
        target = row if bake or home == node.index else self._base[home]
        where = path if target is not row else self._own_path(node)
        if items and node.is_result and not is_result(items[0]):
            content = [content_item(self._log, item) for item in items]
            row.edits.append(partial(_as_injected, content))
            if target is not row:
                target.edits.append(partial(_set, where, content))
        elif node.is_result:
            self._edit_result(node, items[0], row, target, where)
        elif node.kept_as == "bashExecution":
            text = text_of_item(items[0], ("", ""))
            row.edits.append(partial(_as_injected, [{"type": "text", "text": text}]))
        elif node.hides or node.kind == "branch_summary":
            assert items[0].block is not None
            around = wrapping(self._log, items[0].message, items[0].block)
            row.edits.append(partial(_set, ("summary",), text_of_item(items[0], around)))
        else:
            old = self._content(node)
            target.edits.append(partial(_set, where, self._with_unsent(node, old, items, silent)))

    def _own_path(self, node: Node) -> JsonPath:
        return ("message", "content") if node.kind == "message" else ("content",)

    def _content(self, node: Node) -> Any:
        record, path = self._log.home(node)
        value = self._log.value(record)
        for step in path:
            value = value.get(step)
        return value

    def _with_unsent(self, node: Node, old: Any, items: Sequence[Item], silent: Sequence[Block]) -> Any:
        """The new content, with the entry's never-sent blocks where they were."""
        values = [content_item(self._log, item) for item in items]
        if not isinstance(old, list):
            only = values[0] if len(values) == 1 else None
            return only["text"] if only is not None and only["type"] == "text" else values
        places = [_place(item.block) for item in items]
        sent = {_place(block) for block in node.blocks} - {_place(block) for block in silent}
        unsent = [place for place in range(len(old)) if place not in sent]
        found: list[Any] = []
        for place, value in zip(places, values, strict=True):
            while unsent and place is not None and unsent[0] < place:
                found.append(old[unsent.pop(0)])
            found.append(value)
        return [*found, *(old[place] for place in unsent)]

    def _edit_result(
        self, node: Node, item: Item, row: Row[Node], target: Row[Node], where: JsonPath
    ) -> None:
        before = words_of(self._content(node))
        content = result_content(self._log, item)
        if content != self._content(node) or target is not self._base[self._log.home(node)[0]]:
            target.edits.append(partial(_set, where, content))
        changes: dict[str, Any] = {}
        if item.value is not None:
            if item.value["tool_use_id"] != self._sent_id(node):
                changes["toolCallId"] = item.value["tool_use_id"]
            if (item.value.get("is_error") is True) is not self._is_error(node):
                changes["isError"] = item.value.get("is_error") is True
        row.edits.append(partial(_finish_result, changes, before, words_of(content)))

    def _sent_id(self, node: Node) -> str:
        ident = node.answers[0]
        return self._log.safe_ids.get(ident, ident)

    def _is_error(self, node: Node) -> bool:
        return any(isinstance(block, ToolResult) and block.is_error for block in node.blocks)


def _place(block: Block | None) -> int | None:
    """The index of a block in its entry's content list."""
    step = block.place.path[-1] if block is not None and block.place is not None else None
    return step if isinstance(step, int) else None


def _set(path: JsonPath, value: Any, entry: Value) -> Value:
    return replaced(entry, path, value)  # type: ignore[no-any-return]


def _as_injected(content: Any, entry: Value) -> Value:
    message = injected_message(content, entry["message"].get("timestamp"))
    return {**entry, "message": message}


def _finish_result(changes: Value, before: str, after: str, entry: Value) -> Value:
    """A result's entry with `changes` to its message's members, and copies of its text cleared."""
    message = {**entry["message"], **changes}
    if before != after and "details" in message:
        message["details"] = without_copies(message["details"], before, after)
    return {**entry, "message": message}


def with_usage(tokens: int, entry: Value) -> Value:
    """A reply whose call has `tokens` input tokens; pi adds its output."""
    message = entry["message"]
    old = message["usage"]
    output = old.get("output")
    output = output if isinstance(output, int) else 0
    usage = {**old, "input": tokens, "cacheRead": 0, "cacheWrite": 0, "totalTokens": tokens + output}
    return {**entry, "message": {**message, "usage": usage}}


def with_first_kept(ident: str, entry: Value) -> Value:
    """A compaction with another first kept entry."""
    return {**entry, "firstKeptEntryId": ident}


def without_blocks(gone: Sequence[Block], changed: Sequence[Text], prompt: JsonPath) -> Edit:
    """An entry whose system prompt, at `prompt`, has some blocks removed and others changed."""
    return partial(_prompt_without, [_path(block) for block in gone], list(changed), prompt)


def _path(block: Block) -> JsonPath:
    assert block.place is not None
    return block.place.path


def _prompt_without(
    gone: Sequence[JsonPath], changed: Sequence[Text], prompt: JsonPath, entry: Value
) -> Value:
    for text in changed:
        entry = replaced(entry, _path(text), text.content.read())
    for path in gone:
        is_content = path[len(prompt)] == "content"
        entry = replaced(entry, path, "") if is_content else _without(entry, path)
    return entry


def _without(value: Any, path: JsonPath) -> Any:
    if len(path) == 1:
        return {key: inner for key, inner in value.items() if key != path[0]}
    return {**value, path[0]: _without(value[path[0]], path[1:])}
