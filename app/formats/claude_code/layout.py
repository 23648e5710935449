"""The order of the lines in the new file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct, field

from app.formats.claude_code.graph import Graph
from app.formats.claude_code.nodes import Node
from app.formats.claude_code.rows import Row, Thread


class Layout(Struct):
    """Decides where rows go that do not keep their position in the old file."""

    base: list[Row]
    """The kept rows of the old file, in file order."""
    thread: Thread
    moved: set[Row] = field(default_factory=set)
    astray: set[Row] = field(default_factory=set)
    """Rows out of sending order that keep their position all the same: no row is placed after one."""
    to_end: bool = False
    """Move rows to the end of the file, instead of after the row that is sent before them."""

    def move_behind(self, rows: Iterable[Row], place: int) -> None:
        """Move those of `rows` that are before `place` in the old file."""
        self.moved |= {row for row in rows if row.node is not None and row.node.order < place}

    def move_behind_first(self) -> None:
        """Move sent rows that are before the first unmoved one of the thread: a boundary is placed there."""
        kept = (row for row in self.thread.rows if row.node is not None and row not in self.moved)
        first = next(kept, None)
        if first is not None and first.node is not None:
            self.move_behind(self.thread.rows, first.node.order)

    def move_out_of_order(self) -> set[Row]:
        """Move rows that a reader in file order would read too early or too late; returns those rows.

        These are a row before another one of its message that must be read first, and a result after
        the reply to it. An attachment is found by its parents alone, so it keeps its position.
        """
        late: set[Row] = set()
        following = self._starts()
        reached = (-1, -1)
        for row in self.thread.rows:
            if row.node is None or row.message is None or row in self.moved:
                continue
            behind_answer = row.has_results and row.node.order > following.get(
                row.message + 1, row.node.order
            )
            if behind_answer or (reached[0] == row.message and row.node.order < reached[1]):
                (self.astray if row.node.kind == "attachment" else late).add(row)
            else:
                reached = (row.message, row.node.order)
        self.moved |= late
        return late

    def _starts(self) -> dict[int, int]:
        """The file position of the first record of each message."""
        starts: dict[int, int] = {}
        for row in self.thread.rows:
            if row.node is not None and row.message is not None and row not in self.moved:
                starts[row.message] = min(row.node.order, starts.get(row.message, row.node.order))
        return starts

    def rows(self, boundary: Row | None, last_hidden: Row | None) -> list[Row]:
        """All rows in their new order; moved and new rows follow the thread's order."""
        leading: list[Row] = [] if boundary is None else [boundary]
        behind: dict[Row, list[Row]] = {}
        ending: list[Row] = []
        anchor: Row | None = None
        first: Row | None = None
        for row in self.thread.rows:
            if row.node is not None and row not in self.moved and not ending:
                if row not in self.astray:
                    anchor = row
                    first = first or row
            elif self.to_end and (ending or row in self.moved):
                self.moved.add(row)
                ending.append(row)
            elif anchor is None:
                leading.append(row)
            else:
                behind.setdefault(anchor, []).append(row)
        if first is None and last_hidden is not None:
            behind.setdefault(last_hidden, []).extend(leading)
            leading = []
        found: list[Row] = []
        for row in self.base:
            if row in self.moved:
                continue
            if row is first:
                found += leading
            found.append(row)
            found += behind.get(row, ())
        return found + (leading if first is None else []) + ending


def base_rows(nodes: Sequence[Node], graph: Graph, thread: Thread) -> list[Row]:
    """A row for each record, in file order: of equal uuids the last, at the position of the first."""
    superseded = {n.index for n in graph.superseded}
    stay = [n for n in nodes if n.index not in superseded]
    stay.sort(key=lambda n: n.order)
    return [thread.by_record.get(n.index) or Row(n, uuid=n.uuid, time=n.time) for n in stay]


def ends_on_thread(rows: Sequence[Row], graph: Graph) -> bool:
    """Whether the last message of the file, from which the client resumes, is one of the thread."""
    for row in reversed(rows):
        if row.message is not None:
            return True
        if row.node is not None and row.node.sent and row.node.blocks and graph.is_main(row.node):
            return False
    return True
