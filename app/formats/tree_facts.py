"""Facts and notices about a session whose records form a tree: branches, breaks, open calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Protocol, TypeVar

from app.formats.notices import Notices
from app.formats.tree import Tree, TreeNode
from app.model import Block, Leaf, Message, ToolResult, ToolUse, preview_of


class TalkNode(TreeNode, Protocol):
    """What is needed of a record besides its parent."""

    key: str
    time: float | None
    blocks: tuple[Block, ...]


T = TypeVar("T", bound=TalkNode)


def leaves_of(tree: Tree[T], path: Sequence[T], live: Sequence[Message]) -> Iterator[Leaf]:
    """The ends of the branches that hold a message, the live one first, the others newest first."""
    claimed = {node.index for node in path}
    last = next((node for node in reversed(path) if node.talk), None)
    if last is not None:
        found = (text for m in reversed(live) for b in reversed(m.blocks) if (text := preview_of(b)))
        yield Leaf(last.key, len(live), last.time, next(found, ""))
    for node in reversed(tree.nodes):
        if node.index in claimed or not node.talk:
            continue
        branch = tree.walk(node, until=claimed)
        claimed |= {other.index for other in branch}
        texts = [preview_of(block) for other in branch for block in other.blocks]
        shown = next((text for text in reversed(texts) if text), "")
        yield Leaf(node.key, sum(bool(other.blocks) for other in branch), node.time, shown)


def pairs_in(nodes: Iterable[TalkNode]) -> int:
    """The number of calls in these records that have a result."""
    calls: set[str] = set()
    results: set[str] = set()
    for node in nodes:
        calls.update(block.id for block in node.blocks if isinstance(block, ToolUse))
        results.update(block.tool_use_id for block in node.blocks if isinstance(block, ToolResult))
    return len(calls & results)


def tell_tree(tree: Tree[T], branches: int, told: Notices) -> None:
    """Add notices about faults of the tree, and about several branches."""
    for node in tree.missing:
        told.add("missing-parent", node.index, f"parent {node.parent} is not in the file")
    for node in tree.cycles:
        told.add("cycle", node.index, "its parents form a loop")
    if branches > 1:
        told.add("forked", None, f"{branches} branches; the one that ends last is shown")


def tell_calls(messages: Sequence[Message], told: Notices) -> None:
    """Add notices about calls without a result, and results without a call."""
    calls: dict[str, int] = {}
    results: dict[str, int] = {}
    for message in messages:
        for block in message.blocks:
            place = message.records[0] if block.place is None else block.place.record
            if isinstance(block, ToolUse):
                calls.setdefault(block.id, place)
            elif isinstance(block, ToolResult):
                results.setdefault(block.tool_use_id, place)
    for ident, record in results.items():
        if ident not in calls:
            told.add("orphan-result", record, f"no call {ident}")
    for ident, record in calls.items():
        if ident not in results:
            told.add("open-call", record, f"call {ident} has no result")


def tree_repairs(tree: Tree[T], stay: Set[int]) -> Iterator[tuple[str, int, str]]:
    """The faults repaired by relinking the records `stay`: warning word, record, and what was done."""
    for node in tree.missing:
        if node.index in stay:
            yield "missing-parent", node.index, "linked to the record before it"
    for node in tree.cycles:
        if node.index in stay:
            yield "cycle", node.index, "made a root"
