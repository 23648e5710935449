"""Replaying a rollout's log to its history: compactions restart it, rollbacks remove turns from its end.

The rules are those of the client (0.171, measured): the last compaction counts, and a rollback counts
messages of the person from the end, including those that a compaction left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from msgspec import Struct, field

from app.formats.codex.nodes import Node
from app.model import Author, SendStatus, Text

WORDS_KEPT: Final = 80_000
"""Bytes of the person's messages, newest first, kept by a compaction without a history of its own."""


class Segment(Struct):
    """The history since a compaction, or since the start of the file."""

    compaction: int | None = None
    """The record of the compaction."""
    previous: Segment | None = None
    left: list[Node] | None = None
    """The items that the compaction left; None until they are looked up."""
    nodes: list[Node] = field(default_factory=list)
    """The items since then."""
    undone: list[Node] = field(default_factory=list)
    """Items that the compaction left and a later rollback removed."""
    turns: list[int] = field(default_factory=list)
    """Where turns begin: indexes into `left` and `nodes` together."""


History: TypeAlias = Callable[[Segment], list[Node]]
"""Returns the nodes that a compaction left at the start of its segment."""


class Replay:
    """Takes the records of a rollout in order; afterwards `top` is the current segment."""

    def __init__(self, history: History) -> None:
        self.top = Segment(left=[])
        self.undone: list[Node] = []
        self._history = history

    def add(self, node: Node) -> None:
        """Add the next item."""
        if node.starts_turn:
            self.top.turns.append(len(self.top.left or ()) + len(self.top.nodes))
        self.top.nodes.append(node)

    def compact(self, record: int) -> None:
        """Apply a compaction: what came before is no longer sent."""
        self.top = Segment(record, self.top)

    def roll_back(self, turns: int) -> None:
        """Remove the last turns, each with the client's messages before it."""
        top = self.top
        if top.left is None:
            top.left = self._history(top)
            before = [place for place, node in enumerate(top.left) if node.starts_turn]
            top.turns = before + [len(top.left) + place for place in top.turns]
        if turns <= 0 or not top.turns:
            return
        first = top.turns[0]
        cut = top.turns[-turns] if len(top.turns) >= turns else first
        del top.turns[-turns:]
        while cut > first and self._at(cut - 1).contextual:
            cut -= 1
        border = len(top.left)
        self.undone += top.left[cut:] + top.nodes[max(cut - border, 0) :]
        top.undone = top.left[cut:] + top.undone
        del top.nodes[max(cut - border, 0) :]
        del top.left[cut:]

    def _at(self, place: int) -> Node:
        left = self.top.left or []
        return left[place] if place < len(left) else self.top.nodes[place - len(left)]

    def past(self) -> Iterator[Segment]:
        """The segments before the current one, newest first."""
        segment = self.top.previous
        while segment is not None:
            yield segment
            segment = segment.previous

    def settle(self) -> list[Node]:
        """Set every node's `standing`; returns the nodes that the last compaction left, in order."""
        for node in self.undone:
            node.standing = SendStatus.OFF_BRANCH
        for segment in self.past():
            for node in segment.nodes:
                node.standing = SendStatus.BEFORE_BOUNDARY
        left = self._history(self.top)
        for node in left:
            node.standing = SendStatus.LIVE
        return left


def words_kept(nodes: Sequence[Node]) -> list[Node]:
    """The messages of the person that a compaction without a history of its own keeps, in order."""
    kept: list[Node] = []
    left = WORDS_KEPT
    for node in reversed(nodes):
        if left <= 0:
            break
        if node.starts_turn and not _is_summary(node):
            kept.append(node)
            left -= sum(block.content.size for block in node.blocks if isinstance(block, Text))
    return kept[::-1]


def _is_summary(node: Node) -> bool:
    return any(isinstance(block, Text) and block.author is Author.SUMMARY for block in node.blocks)
