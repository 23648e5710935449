"""Assembling the messages to be written to the file from those to be sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from app.formats.drafts import Draft, Item
from app.formats.opencode.names import ASKED
from app.formats.opencode.nodes import Node
from app.formats.opencode.request import Sender
from app.model import Author, Block, JsonPath, Message, Role, Text, Thinking, ToolResult, ToolUse

Value = dict[str, Any]


class KeptPart(Struct, frozen=True):
    """A part of the file with its wanted content."""

    number: int
    """Its index in its message."""
    block: Block
    original: Block
    value: Value | None = None
    """The result of a repair, in the provider's form; None if it was not repaired."""

    @property
    def changed(self) -> bool:
        """Whether it must change."""
        return self.value is not None or (self.block is not self.original and self.block != self.original)


class AddedPart(Struct, frozen=True):
    """A new part, in the provider's form."""

    value: Value
    key: str
    synthetic: bool
    """Whether it is not the person's."""


class WantedMessage(Struct, eq=False):
    """One message of the new file."""

    role: Role
    node: Node | None = None
    """Its message in the file; None for a new one."""
    message: Message | None = None
    parts: list[KeptPart | AddedPart] = field(default_factory=list)
    results: dict[int, KeptPart] = field(default_factory=dict)
    """Tool results, by the index of their part."""
    made_results: dict[str, str] = field(default_factory=dict)
    """Texts for calls that had no result, by call id."""
    tokens: int | None = None
    """The input tokens to record for its call."""
    tail: str | None = None
    """For a compaction: the first earlier message that it keeps now; empty if there is none."""
    ident: str = ""
    """Its new id, if it is new or moved."""
    parent: str = ""
    """The message that it answers, if that changes."""
    created: int | None = None
    """Creation time of a new or moved message, in milliseconds since 1970."""

    @property
    def changed(self) -> bool:
        """Whether a message of the file must change, apart from ids."""
        kept = [part for part in self.parts if isinstance(part, KeptPart)]
        return (
            len(kept) != len(self.parts)
            or any(part.changed for part in (*kept, *self.results.values()))
            or bool(self.made_results)
            or self.tokens is not None
            or bool(self.parent)
            or self.tail is not None
            or self.created is not None
            or [part.number for part in kept] != self._numbers()
            or len(self.results) != sum(isinstance(part.block, ToolUse) for part in kept)
        )

    @property
    def compacts(self) -> bool:
        """Whether it still holds the part that represents a compaction, whose text is always the same."""
        return any(_asks(part) and not part.changed for part in self.parts if isinstance(part, KeptPart))

    def be_plain(self) -> None:
        """Make an earlier compaction that is kept after a new one hide nothing."""
        if self.node is None or not self.node.compacts:
            return
        said = {"type": "text", "text": ASKED}
        self.parts = [
            replace(part, value=said) if isinstance(part, KeptPart) and _asks(part) else part
            for part in self.parts
        ]

    def _numbers(self) -> list[int]:
        node = self.node
        return [] if node is None else [number_of(b) for step in node.steps for b in step.said]


def _asks(part: KeptPart) -> bool:
    return isinstance(part.original, Text) and part.original.content.read() == ASKED


def gather(
    drafts: Iterable[Draft], sender: Sender, nodes: Mapping[int, Node], given: Iterable[Message]
) -> list[WantedMessage]:
    """The messages of the file for those to be sent, in order.

    `given` are the messages before repairs: thinking, which is in no request here, stays where it is there.
    """
    gatherer = _Gatherer(sender, nodes)
    for draft in drafts:
        for item in draft.items:
            gatherer.add(draft, item)
    for message in given:
        for block in message.blocks:
            if block.place is not None:
                gatherer.keep(block)
    return gatherer.found


def number_of(block: Block) -> int:
    """The index of a block's part in its message."""
    path: JsonPath = block.place.path if block.place is not None else ()
    return int(path[1]) if len(path) > 1 else -1


