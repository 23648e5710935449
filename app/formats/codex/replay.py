"""The history that a rollout stands for: a log is replayed, compactions start anew, turns are taken back.

The rules are those of the client (0.171, measured): the last compaction governs, and taking back turns
counts messages of the person from the end, those that a compaction left among them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from msgspec import Struct, field

from app.formats.codex.nodes import Node
from app.model import Author, SendStatus, Text

WORDS_KEPT: Final = 80_000
"""Bytes of the person's messages, newest first, that a compaction without its own history keeps."""


class Segment(Struct):
    """The history since a compaction, or since the start of the file."""

    compaction: int | None = None
    """The record of the compaction."""
    previous: Segment | None = None
    left: list[Node] | None = None
    """What the compaction left, where that was looked up."""
    nodes: list[Node] = field(default_factory=list)
    """What came since."""
    undone: list[Node] = field(default_factory=list)
    """What the compaction left and the person took back later."""
    turns: list[int] = field(default_factory=list)
    """Where turns begin, by place in what was left and what came since together."""


History: TypeAlias = Callable[[Segment], list[Node]]
"""Gives the nodes that a compaction left at the start of its segment."""


class Replay:
    """Takes the records of a rollout in order; afterwards `top` leads to all that governs."""

    def __init__(self, history: History) -> None:
        self.top = Segment(left=[])
        self.undone: list[Node] = []
        self._history = history

    def add(self, node: Node) -> None:
        """The next item."""
        if node.starts_turn:
            self.top.turns.append(len(self.top.left or ()) + len(self.top.nodes))
        self.top.nodes.append(node)

    def compact(self, record: int) -> None:
        """A compaction: what came before is not sent any more."""
        self.top = Segment(record, self.top)

    def roll_back(self, turns: int) -> None:
        """Take back the last turns, each with what the client put in front of it."""
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
        """The segments before the one that governs, newest first."""
        segment = self.top.previous
        while segment is not None:
            yield segment
            segment = segment.previous

    def settle(self) -> list[Node]:
        """Give every node its standing; the nodes that the governing compaction left, in order."""
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
