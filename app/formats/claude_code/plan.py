"""Planning an export as rows, before any byte is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from msgspec import Struct

from app.formats.base import Rewrite
from app.formats.claude_code.added import Value, boundary_record
from app.formats.claude_code.layout import Layout, base_rows, ends_on_thread
from app.formats.claude_code.links import Ancestors, Linker, name_leaf
from app.formats.claude_code.names import REQUEST_LOG, WORD_COPIES
from app.formats.claude_code.nodes import Node
from app.formats.claude_code.request import drafts_of
from app.formats.claude_code.rows import Row, Thread, Threader
from app.formats.claude_code.transcript import Transcript
from app.formats.damage import file_repairs
from app.formats.drafts import Draft
from app.formats.new_ids import MadeIds
from app.formats.repairs import as_notices
from app.formats.text_copies import lost_words, says_any
from app.model import Notice, Role, Session


class Plan(Struct, frozen=True):
    """The lines of the new file, and the repairs."""

    lines: list[Row | int]
    """Unchanged records are plain indexes: a long session has a hundred thousand."""
    repairs: tuple[Notice, ...]


class Planner:
    """Plans one export of a session."""

    def __init__(self, session: Session, rewrite: Rewrite, records: Transcript) -> None:
        self._session = session
        self._rewrite = rewrite
        self._records = records
        self._graph = records.graph
        self._way = records.way(session.live_leaf)
        self._repairs = file_repairs(session.notices)
        self._last_order = max((n.order for n in self._way.path if n.sent), default=-1)
        name = rewrite.session_id or session.session_id or session.name
        self._uuids = MadeIds(name, self._graph.by_uuid)

    def plan(self) -> Plan:
        """The rows in their new order, with all changes to them."""
        wanted, mending = drafts_of(self._records, self._rewrite)
        self._repairs += as_notices(mending.repairs, self._line_of_message())
        self._rewrite.look()
        thread = self._thread(wanted)
        roles = [draft.role for draft in wanted]
        del wanted  # a long session has a hundred thousand items
        gone = self._gone(thread)
        hidden = self._hidden(gone, thread)
        boundary = self._boundary_row(hidden, thread)
        regrouped = bool(gone) or boundary is not None or any(row.node is None for row in thread.rows)
        detached = set() if regrouped else self._preserved_rows(thread)
        rows = self._arrange(thread, gone, hidden, boundary, regrouped)
        if self._rewrite.drop_old and boundary is not None:
            rows = _without_old(rows, boundary)
        self._rewrite.look()
        linker = Linker(self._graph, rows, boundary)
        self._link(linker, rows, [row for row in thread.rows if row not in detached])
        self._refer(linker.ancestors, rows, thread)
        self._retell(rows)
        self._set_usage(roles, thread)
        _date(thread, boundary, max((n.time for n in hidden if n.time is not None), default=None))
        self._note_graph(rows)
        if not (regrouped or self._repairs):
            self._note_moved(rows)
        return Plan([row.as_line() for row in rows], tuple(self._repairs))

    def _line_of_message(self) -> Callable[[str], int | None]:
        """A function from a message's key to its line; the map is built on the first call."""
        lines: dict[str, int] = {}

        def line(key: str) -> int | None:
            if not lines:
                lines.update(
                    {m.key: self._records[m.records[0]].line for m in self._session.live if m.records}
                )
            return lines.get(key)

        return line

    def _note(self, word: str, node: Node, detail: str) -> None:
        self._repairs.append(Notice(word, self._records[node.index].line, detail))

    def _thread(self, wanted: Sequence[Draft]) -> Thread:
        originals = {block.key: block for message in self._session.live for block in message.blocks}
        kept = (i.block.place.record for d in wanted for i in d.items if i.block and i.block.place)
        neighbour = next(kept, next((n.index for n in reversed(self._way.path) if n.talk), 0))
        return Threader(
            self._way.nodes, self._records, originals, neighbour, self._uuids.make, self._rewrite.boundary
        ).thread(wanted)

    def _gone(self, thread: Thread) -> list[Node]:
        """The records of the live conversation of which nothing is kept."""
        said = {row.node.message_id for row in thread.rows if row.node is not None}
        gone = []
        for node in self._way.nodes:
            if node.index in thread.by_record or node.hollow:
                continue
            if node.blocks or (node.message_id is not None and node.message_id not in said):
                gone.append(node)
        hollow = [n for n in self._way.path if n.hollow and n.order < self._last_order]
        for node in hollow:
            self._note("empty-content", node, "a message without content was left out")
        return gone + hollow

    def _hidden(self, gone: Sequence[Node], thread: Thread) -> list[Node]:
        """Those of the gone records that stay above the new boundary: all except parts of kept messages.

        A record of a reply or of results that are kept in part would be found by its ids, wherever it
        is in the file; the user's words have none.
        """
        if self._rewrite.boundary is None:
            return []
        kept_in_part = {
            index
            for message in self._session.live
            if any(index in thread.by_record for index in message.records)
            for index in message.records
        }
        parts = {
            n.index
            for n in gone
            if n.hollow or (n.index in kept_in_part and (n.message_id is not None or n.answers))
        }
        calls = {call for node in gone if node.index in parts for call in node.calls}
        return [n for n in gone if n.index not in parts and not (n.answers and calls.issuperset(n.answers))]

    def _boundary_row(self, hidden: Sequence[Node], thread: Thread) -> Row | None:
        boundary = self._rewrite.boundary
        if boundary is None:
            return None
        last = max(hidden, key=lambda n: n.order, default=None)
        near = next((row.node for row in thread.rows if row.node), last)

        def record() -> Value:
            neighbour = self._records.value(near.index) if near else {}
            return boundary_record(boundary, last.uuid if last else None, neighbour)

        return Row(made=record, uuid=self._uuids.make(boundary.key))

    def _preserved_rows(self, thread: Thread) -> set[Row]:
        """The rows of the preserved segment; no parent leads to them as long as the old boundary does."""
        return {row for n in self._way.inserted if (row := thread.by_record.get(n.index))}

    def _arrange(
        self,
        thread: Thread,
        gone: Sequence[Node],
        hidden: Sequence[Node],
        boundary: Row | None,
        regrouped: bool,
    ) -> list[Row]:
        left_out = {n.index for n in gone}.difference(n.index for n in hidden)
        unlogged = regrouped or self._rewrite.session_id is not None or any(r.edited for r in thread.rows)
        stay = [
            n
            for n in self._records.nodes
            if n.index not in left_out
            and self._records.kinds[n.index] != "unreadable"
            and not (unlogged and n.kind in REQUEST_LOG)
        ]
        layout = Layout(base_rows(stay, self._graph, thread), thread)
        self._move_branch(layout)
        if regrouped:
            layout.moved |= self._preserved_rows(thread)
        last = max(hidden, key=lambda n: n.order, default=None)
        if last is not None:
            layout.move_behind(thread.rows, last.order)
        if boundary is not None:
            layout.move_behind_first()
        self._note_order(layout.move_out_of_order(), thread)
        border = next((row for row in layout.base if last is not None and row.node is last), None)
        self._plain_boundaries(layout.base, regrouped and boundary is None)
        rows = layout.rows(boundary, border)
        if thread.rows and not (ends_on_thread(rows, self._graph) or self._is_named(thread)):
            final = thread.rows[-1].message
            layout.to_end = True
            layout.moved |= {row for row in thread.rows if row.message == final}
            rows = layout.rows(boundary, border)
        return rows

    def _is_named(self, thread: Thread) -> bool:
        """Whether a `last-prompt` names the last message of the thread as the leaf."""
        leaf = self._graph.leaf()
        if leaf is None or leaf.key != self._session.live_leaf or not self._graph.is_named(leaf):
            return False
        row = thread.by_record.get(leaf.index)
        return row is not None and row.message == thread.rows[-1].message

    def _move_branch(self, layout: Layout) -> None:
        """Move a branch that the client would not resume after the one that it would."""
        leaf = self._graph.leaf()
        if leaf is None or leaf.key == self._session.live_leaf:
            return
        shared = {n.index for n in self._graph.way(leaf).nodes}
        layout.to_end = True
        layout.moved |= {row for index, row in layout.thread.by_record.items() if index not in shared}

    def _plain_boundaries(self, base: Iterable[Row], rebuilt: bool) -> None:
        """Remove preserved segments that are no longer valid, or never were."""
        misplaced = self._way.misplaced
        for row in base:
            if row.node is None or row.node.preserved is None:
                continue
            if row.node is misplaced:
                row.plain_boundary = True
                self._note("block-order", row.node, "a preserved segment began with the assistant")
            elif rebuilt and self._way.inserted and row.node is self._way.path[0]:
                row.plain_boundary = True

    def _note_order(self, late: set[Row], thread: Thread) -> None:
        for row in thread.rows:
            if row.node is None or row.node.kind != "user":
                continue
            turned = row.content is not None and _is_turned(row)
            if row in late or turned:
                self._note("result-order", row.node, "text came before a result in the same message")

    def _link(self, linker: Linker, rows: Sequence[Row], thread: Sequence[Row]) -> None:
        linker.link(thread, self._way.path)
        for row in rows:
            if row.node is not None and row.node.in_tree:
                parent = row.parent.uuid if row.parent else None
                unsaid = row.message is not None and not row.node.parent_given
                row.new_parent = parent != row.node.parent or unsaid

    def _refer(self, ancestors: Ancestors, rows: Sequence[Row], thread: Thread) -> None:
        """Redirect references to records that this export leaves out."""
        uuids = {row.uuid for row in rows if row.uuid is not None}
        gone = {uuid: node for uuid, node in self._graph.by_uuid.items() if uuid not in uuids}
        last = thread.rows[-1].uuid if thread.rows else None
        for row in rows:
            if row.node is None:
                continue
            row.drop_source = row.node.source in gone
            node = gone.get(row.node.reference) if row.node.reference is not None else None
            if node is not None:
                near = ancestors.of(node)
                row.reference = near.uuid if near is not None else last
        name_leaf(rows, thread)

    def _retell(self, rows: Sequence[Row]) -> None:
        """Update the copies of rewritten words in records that are never sent."""
        words = lost_words(self._rewrite, self._session.live)
        for row in rows if words else ():
            if row.node is not None and (names := WORD_COPIES.get(row.node.kind)):
                told = says_any(self._records.value(row.node.index), words, names)
                row.words = words if told else None

    def _set_usage(self, roles: Sequence[Role], thread: Thread) -> None:
        """Set the newest usage to the new size of the context, since the client relies on it."""
        tokens = self._rewrite.context_tokens
        if tokens is None:
            return
        for number in range(len(roles) - 1, -1, -1):
            if roles[number] is not Role.ASSISTANT:
                continue
            rows = [row for row in thread.rows if row.message == number and row.node and row.node.usage]
            if any(row.node and row.node.usage and row.node.usage.context for row in rows):
                for row in rows:
                    row.context_tokens = max(1, tokens)
                return

    def _note_graph(self, rows: Sequence[Row]) -> None:
        changed = {row.node.index for row in rows if row.node is not None and row.new_parent}
        for node in self._graph.superseded:
            self._note("duplicate-uuid", node, "a later record with the same uuid replaces it")
        for node in self._graph.missing:
            if node.index in changed:
                self._note("missing-parent", node, "linked to the record before it")
        for node in self._graph.cycles:
            if node.index in changed:
                self._note("cycle", node, "the loop of its parents was cut")

    def _note_moved(self, rows: Sequence[Row]) -> None:
        """Note that a record was where the client would read it too early or too late."""
        leaf = self._graph.leaf()
        if leaf is None or leaf.key != self._session.live_leaf:
            return  # another branch was chosen, and goes to the end
        nodes = [row.node for row in rows if row.node is not None]
        for before, node in pairwise(nodes):
            if node.order < before.order:
                self._note("result-order", node, "a record was where it is not read with its message")
                return


