"""Parents in the new file: every record that is sent can be reached from the leaf, and nothing dangles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from app.formats.claude_code.graph import Graph
from app.formats.claude_code.nodes import Node
from app.formats.claude_code.rows import Row


class Ancestors:
    """Finds the nearest ancestor among some rows; each gap in the tree is walked once."""

    def __init__(self, graph: Graph, rows: Iterable[Row]) -> None:
        self._graph = graph
        self._rows = {row.node.index: row for row in rows if row.node is not None and row.uuid is not None}
        self._known: dict[int, Row | None] = {}

    def of(self, node: Node) -> Row | None:
        """The nearest ancestor of `node` that is among the rows."""
        gap: list[int] = []
        parent = self._graph.parent(node)
        while parent is not None and parent.index not in self._rows and parent.index not in self._known:
            gap.append(parent.index)
            parent = self._graph.parent(parent)
        found = None
        if parent is not None:
            found = self._rows.get(parent.index) or self._known.get(parent.index)
        self._known.update(dict.fromkeys(gap, found))
        return found


class Linker:
    """Sets `parent` of rows: the record's own where it stays, else the nearest ancestor that stays."""

    def __init__(self, graph: Graph, rows: Sequence[Row], boundary: Row | None) -> None:
        self._rows = rows
        self._boundary = boundary
        border = rows.index(boundary) if boundary is not None else -1
        self.ancestors = Ancestors(graph, rows)
        # The chain of what is sent may not lead back above a new boundary.
        self._ahead = Ancestors(
            graph, (r for at, r in enumerate(rows) if at > border or r.message is not None)
        )

    def link(self, thread: Sequence[Row], places: dict[int, int]) -> None:
        """Link all rows; `places` are the positions in the old path of the records that stood on it."""
        for row in self._rows:
            if row.node is not None and row.node.in_tree:
                row.parent = self.ancestors.of(row.node)
        chain = list(_chain(thread, places))
        in_chain = set(chain)
        before = self._boundary
        for row in chain:
            self._lead_back(row, before, in_chain)
            before = row
        self._link_beside(thread, in_chain)

    def _lead_back(self, row: Row, before: Row | None, chain: set[Row]) -> None:
        """Let `row` have `before` as the next ancestor in the chain."""
        parent = self._ahead.of(row.node) if row.node is not None else None
        reached = parent
        while reached is not None and reached not in chain and reached.node is not None:
            reached = self._ahead.of(reached.node)
        row.parent = parent if before is None or reached is before else before

    def _link_beside(self, thread: Sequence[Row], chain: set[Row]) -> None:
        """Records of parallel calls, which a reader finds by their ids and not by parents."""
        last = self._boundary
        for row in thread:
            if row in chain:
                last = row
            elif row.node is not None:
                row.parent = self._ahead.of(row.node) or last


def _chain(thread: Sequence[Row], places: dict[int, int]) -> Iterator[Row]:
    """The rows through which the parents must lead, from the root to the leaf.

    Those that stood on the old path and the made ones; of a message that has neither, its last row, so
    that a reader meets the message at all.
    """
    for _, members in groupby(thread, key=lambda row: row.message):
        rows = list(members)
        chosen = [row for row in rows if row.node is None or _place(row, places) >= 0] or rows[-1:]
        old = iter(sorted((row for row in chosen if row.node), key=lambda row: _place(row, places)))
        for row in chosen:
            yield row if row.node is None else next(old)


def _place(row: Row, places: dict[int, int]) -> int:
    return places.get(row.node.index, -1) if row.node is not None else -1
