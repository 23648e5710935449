"""Which messages of a session are sent, and in which order: from the last compaction on.

The rules are the client's (1.18.33, read and measured): messages are ordered by time and id; a compaction is
a message of the user whose answer is a finished summary; the messages from `tail_start_id` on are kept and
follow the summary.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from app.formats.opencode.nodes import Node
from app.model import Role


class History(Struct, frozen=True):
    """The messages that are sent, and the compaction that starts them."""

    live: tuple[Node, ...]
    compaction: Node | None
    """The user message that represents the compaction."""
    compactions: tuple[Node, ...]
    """All compactions, oldest first."""


def history_of(nodes: Sequence[Node]) -> History:
    """The history of messages given in the client's order."""
    asked = {node.parent for node in nodes if node.role is Role.ASSISTANT and node.summary}
    compactions = tuple(node for node in nodes if node.compacts and node.ident in asked)
    reached, governing = _reached(nodes)
    return History(tuple(_reordered(reached)), governing, compactions)


def _reached(nodes: Sequence[Node]) -> tuple[list[Node], Node | None]:
    """The messages that the client reaches from the newest back, and the compaction where it stops."""
    found: list[Node] = []
    asked: set[str] = set()
    tail, governing = "", None
    for node in reversed(nodes):
        found.append(node)
        if tail:
            if node.ident == tail:
                break
        elif node.role is Role.USER and node.ident in asked and node.compacts:
            governing = node
            tail = node.tail
            if not tail or node.ident == tail:
                break
        elif node.summary:
            asked.add(node.parent)
    return found[::-1], governing


def _reordered(nodes: list[Node]) -> list[Node]:
    """The messages with those that a compaction kept moved after its summary."""
    at = max((n for n, node in enumerate(nodes) if node.compacts and node.tail), default=-1)
    if at < 0:
        return nodes
    asked = nodes[at]
    answers = (n for n, node in enumerate(nodes) if n > at and node.summary and node.parent == asked.ident)
    summary = next(answers, -1)
    tail = next((n for n, node in enumerate(nodes) if node.ident == asked.tail), -1)
    if 0 <= tail < at < summary:
        return [*nodes[at : summary + 1], *nodes[tail:at], *nodes[summary + 1 :]]
    return nodes
