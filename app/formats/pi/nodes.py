"""One entry of the file as the tree needs it: its parent, and the blocks that are sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from app.formats.markers import boundary_of
from app.formats.pi import names
from app.formats.pi.blocks import EntryBlocks
from app.formats.pi.names import BROKEN_OFF, COMPACTION, OWN
from app.formats.times import seconds
from app.model import Author, Block, Boundary, Role, Text, ToolResult, ToolUse, Usage


class Node(Struct):
    """The part of an entry that is kept in memory; the rest is read from the file on demand."""

    index: int
    kind: str
    """The entry's `type`; empty for a value that is not an entry."""
    key: str
    """The entry's id, else `@offset`."""
    ident: str | None = None
    parent: str | None = None
    parent_given: bool = False
    talk: bool = False
    """An entry with a message of the conversation, sent or not."""
    sent: bool = False
    """Talk that reaches the model: not an aborted reply, not a command kept out of the context."""
    role: Role = Role.USER
    kept_as: str = ""
    """The role that the message has in the file: `toolResult`, `bashExecution` ..."""
    time: float | None = None
    api: str = ""
    model: tuple[str, str] | None = None
    """Provider and id of the model that an entry chooses, or that a reply is from."""
    usage: Usage | None = None
    blocks: tuple[Block, ...] = ()
    prompt: tuple[Block, ...] = ()
    """The system prompt that a compaction carries over."""
    boundary: Boundary | None = None
    first_kept: str | int | None = None
    """For a compaction: id (in version 1 the number) of the first entry that it keeps."""
    target: str | None = None
    """For a `context_edit`: the entry that it changes."""
    omits: bool = False
    """Whether a `context_edit` leaves its target out."""
    edit: Node | None = None
    """The `context_edit` that replaces the content of this entry."""

    @property
    def hides(self) -> bool:
        """Whether it is a compaction."""
        return self.kind == COMPACTION

    @property
    def is_result(self) -> bool:
        """Whether it holds a tool result."""
        return self.kept_as == "toolResult"

    @property
    def foreign(self) -> bool:
        """Whether it is a reply from another API than Anthropic's."""
        return bool(self.api) and not self.api.startswith("anthropic")

    @property
    def calls(self) -> tuple[str, ...]:
        return tuple([block.id for block in self.blocks if isinstance(block, ToolUse)])

    @property
    def answers(self) -> tuple[str, ...]:
        return tuple([block.tool_use_id for block in self.blocks if isinstance(block, ToolResult)])


def node_of(index: int, key: str, entry: Mapping[str, Any], reader: EntryBlocks) -> Node:
    """The node of an entry; `entry` is empty for a value that is not an object."""
    kind = _text(entry, "type") or ""
    node = Node(index, kind, key, _text(entry, "id"), _text(entry, "parentId"), "parentId" in entry)
    node.time = seconds(entry.get("timestamp"))
    match kind:
        case names.MESSAGE if isinstance(message := entry.get("message"), dict):
            _add_message(node, message, reader)
        case names.CUSTOM_MESSAGE:
            node.talk = node.sent = True
            node.kept_as = "custom"
            node.blocks = reader.said(index, ("content",), entry.get("content"), key, Author.INJECTED)
            node.boundary = _marker(node)
        case names.BRANCH_SUMMARY if isinstance(summary := entry.get("summary"), str):
            node.talk = node.sent = True
            node.blocks = reader.summary(index, summary, key) if summary else ()
        case names.COMPACTION:
            _add_compaction(node, entry, reader)
        case names.CONTEXT_EDIT:
            node.target = _text(entry, "targetId")
            node.omits = not isinstance(entry.get("replacement"), dict)
        case names.MODEL_CHANGE:
            node.model = _model(entry.get("provider"), entry.get("modelId"))
    return node


def _add_message(node: Node, message: Mapping[str, Any], reader: EntryBlocks) -> None:
    role = _text(message, "role") or ""
    node.kept_as = "custom" if role == "hookMessage" else role
    node.blocks = reader.of_message(node.index, node.key, node.kept_as, message)
    node.time = node.time if node.time is not None else _milliseconds(message.get("timestamp"))
    if role == "system":
        node.role = Role.SYSTEM
        return
    node.talk = bool(role)
    node.sent = bool(role)
    if role == "assistant":
        node.role = Role.ASSISTANT
        node.sent = _text(message, "stopReason") not in BROKEN_OFF
        node.api = _text(message, "api") or ""
        node.model = _model(message.get("provider"), message.get("model"))
        node.usage = usage_of(message.get("usage"))
    elif role == "bashExecution":
        node.sent = message.get("excludeFromContext") is not True
    elif role != "toolResult":
        node.boundary = _marker(node)


def _add_compaction(node: Node, entry: Mapping[str, Any], reader: EntryBlocks) -> None:
    node.talk = node.sent = True
    node.blocks = reader.summary(node.index, entry.get("summary"), node.key)
    first, number = entry.get("firstKeptEntryId"), entry.get("firstKeptEntryIndex")
    node.first_kept = first if isinstance(first, str) else number if isinstance(number, int) else None
    node.usage = usage_of(entry.get("usage"))
    prompt = entry.get("systemMessage")
    if isinstance(prompt, dict):
        node.prompt = reader.prompt(node.index, ("systemMessage",), f"{node.key}/system", prompt)
    details = entry.get("details")
    own = details.get(OWN) if isinstance(details, dict) else None
    own = own if isinstance(own, dict) else {}
    kept = own.get("preserved")
    node.boundary = Boundary(
        key=node.key,
        trigger=_text(own, "trigger") or "auto",
        strategy=_text(own, "strategy") or "client",
        time=node.time,
        tokens_before=_count(entry.get("tokensBefore")),
        tokens_after=_count(own.get("tokensAfter")),
        removed=_count(own.get("removed")),
        preserved=(str(kept[0]), str(kept[1])) if isinstance(kept, list) and len(kept) == 2 else None,
        record=node.index,
    )


def _marker(node: Node) -> Boundary | None:
    """The boundary of an entry that marks a removal at its place; such a marker hides nothing."""
    for block in node.blocks:
        if isinstance(block, Text) and block.author is Author.MARKER:
            found = boundary_of(block.content.preview, node.key, node.index)
            return replace(found, time=node.time, hides=False) if found else None
    return None


def usage_of(value: Any) -> Usage | None:
    """The usage of a reply; None if it holds no count."""
    if not isinstance(value, dict):
        return None
    names = ("input", "output", "cacheRead", "cacheWrite")
    counts = [_count(value.get(name)) or 0 for name in names]
    return Usage(*counts) if any(counts) else None


def _model(provider: Any, model: Any) -> tuple[str, str] | None:
    return (provider, model) if isinstance(provider, str) and isinstance(model, str) else None


def _milliseconds(value: Any) -> float | None:
    count = _count(value)
    return None if count is None or count > 1e15 else count / 1000


def _text(entry: Mapping[str, Any], name: str) -> str | None:
    value = entry.get(name)
    return value if isinstance(value, str) and value else None


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
