"""The tree of a Claude Code file: parents, the path from a leaf to its root, and what is sent besides it.

The rules are those of the client (2.1.332, measured). The leaf is the last message in file order, or the
record that the newest `last-prompt` after the last boundary names, if that message does not descend from
it. Of records with the same uuid the last counts, at the position of the first. Parents lead through
records of every type. A boundary hides what came before it. If one record of an API message is on the
path, all its records and all their results belong to the branch, and so does what the client attached
below a call or a result, wherever it is in the file.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cached_property
from itertools import takewhile
from typing import Final

from msgspec import Struct, field

from app.formats.claude_code.names import PROMPT
from app.formats.claude_code.nodes import Node


class Branch(Struct):
    """The records from a root or boundary to a leaf, in the order in which they are sent."""

    path: list[Node]
    """The chain of parents; begins with the boundary if there is one."""
    nodes: list[Node]
    """The records with something to send, including siblings of one API message on parallel branches."""
    hidden: list[Node] = field(default_factory=list)
    """The chain of parents before the boundary."""
    misplaced: Node | None = None
    """A boundary whose preserved segment cannot be sent at its anchor; the segment is left out."""
    inserted: list[Node] = field(default_factory=list)
    """The preserved segment, if there is one."""


class Graph:
    """The tree of all records of a file. A parent that is not in the file is substituted (see `missing`)."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        """`nodes` are the nodes of all records, each at its record's index."""
        self.nodes = nodes
        self.superseded: list[Node] = []
        """Records whose uuid a later one repeats."""
        self.missing: list[Node] = []
        """Records whose parent is not in the file: the record before takes its place."""
        self.cycles: list[Node] = []
        """Records whose parent would close a cycle: they become roots."""
        self.by_uuid: dict[str, Node] = {}
        self._find_winners()
        self.tree = sorted(
            (n for n in nodes if n.in_tree and (n.uuid is None or self.by_uuid[n.uuid] is n)),
            key=lambda n: n.order,
        )
        self.sidechain = not any(n.sent and not n.sidechain for n in self.tree)
        """Whether the file is a sub-agent's own transcript: its sidechain is the conversation."""
        self._parents: list[Node | None] = [None] * len(nodes)
        self._find_parents()
        self._by_message: dict[str, Sequence[Node]] = {}
        self._by_answer: dict[str, Node] = {}
        """Call id -> the first record that answers it."""
        for node in self.tree:
            if node.sent and self.is_main(node):
                self._note_ids(node)
        self._cut_cycles()

    def _note_ids(self, node: Node) -> None:
        for ident in node.answers:
            self._by_answer.setdefault(ident, node)
        if node.message_id is None:
            return
        known = self._by_message.get(node.message_id, ())
        if isinstance(known, list):
            known.append(node)
        else:  # most messages have one record
            self._by_message[node.message_id] = [*known, node] if known else (node,)

    def _find_winners(self) -> None:
        for node in self.nodes:
            if node.uuid is None:
                continue
            earlier = self.by_uuid.get(node.uuid)
            if earlier is not None:
                node.order = earlier.order
                self.superseded.append(earlier)
            self.by_uuid[node.uuid] = node

    def _find_parents(self) -> None:
        before: dict[tuple[bool, str], Node] = {}
        for node in self.tree:
            lane = (node.sidechain, node.agent if node.sidechain else "")
            parent = self.by_uuid.get(node.parent) if node.parent else None
            if parent is None and (node.parent is not None or (node.talk and not node.parent_given)):
                parent = before.get(lane)
                self.missing.append(node)
            self._parents[node.index] = parent
            before[lane] = node

    def _cut_cycles(self) -> None:
        walks = array("i", [0]) * len(self.nodes)  # number of the walk that reached each record
        leaf = self._newest()
        for walk, start in enumerate(([leaf] if leaf else []) + self.tree[::-1], 1):
            node: Node | None = start
            last = start
            while node is not None and not walks[node.index]:
                walks[node.index] = walk
                last, node = node, self._parents[node.index]
            if node is not None and walks[node.index] == walk:
                self.cycles.append(last)
                self._parents[last.index] = None

    def is_main(self, node: Node) -> bool:
        """Whether a record belongs to the conversation and not to a sub-agent's."""
        return node.sidechain == self.sidechain

    def parent(self, node: Node) -> Node | None:
        """The record's parent, or the record before if the parent is not in the file."""
        return self._parents[node.index]

    def leaf(self) -> Node | None:
        """The record from which the client would resume."""
        newest, named = self._newest(), self._named()
        if newest is None or named is None:
            return newest
        above: Node | None = newest
        while above is not None and above is not named:
            above = self._parents[above.index]
        return newest if above is named else named

    def is_named(self, leaf: Node) -> bool:
        """Whether the client would resume from this record although it is not the last of the file."""
        return self.leaf() is leaf is not self._newest()

    def _newest(self) -> Node | None:
        return next((n for n in reversed(self.tree) if n.sent and self.is_main(n)), None)

    def _named(self) -> Node | None:
        """The message that the newest `last-prompt` names, or its nearest ancestor that is a message."""
        behind = takewhile(lambda n: not n.hides, reversed(self.nodes))
        reference = next((n.reference for n in behind if n.kind == PROMPT and n.reference), "")
        node = self.by_uuid.get(reference)
        if node is None or node.kind == "progress":
            return None
        while node is not None and not (node.sent and self.is_main(node)):
            node = self._parents[node.index]
        return node

    def walk(self, leaf: Node, *, strict: bool = False, until: Set[int] = frozenset()) -> list[Node]:
        """The records from the root to `leaf`.

        `strict` ends at a parent that is not in the file; the walk stops before a record whose index is
        in `until`.
        """
        missing = {n.index for n in self.missing} if strict else set()
        path: list[Node] = []
        node: Node | None = leaf
        while node is not None and node.index not in until:
            path.append(node)
            node = None if node.index in missing else self._parents[node.index]
        return path[::-1]

    def way(self, leaf: Node, *, strict: bool = False) -> Branch:
        """What is sent when the session is resumed from `leaf`."""
        path = self.walk(leaf, strict=strict) + self._tip(leaf)
        start = max((i for i, n in enumerate(path) if n.hides), default=0)
        way = Branch(path[start:], [], hidden=path[:start])
        self._insert_preserved(way)
        way.nodes = self.gathered(way.path)
        return way

    def _tip(self, leaf: Node) -> list[Node]:
        """Records below the leaf, other than talk, to the last with an effect: the client resumes there."""
        below: dict[int, Node] = {leaf.index: leaf}
        last = leaf
        for node in self.tree:
            parent = self._parents[node.index]
            if node.order > leaf.order and not node.talk and parent is not None and parent.index in below:
                below[node.index] = node
                last = node if node.blocks or node.compacted else last
        return self.walk(last, until={leaf.index})

    def _insert_preserved(self, way: Branch) -> None:
        """Insert the preserved segment of the branch's boundary after its anchor (2.1.170 and later)."""
        segment = way.path[0].preserved if way.path else None
        if segment is None:
            return
        head, tail = self.by_uuid.get(segment.head), self.by_uuid.get(segment.tail)
        at = next((i for i, n in enumerate(way.path) if n.uuid == segment.anchor), None)
        if head is None or tail is None or at is None:
            return
        kept = self.walk(tail)
        if head not in kept:
            return
        kept = kept[kept.index(head) :]
        if not {n.index for n in kept}.isdisjoint(n.index for n in way.path):
            return
        first = next((n for n in kept if n.sent), None)
        if at == 0 and first is not None and first.kind != "user":
            # A conversation that begins with an assistant message is refused.
            way.misplaced = way.path[0]
            return
        way.inserted = kept
        way.path[at + 1 : at + 1] = kept

    def gathered(self, path: Sequence[Node]) -> list[Node]:
        """The records of `path` with something to send, and their siblings, in sending order."""
        spans: dict[str, tuple[int, int]] = {}
        for at, node in enumerate(path):
            if node.sent and node.message_id is not None:
                spans[node.message_id] = (spans.get(node.message_id, (at, at))[0], at)
        found = _Gathering(self.nodes)
        for at, node in enumerate(path):
            if node.sent or node.kind == "attachment":
                found.put(node, at, 0)
        answered = {ident for n in path for ident in n.answers}
        for group, (first, last) in spans.items():
            members = self._by_message.get(group, ())
            for node in members:
                found.put(node, first, 0)
            for node in self._answers_to(members, answered):
                if node not in found:
                    found.put(node, last, 1)
        calling = {n.message_id for n in found.nodes if n.calls}
        taken = found.marks()
        for node in path:
            taken[node.index] = True
        for anchor in list(found.nodes):
            if anchor.answers or anchor.message_id in calling:
                at = spans[anchor.message_id][1] if anchor.message_id in spans else found.at(anchor)
                for node in self._hanging(anchor, taken):
                    found.put(node, at, 2)
        return found.sorted()

    def _hanging(self, anchor: Node, taken: bytearray) -> Iterator[Node]:
        """The sent records of side branches below a call or a result that hold no talk."""
        for child in self._children.of(anchor):
            branch = self._below(child, taken)
            if not any(n.talk and not n.meta for n in branch):
                yield from (n for n in branch if n.sent or n.kind == "attachment")

    def _below(self, top: Node, taken: bytearray) -> list[Node]:
        """A record and its descendants that are not taken; ends at the first that is talk."""
        found: list[Node] = []
        coming = [top]
        while coming and not (found and found[-1].talk and not found[-1].meta):
            node = coming.pop()
            if not taken[node.index]:
                found.append(node)
                coming += self._children.of(node)
        return found

    @cached_property
    def _children(self) -> _Children:
        found = _Children(self.nodes)
        for node in self.tree:
            parent = self._parents[node.index]
            if parent is not None and self.is_main(node):
                found.add(parent, node)
        return found

    def let_go(self) -> None:
        """Drop the cache that is only needed to find a branch; it is rebuilt for the next one."""
        self.__dict__.pop("_children", None)

    def _answers_to(self, members: Iterable[Node], answered: set[str]) -> list[Node]:
        idents = (ident for node in members for ident in node.calls if ident not in answered)
        return [self._by_answer[ident] for ident in idents if ident in self._by_answer]


