"""A tree of records that name their parent by id, and the way from a leaf to its root.

A parent that is not in the file is bridged by the record before it, so that what stands above the break
can be seen; a strict walk ends there, as the agents' own does. A circle of parents is cut.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Generic, Protocol, TypeVar

from app.model import Message


class TreeNode(Protocol):
    """What a tree has to know of a record."""

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
        """Of equal ids the last or the first record counts. `linear`: each record follows the one before."""
        self.by_id: dict[str, N] = {}
        self.repeated: list[N] = []
        """Records whose id another one stands for."""
        self.missing: list[N] = []
        """Records whose parent is not in the file: the record before them stands in."""
        self.cycles: list[N] = []
        """Records whose parent would close a circle: they are roots."""
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
        """The record's parent, bridged where the file does not hold it."""
        return self._parents[node.index]

    def walk(self, leaf: N, *, strict: bool = False, until: Set[int] = frozenset()) -> list[N]:
        """The records from the root to `leaf`.

        `strict` ends at a parent that is not in the file; a record whose index is in `until` is not
        entered any more.
        """
        missing = {node.index for node in self.missing} if strict else set()
        path: list[N] = []
        node: N | None = leaf
        while node is not None and node.index not in until:
            path.append(node)
            node = None if node.index in missing else self._parents[node.index]
        return path[::-1]

    def below(self, leaf: N) -> list[N]:
        """What hangs below a record and holds no message: the way to the last of it."""
        known = {leaf.index}
        last = leaf
        for node in self.nodes:
            parent = self._parents[node.index]
            if not node.talk and parent is not None and parent.index in known:
                known.add(node.index)
                last = node
        return self.walk(last, until={leaf.index})


def in_file_order(live: Sequence[Message], others: Sequence[Message]) -> tuple[Message, ...]:
    """All messages in file order; the live ones among themselves in the order they are sent."""
    placed: list[tuple[int, int, Message]] = []
    reached = -1
    for message in live:
        reached = max(reached, message.records[0])
        placed.append((reached, 1, message))
    placed += [(message.records[0], 0, message) for message in others]
    return tuple(message for _, _, message in sorted(placed, key=lambda place: place[:2]))