def _is_turned(row: Row) -> bool:
    """Whether a record's own blocks had to be put into another order."""
    if row.node is None or row.content is None:
        return False
    places = [item.block.place.path for item in row.content if item.block and item.block.place]
    return places != sorted(places, key=lambda path: (len(path), path))


def _without_old(rows: Sequence[Row], boundary: Row) -> list[Row]:
    """The rows from the boundary on, and the last row of each type outside the tree, wherever it is."""
    last = {row.node.kind: row for row in rows if row.node is not None and not row.node.in_tree}
    border = rows.index(boundary)
    return [row for row in rows[:border] if row.node and last.get(row.node.kind) is row] + list(rows[border:])


def _date(thread: Thread, boundary: Row | None, before: float | None) -> None:
    """Give new rows a time between those of their neighbours if possible, else that of one of them."""
    rows = ([boundary] if boundary is not None else []) + thread.rows
    following: float | None = None
    coming: list[float | None] = []
    for row in reversed(rows):
        following = row.time if row.time is not None else following
        coming.append(following)
    for row, after in zip(rows, reversed(coming), strict=True):
        if row.node is None:
            between = before is not None and after is not None and before < after
            row.time = (before + after) / 2 if between and before is not None and after is not None else after
            row.time = before if row.time is None else row.time
        before = row.time if row.time is not None else before