class _Gathering:
    """Sent records, sorted by position on the path, part of that position, then file order."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.nodes: list[Node] = []
        """The records, in the order in which they were added."""
        self._size = len(nodes)
        self._ranks = array("q", [-1]) * len(nodes)

    def __contains__(self, node: Node) -> bool:
        return self._ranks[node.index] >= 0

    def put(self, node: Node, at: int, part: int) -> None:
        """Add a record, or move one that was added before."""
        if node not in self:
            self.nodes.append(node)
        self._ranks[node.index] = (_PARTS * at + part) * self._size + node.order

    def at(self, node: Node) -> int:
        """A record's position on the path."""
        return self._ranks[node.index] // (_PARTS * self._size)

    def marks(self) -> bytearray:
        """For each record of the file, whether it was added."""
        return bytearray(rank >= 0 for rank in self._ranks)

    def sorted(self) -> list[Node]:
        """The records in sending order."""
        return sorted(self.nodes, key=lambda n: self._ranks[n.index])


_PARTS: Final = 3


class _Children:
    """The children of each record, in file order; stored as linked lists, since most have one."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes = nodes
        self._first, self._last, self._next = (array("q", [-1]) * len(nodes) for _ in range(3))

    def add(self, parent: Node, node: Node) -> None:
        """Append a child to a parent."""
        last = self._last[parent.index]
        chain, at = (self._first, parent.index) if last < 0 else (self._next, last)
        chain[at] = self._last[parent.index] = node.index

    def of(self, parent: Node) -> Iterator[Node]:
        """The children of a parent."""
        index = self._first[parent.index]
        while index >= 0:
            yield self._nodes[index]
            index = self._next[index]
