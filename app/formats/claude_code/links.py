"""Setting parents in the new file: all sent records are reachable from the leaf, and no link dangles."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, takewhile
from typing import Final

from app.formats.claude_code.graph import Graph
from app.formats.claude_code.names import PROMPT
from app.formats.claude_code.nodes import Node
from app.formats.claude_code.rows import Row, Thread
from app.model import ToolUse


class Ancestors:
    """Finds the nearest ancestor among some rows; each gap in the tree is walked once."""

    def __init__(self, graph: Graph, rows: Iterable[Row]) -> None:
        self._graph = graph
        self._rows: list[Row | None] = [None] * len(graph.nodes)
        for row in rows:
            if row.node is not None and row.uuid is not None:
                self._rows[row.node.index] = row
        self._known: dict[int, Row | None] = {}

    def of(self, node: Node) -> Row | None:
        """The row of the nearest ancestor of `node` that is among the rows."""
        gap: list[int] = []
        parent = self._graph.parent(node)
        while parent is not None and self._rows[parent.index] is None and parent.index not in self._known:
            gap.append(parent.index)
            parent = self._graph.parent(parent)
        found = None
        if parent is not None:
            found = self._rows[parent.index] or self._known.get(parent.index)
        self._known.update(dict.fromkeys(gap, found))
        return found


class Linker:
    """Sets `parent` of rows: the record's own parent if it is kept, else the nearest kept ancestor."""

    def __init__(self, graph: Graph, rows: Sequence[Row], boundary: Row | None) -> None:
        self._graph = graph
        self._rows = rows
        self._boundary = boundary
        border = rows.index(boundary) if boundary is not None else -1
        self.ancestors = Ancestors(graph, rows)
        # A hidden record may not be below a sent one: the client would find it there.
        self._above = Ancestors(graph, (r for r in rows[: max(border, 0)] if r.message is None))
        # The chain of sent records may not lead back above a new boundary.
        self._ahead = Ancestors(
            graph, (r for at, r in enumerate(rows) if at > border or r.message is not None)
        )
        self._hidden = {row for row in rows[: max(border, 0)] if row.message is None}

    def link(self, thread: Sequence[Row], path: Sequence[Node]) -> None:
        """Link all rows; `path` is the path in the old file."""
        for row in self._rows:
            if row.node is not None and row.node.in_tree:
                row.parent = (self._above if row in self._hidden else self.ancestors).of(row.node)
        chain = list(self._chain(thread, path))
        in_chain = set(chain)
        before = self._boundary
        for row in chain:
            self._lead_back(row, before, in_chain)
            before = row
        self._link_beside(thread, in_chain)

    def _lead_back(self, row: Row, before: Row | None, chain: set[Row]) -> None:
        """Set the parent of `row` so that `before` is its nearest ancestor in the chain."""
        parent = self._ahead.of(row.node) if row.node is not None else None
        reached = parent
        while reached is not None and reached not in chain and reached.node is not None:
            reached = self._ahead.of(reached.node)
        row.parent = parent if before is None or reached is before else before

    def _link_beside(self, thread: Sequence[Row], chain: set[Row]) -> None:
        """Link records of parallel calls, which a reader finds by their ids and not by parents."""
        last = self._boundary
        for row in thread:
            if row in chain:
                last = row
            elif row.node is not None:
                row.parent = self._ahead.of(row.node) or last

    def _chain(self, thread: Sequence[Row], path: Sequence[Node]) -> Iterator[Row]:
        """The rows through which the parents must lead, from the root to the leaf.

        These are rows of the old path, new rows, and rows that were attached to a call or a result that
        is gone; of a message that has none of these, its last row, so that a reader finds it at all.
        """
        where = _Places(self._graph, path)
        hanging = _Hanging(thread, self._ahead)
        for _, members in groupby(thread, key=lambda row: row.message):
            rows = list(members)
            chosen = [
                row
                for row in rows
                if row.node is None or where.has(row.node) or hanging.is_loose(row, row.node)
            ] or rows[-1:]
            old = iter(sorted((row for row in chosen if row.node), key=where.of))
            for row in chosen:
                yield row if row.node is None else next(old)


def name_leaf(rows: Sequence[Row], thread: Thread) -> None:
    """Point the newest `last-prompt` at the leaf if the conversation does not lead through its record.

    The client would resume from that record: from one that a boundary hides, or on another branch.
    """
    behind = takewhile(lambda row: not _is_boundary(row), reversed(rows))
    named = next((r for r in behind if r.node and r.node.kind == PROMPT and r.node.reference), None)
    leaf = next((r for r in reversed(rows) if r.message is not None and (not r.node or r.node.talk)), None)
    if named is None or named.node is None or leaf is None:
        return
    reference = named.reference or named.node.reference
    target = next((row for row in rows if row.uuid == reference), None)
    if target is None or (target.node is not None and target.node.kind == "progress"):
        return
    above: Row | None = leaf
    while above is not None and above is not target:
        above = above.parent
    said: Row | None = target
    while said is not None and said.message is None and not (said.node and said.node.talk):
        said = said.parent
    if above is None and (said is None or said.message != thread.rows[-1].message):
        named.reference = leaf.uuid


def _is_boundary(row: Row) -> bool:
    return row.message is None if row.node is None else row.node.hides


class _Places:
    """Old positions of rows: on the old path, or beside it, after their nearest ancestor on it."""

    def __init__(self, graph: Graph, path: Sequence[Node]) -> None:
        self._graph = graph
        self._path = array("q", [_UNKNOWN]) * len(graph.nodes)
        for place, node in enumerate(path):
            self._path[node.index] = place
        self._known = self._path[:]

    def has(self, node: Node) -> bool:
        """Whether a record was on the path."""
        return self._path[node.index] >= 0

    def of(self, row: Row) -> tuple[int, int, int]:
        """The sort key of a row's position."""
        if row.node is None or self.has(row.node):
            return (self._path[row.node.index] if row.node else -1), 0, 0
        gap: list[int] = []
        node: Node | None = row.node
        while node is not None and self._known[node.index] == _UNKNOWN:
            gap.append(node.index)
            node = self._graph.parent(node)
        at = self._known[node.index] if node is not None else -1
        for index in gap:
            self._known[index] = at
        return at, 1, row.node.order


_UNKNOWN: Final = -2


class _Hanging:
    """Rows that the client attached below calls and results, the only place where a reader finds them."""

    def __init__(self, thread: Sequence[Row], ahead: Ancestors) -> None:
        self._ahead = ahead
        self._sent = set(thread)
        self._calling = {row.node.message_id for row in thread if row.node is not None and _calls(row)}
        self._loose: dict[Row, bool] = {}

    def is_loose(self, row: Row, node: Node) -> bool:
        """Whether an attached row can no longer be found there; must be called in the thread's order."""
        if row.has_results or node.message_id is not None:
            return False
        above = self._ahead.of(node)
        while above is not None and above.node is not None and above not in self._sent:
            above = self._ahead.of(above.node)
        held = above is not None and above.node is not None and self._holds(above, above.node)
        self._loose[row] = not held
        return not held

    def _holds(self, above: Row, node: Node) -> bool:
        if above.has_results or node.message_id is not None:
            return above.has_results or node.message_id in self._calling
        return not self._loose.get(above, True)


def _calls(row: Row) -> bool:
    """Whether a row, as it will be written, has a call."""
    blocks = row.node.blocks if row.content is None and row.node else [i.block for i in row.content or ()]
    return any(isinstance(block, ToolUse) for block in blocks)