class _Gatherer:
    def __init__(self, sender: Sender, nodes: Mapping[int, Node]) -> None:
        self.found: list[WantedMessage] = []
        self._sender = sender
        self._nodes = nodes
        self._by_node: dict[Node, WantedMessage] = {}
        self._last: WantedMessage | None = None

    def add(self, draft: Draft, item: Item) -> None:
        """Add the next item of the request."""
        block = item.block
        original = None if block is None else self._sender.original(block)
        if block is None or original is None:
            self._add_made(draft, item)
        elif isinstance(block, ToolResult):
            self._add_result(draft, item, block, original)
        else:
            wanted = self._of(self._node(block))
            wanted.parts.append(KeptPart(number_of(block), block, original, item.value))

    def keep(self, block: Block) -> None:
        """Keep a thinking block of the file, which is in no request; call it with all blocks, in order."""
        node = self._node(block)
        original = self._sender.original(block)
        if isinstance(block, Thinking) and original is not None:
            wanted = self._by_node.get(node) or self._behind_last(node)
            number = number_of(block)
            if not any(isinstance(part, KeptPart) and part.number == number for part in wanted.parts):
                later = (
                    at for at, p in enumerate(wanted.parts) if isinstance(p, KeptPart) and p.number > number
                )
                wanted.parts.insert(next(later, len(wanted.parts)), KeptPart(number, block, original))
        self._last = self._by_node.get(node, self._last)

    def _behind_last(self, node: Node) -> WantedMessage:
        """Insert a message that holds only thinking in its place among the others."""
        wanted = self._by_node[node] = WantedMessage(node.role, node)
        at = 0 if self._last is None else self.found.index(self._last) + 1
        self.found.insert(at, wanted)
        return wanted

    def _node(self, block: Block) -> Node:
        assert block.place is not None
        return self._nodes[block.place.record]

    def _of(self, node: Node) -> WantedMessage:
        if node not in self._by_node:
            self._by_node[node] = WantedMessage(node.role, node)
            self.found.append(self._by_node[node])
        return self._by_node[node]

    def _add_result(self, draft: Draft, item: Item, block: ToolResult, original: Block) -> None:
        wanted = self._by_node.get(self._node(block))
        number = number_of(block)
        called = wanted is not None and any(
            isinstance(part, KeptPart) and part.number == number for part in wanted.parts
        )
        if (
            wanted is None
            or not called
            or (item.value is not None and item.value.get("type") != "tool_result")
        ):
            self._add_made(draft, item)
        else:
            wanted.results[number] = KeptPart(number, block, original, item.value)

    def _add_made(self, draft: Draft, item: Item) -> None:
        value = item.value
        if value is None and item.block is not None and item.message is not None:
            value = self._sender.value_of(item.message, item.block)
        value = value if isinstance(value, dict) else {}
        if value.get("type") == "tool_result" and self._answers(value):
            return
        key = item.block.key if item.block is not None else f"{draft.key}/{len(self.found)}"
        typed = isinstance(item.block, Text) and item.block.author is Author.USER
        self._made_message(draft, item.message).parts.append(AddedPart(value, key, not typed))

    def _answers(self, value: Value) -> bool:
        """Whether a new result is for a call of the file that has none left."""
        ident = str(value.get("tool_use_id"))
        for wanted in reversed(self.found):
            for part in wanted.parts:
                if isinstance(part, KeptPart) and isinstance(part.block, ToolUse) and part.block.id == ident:
                    content = value.get("content")
                    wanted.made_results[ident] = content if isinstance(content, str) else ""
                    return True
        return False

    def _made_message(self, draft: Draft, message: Message | None) -> WantedMessage:
        """The message for a new part: the one that contains it, or one of its own."""
        last = self.found[-1] if self.found else None
        if message is not None and message.records:
            node = self._nodes.get(message.records[0])
            if last is not None and last.node is node and node is not None and node.role is draft.role:
                return last
        if last is not None and last.node is None and last.message is message and last.role is draft.role:
            return last
        self.found.append(WantedMessage(draft.role, None, message))
        return self.found[-1]
