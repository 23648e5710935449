"""A tree of records that name their parent by id, and the path from its root to a leaf.

If a parent is not in the file, the record before takes its place, so that what is above the break can
still be seen; a strict walk ends there, as the agents' own does. A cycle of parents is cut.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Generic, Protocol, TypeVar

from app.model import Message


class TreeNode(Protocol):
    """What a tree needs to know about a record."""

    index: int
    """Its place in the file."""
    ident: str | None
    """Its own id; None for a record that no other can name."""
    parent: str | None
    """The id of its parent; None for a root."""
    parent_given: bool
    """Whether the record says who its parent is, be it nobody."""
    talk: bool
    """Whether it holds a message."""


N = TypeVar("N", bound=TreeNode)


class Tree(Generic[N]):
    """The tree over the records of a file that have an id."""

    def __init__(self, nodes: Sequence[N], *, last_wins: bool = True, linear: bool = False) -> None:
        """Of records with the same id the last or first counts. `linear`: the parent is the record before."""
        self.by_id: dict[str, N] = {}
        self.repeated: list[N] = []
        """Records superseded by another one with the same id."""
        self.missing: list[N] = []
        """Records whose parent is not in the file: the record before takes its place."""
        self.cycles: list[N] = []
        """Records whose parent would close a cycle: they become roots."""
        self.linear = linear
        self._find_winners(nodes, last_wins=last_wins)
        again = {node.index for node in self.repeated}
        self.nodes = [
            node for node in nodes if (linear or node.ident is not None) and node.index not in again
        ]
        """In file order."""
        self._parents: dict[int, N | None] = {}
        self._find_parents()
        self._cut_cycles()

    def _find_winners(self, nodes: Sequence[N], *, last_wins: bool) -> None:
        for node in nodes:
            if node.ident is None:
                continue
            earlier = self.by_id.get(node.ident)
            if earlier is not None:
                self.repeated.append(earlier if last_wins else node)
            if earlier is None or last_wins:
                self.by_id[node.ident] = node

    def _find_parents(self) -> None:
        before: N | None = None
        for node in self.nodes:
            parent = self.by_id.get(node.parent) if node.parent is not None else None
            if self.linear:
                parent = before
            elif parent is None and (node.parent is not None or (node.talk and not node.parent_given)):
                parent = before
                self.missing.append(node)
            self._parents[node.index] = parent
            before = node

    def _cut_cycles(self) -> None:
        done: set[int] = set()
        for start in reversed(self.nodes):
            here: set[int] = set()
            last, node = start, self._step(start, done, here)
            while node is not None and node.index not in done:
                last, node = node, self._step(node, done, here)
            if node is not None and node.index in here:
                self.cycles.append(last)
                self._parents[last.index] = None

    def _step(self, node: N, done: set[int], here: set[int]) -> N | None:
        if node.index in done:
            return None
        done.add(node.index)
        here.add(node.index)
        return self._parents[node.index]

    def parent(self, node: N) -> N | None:
        """The record's parent, or the record before if the parent is not in the file."""
        return self._parents[node.index]

    def walk(self, leaf: N, *, strict: bool = False, until: Set[int] = frozenset()) -> list[N]:
        """The records from the root to `leaf`.

        `strict` ends at a parent that is not in the file; the walk stops before a record whose index is
        in `until`.
        """
        missing = {node.index for node in self.missing} if strict else set()
        path: list[N] = []
        node: N | None = leaf
        while node is not None and node.index not in until:
            path.append(node)
            node = None if node.index in missing else self._parents[node.index]
        return path[::-1]

    def below(self, leaf: N) -> list[N]:
        """The path from `leaf` to its last descendant that is reached through records without messages."""
        known = {leaf.index}
        last = leaf
        for node in self.nodes:
            parent = self._parents[node.index]
            if not node.talk and parent is not None and parent.index in known:
                known.add(node.index)
                last = node
        return self.walk(last, until={leaf.index})


def in_file_order(live: Sequence[Message], others: Sequence[Message]) -> tuple[Message, ...]:
    """All messages in file order, except that the live ones stay in sending order."""
    placed: list[tuple[int, int, Message]] = []
    reached = -1
    for message in live:
        reached = max(reached, message.records[0])
        placed.append((reached, 1, message))
    placed += [(message.records[0], 0, message) for message in others]
    return tuple(message for _, _, message in sorted(placed, key=lambda place: place[:2]))
