"""The rows that are sent, in sending order: for each its entry of the file, or a new one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeAlias

from msgspec import Struct, field

from app.formats.drafts import Draft, Item
from app.formats.pi.added import assistant_entry, injected_entry, result_entry, user_entry
from app.formats.pi.forms import content_item, result_content, text_of_item
from app.formats.pi.log import PiLog
from app.formats.pi.nodes import Node
from app.formats.pi.request import is_summary, wrapping
from app.formats.tree_rows import Row
from app.model import Author, Role, Text, ToolResult, ToolUse

Value = dict[str, Any]
_Group: TypeAlias = tuple[Node | None, list[Item]]
"""An entry, or None for a new one, and its wanted items."""


class Thread(Struct):
    """The rows that are sent."""

    rows: list[Row[Node]] = field(default_factory=list)
    items: dict[int, list[Item]] = field(default_factory=dict)
    """Entry index -> the wanted items of its message."""
    summary: Item | None = None
    """The summary of a new compaction."""
    last_reply: Node | None = None
    """The newest reply, whose usage pi relies on."""


class Threader:
    """Makes the rows of the drafts."""

    def __init__(
        self, log: PiLog, base: dict[int, Row[Node]], make_id: Callable[[str], str], *, compacts: bool
    ) -> None:
        """`base` are the rows of the file's entries; `compacts`: a new compaction is made."""
        self._log = log
        self._base = base
        self._make_id = make_id
        self._compacts = compacts
        self._tools: dict[str, str] = {}
        self._like: Node | None = None

    def thread(self, drafts: Iterable[Draft]) -> Thread:
        """All drafts as rows."""
        thread = Thread()
        self._like = next((node for node in reversed(self._log.nodes) if node.role is Role.ASSISTANT), None)
        for draft in drafts:
            self._name_tools(draft)
            for number, (node, items) in enumerate(self._groups(draft)):
                if node is not None:
                    thread.items[node.index] = items
                    if node.kind != "compaction":
                        thread.rows.append(self._base[node.index])
                    if node.usage is not None and node.usage.context and node.role is Role.ASSISTANT:
                        thread.last_reply = node
                elif is_summary(items[0].message, items[0].block):
                    thread.summary = items[0]
                else:
                    thread.rows.append(self._made(draft, number, items))
        return thread

    def _name_tools(self, draft: Draft) -> None:
        for item in draft.items:
            if item.value is not None and item.value.get("type") == "tool_use":
                self._tools[item.value["id"]] = item.value["name"]
            elif item.value is None and isinstance(item.block, ToolUse):
                self._tools[self._log.safe_ids.get(item.block.id, item.block.id)] = item.block.name

    def _groups(self, draft: Draft) -> list[_Group]:
        """The items of each entry; new ones together if they can be one entry."""
        owners = (self._log.owner(item.block) for item in draft.items if item.block is not None)
        if draft.role is Role.ASSISTANT and draft.items:
            # A reply is one entry, so new items go into it.
            return [(next((node for node in owners if node is not None), None), list(draft.items))]
        found: list[_Group] = []
        places: dict[int, int] = {}
        for item in draft.items:
            node = self._log.owner(item.block) if item.block is not None else None
            if node is not None and node.hides and self._compacts:
                node = None
            if node is not None and node.index in places:
                found[places[node.index]][1].append(item)
            elif node is None and found and found[-1][0] is None and _together(found[-1][1][-1], item):
                found[-1][1].append(item)
            else:
                if node is not None:
                    places[node.index] = len(found)
                found.append((node, [item]))
        return found

    def _made(self, draft: Draft, number: int, items: list[Item]) -> Row[Node]:
        first = items[0].block
        key = first.key if first is not None else f"{draft.key}/{number}"
        row: Row[Node] = Row(ident=None if self._log.linear else self._make_id(key))
        row.made = partial(self._entry, row, draft.role, items)
        return row

    def _entry(self, row: Row[Node], role: Role, items: list[Item]) -> Value:
        if is_result(items[0]):
            return self._result(items[0], row.time)
        content = [self._content(item) for item in items]
        if role is Role.ASSISTANT:
            return assistant_entry(content, self._like, row.time)
        if all(_is_typed(item) for item in items):
            return user_entry(content, row.time)
        texts = [item["text"] for item in content if item["type"] == "text"]
        return injected_entry(texts[0] if len(content) == len(texts) == 1 else content)

    def _content(self, item: Item) -> Value:
        """A new block's content; the summary of an older compaction keeps pi's wrapping."""
        node = self._log.owner(item.block) if item.block is not None else None
        if node is None or not node.hides:
            return content_item(self._log, item)
        assert item.block is not None
        before, behind = wrapping(self._log, item.message, item.block)
        return {"type": "text", "text": f"{before}{text_of_item(item, (before, behind))}{behind}"}

    def _result(self, item: Item, time: float | None) -> Value:
        if item.value is not None:
            ident, is_error = item.value["tool_use_id"], item.value.get("is_error") is True
        else:
            assert isinstance(item.block, ToolResult)
            ident, is_error = item.block.tool_use_id, item.block.is_error
        tool = self._tools.get(self._log.safe_ids.get(ident, ident), "")
        raw = next((raw for raw, safe in self._log.safe_ids.items() if safe == ident), ident)
        return result_entry(raw, tool, result_content(self._log, item), is_error, time)


def is_result(item: Item) -> bool:
    """Whether an item is a tool result."""
    if item.value is not None:
        return bool(item.value.get("type") == "tool_result")
    return isinstance(item.block, ToolResult)


def _together(before: Item, item: Item) -> bool:
    """Whether two new items can be one entry: both text of one message, by the same author."""
    if is_result(before) or is_result(item) or before.message is not item.message:
        return False
    if is_summary(before.message, before.block):
        return False
    return _is_typed(before) is _is_typed(item)


def _is_typed(item: Item) -> bool:
    """Whether the person typed it."""
    return isinstance(item.block, Text) and item.block.author is Author.USER
