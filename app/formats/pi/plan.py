"""Planning an export as rows, before any byte is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from functools import partial

from msgspec import Struct, field

from app.formats.base import Rewrite
from app.formats.damage import file_repairs
from app.formats.new_ids import MadeIds
from app.formats.pi.added import compaction_entry, model_entry, name_entry
from app.formats.pi.edits import Editor, with_first_kept, with_usage
from app.formats.pi.forms import text_of_item
from app.formats.pi.log import PiLog
from app.formats.pi.names import CONTEXT_EDIT, HEADER, SETTINGS
from app.formats.pi.nodes import Node
from app.formats.pi.prompts import Prompts
from app.formats.pi.request import drafts_of, is_sent
from app.formats.pi.threads import Thread, Threader
from app.formats.repairs import as_notices
from app.formats.tree_facts import tree_repairs
from app.formats.tree_rows import Row, date, in_file, link, merged, with_leaf_last
from app.model import Block, Notice, Role, Session, ToolResult, ToolUse

SHORT: int = 8
"""Hexadecimal digits of an entry's id."""


class Plan(Struct, frozen=True):
    """The rows of the new file, and the repairs."""

    rows: list[Row[Node]]
    repairs: tuple[Notice, ...]


class _Fate(Struct):
    """What happens to the entries that are live now."""

    dropped: set[int] = field(default_factory=set)
    """Removed from the file."""
    hidden: set[int] = field(default_factory=set)
    """Kept above a new compaction."""


class Planner:
    """Plans one export of a session."""

    def __init__(self, session: Session, rewrite: Rewrite, log: PiLog) -> None:
        self._session = session
        self._rewrite = rewrite
        self._log = log
        self._way = log.chosen
        self._repairs = file_repairs(session.notices)
        again = {node.index for node in log.tree.repeated}
        self._base = {
            node.index: Row(node, ident=node.ident, time=node.time)
            for node in log.nodes
            if node.index not in again and log[node.index].kind != "unreadable"
        }
        name = rewrite.session_id or session.session_id or session.name
        self._ids = MadeIds(name, log.tree.by_id, SHORT)
        self._editor = Editor(log, self._base)
        self._prompts = Prompts(session, rewrite.messages, log)

    def plan(self) -> Plan:
        """The rows in their new order, with all changes to them."""
        wanted, mending = drafts_of(self._log, self._rewrite)
        self._repairs += as_notices(mending.repairs, self._line_of_message())
        compacts = self._rewrite.boundary is not None
        thread = Threader(self._log, self._base, self._ids.make, compacts=compacts).thread(
            self._rewrite.looked(wanted)
        )
        compaction = self._compaction(thread)
        fate = self._fate(thread)
        path, cut = self._path(thread, fate, compaction)
        base = [row for index, row in self._base.items() if index not in fate.dropped]
        if self._rewrite.drop_old and compaction is not None:
            path = self._without_old(path, compaction)
            base = self._below(base, path, path.index(compaction))
            cut = True
        elif cut and self._log.linear:
            # Entries without parents cannot be kept off the path, so the old ones are left out.
            base = self._below(base, path, 0)
        self._edit(thread, path, compaction, cut)
        self._keep_model(path)
        if self._rewrite.title is not None:
            title = partial(name_entry, self._rewrite.title)
            path.append(Row(made=title, ident=self._made_id("title")))
        rows = in_file(base, path, linear=self._log.linear)
        if path:
            rows = with_leaf_last(rows, path[-1], self._can_be_leaf)
        date(path)
        if not self._log.linear:
            link(rows, path, self._log.tree)
        self._first_kept(rows, path, compaction)
        self._note_tree(rows)
        return Plan(rows, tuple(self._repairs))

    def _made_id(self, key: str) -> str | None:
        return None if self._log.linear else self._ids.make(key)

    def _can_be_leaf(self, row: Row[Node]) -> bool:
        if row.ident is not None or row.node is None:
            return True
        return self._log.linear and row.node.kind not in ("", HEADER)

    def _line_of_message(self) -> Callable[[str], int | None]:
        lines = {m.key: self._log[m.records[0]].line for m in self._session.live if m.records}
        return lines.get

    def _compaction(self, thread: Thread) -> Row[Node] | None:
        """The entry of a new boundary; None without a summary: the context just restarts."""
        boundary = self._rewrite.boundary
        if boundary is None or thread.summary is None:
            return None
        row: Row[Node] = Row(ident=self._made_id(boundary.key))
        summary = text_of_item(thread.summary, ("", ""))
        first = {"firstKeptEntryId": row.ident} if row.ident is not None else {}
        row.made = lambda: compaction_entry(boundary, summary, self._prompts.replayed(), first, row.time)
        return row

    def _fate(self, thread: Thread) -> _Fate:
        """Which entries are removed. Those that a boundary hides stay above it, except parts of kept ones."""
        fate = _Fate(dropped=set(self._prompts.gone) if self._rewrite.boundary is None else set())
        silent = {node.index for node in map(self._log.owner, self._silent()) if node is not None}
        kept = thread.items.keys() | silent
        blocks = {item.block.key for items in thread.items.values() for item in items if item.block}
        taken: set[str] = set()
        for message in self._rewrite.looked(self._session.live):
            if message.role is Role.SYSTEM:
                continue
            nodes = {node.index: node for b in message.blocks if (node := self._log.owner(b)) is not None}
            gone = nodes.keys() - kept
            answers = all(isinstance(b, ToolResult) and b.tool_use_id in taken for b in message.blocks)
            if gone != nodes.keys():
                taken |= {b.id for b in message.blocks if isinstance(b, ToolUse) and b.key not in blocks}
                fate.dropped |= gone
            elif answers or self._rewrite.boundary is None:
                fate.dropped |= gone
            else:
                fate.hidden |= gone
        fate.dropped |= self._edits_of(fate.dropped)
        return fate

    def _edits_of(self, dropped: Set[int]) -> set[int]:
        """The entries that edit removed entries."""
        idents = {self._log.nodes[index].ident for index in dropped} - {None}
        edits = (node for node in self._log.tree.nodes if node.kind == CONTEXT_EDIT)
        return {node.index for node in edits if node.target in idents}

    def _silent(self) -> list[Block]:
        """Kept blocks that are not part of the request: another provider's signed thinking."""
        blocks = [b for m in self._rewrite.messages if m.role is not Role.SYSTEM for b in m.blocks]
        placed = (b for b in blocks if b.kind == "thinking" and b.place is not None)
        return [block for block in placed if not is_sent(self._log, block)]

    def _path(
        self, thread: Thread, fate: _Fate, compaction: Row[Node] | None
    ) -> tuple[list[Row[Node]], bool]:
        """The rows from the root to the leaf, and whether the first one has no parent."""
        old = [row for node in self._way.path if (row := self._row(node, fate)) is not None]
        if self._rewrite.boundary is not None:
            sent = set(thread.rows)
            hidden = [at for at, row in enumerate(old) if row.node and row.node.index in fate.hidden]
            first = next((at for at, row in enumerate(old) if row in sent), len(old))
            border = hidden[-1] + 1 if hidden else first
            above = [row for row in old[:border] if row not in sent]
            rest = merged(old[border:], thread.rows)
            if compaction is not None:
                return [*above, compaction, *rest], False
            return rest, True
        current = self._way.compaction
        if current is not None and current.index in fate.dropped:
            context = {node.index for node in self._way.context}
            old = [row for row in old if row.node is not None and row.node.index in context]
            return merged(old, thread.rows), True
        return merged(old, thread.rows), False

    def _row(self, node: Node, fate: _Fate) -> Row[Node] | None:
        return None if node.index in fate.dropped else self._base.get(node.index)

    def _without_old(self, path: Sequence[Row[Node]], compaction: Row[Node]) -> list[Row[Node]]:
        """The path from the compaction on, and the last entry of each setting before it."""
        border = path.index(compaction)
        last = {(row.node.kind, row.node.kept_as): row for row in path[:border] if row.node is not None}
        stay = {row for (kind, _), row in last.items() if kind in SETTINGS}
        return [row for row in path[:border] if row in stay] + list(path[border:])

    def _below(self, base: Sequence[Row[Node]], path: Sequence[Row[Node]], border: int) -> list[Row[Node]]:
        """The rows of `base` that are outside the tree, on the path, or below the path from `border` on."""
        tree = self._log.tree
        in_tree = {node.index for node in tree.nodes}
        on_path = {row.node.index for row in path if row.node is not None}
        above = {row.node.index for row in path[:border] if row.node is not None}
        known = on_path - above
        for node in tree.nodes if not tree.linear else ():
            parent = tree.parent(node)
            if parent is not None and parent.index in known:
                known.add(node.index)
        stay = known | above
        return [row for row in base if row.node and (row.node.index not in in_tree or row.node.index in stay)]

    def _edit(
        self, thread: Thread, path: Sequence[Row[Node]], compaction: Row[Node] | None, cut: bool
    ) -> None:
        """Make every entry hold what is wanted, and set the newest usage to the new size of the context."""
        border = path.index(compaction) if compaction is not None else 0
        read = {row.node.index for row in path[border:] if row.node is not None}
        anew = compaction is not None or cut
        silent: dict[int, list[Block]] = {}
        for block in self._silent():
            node = self._log.owner(block)
            if node is not None:
                silent.setdefault(node.index, []).append(block)
        for index in self._rewrite.looked(thread.items.keys() | silent.keys()):
            node = self._log.nodes[index]
            items = thread.items.get(index, [])
            sent = {item.block.key for item in items if item.block is not None}
            beside = [block for block in silent.get(index, ()) if block.key not in sent]
            bake = anew and node.edit is not None and node.edit.index not in read
            if items or beside:
                self._editor.edit(node, items, beside, bake=bake)
        for index, edit in self._prompts.edits().items():
            if not anew or index in read:
                self._base[index].edits.append(edit)
        tokens = self._rewrite.context_tokens
        if tokens is not None and thread.last_reply is not None:
            self._base[thread.last_reply.index].edits.append(partial(with_usage, max(1, tokens)))

    def _keep_model(self, path: list[Row[Node]]) -> None:
        """Keep the current model: pi uses that of the last reply or choice, so add a choice if needed."""
        model = self._log.model
        left = (row.node.model for row in reversed(path) if row.node is not None)
        if path and model is not None and next((each for each in left if each is not None), None) != model:
            path.append(Row(made=partial(model_entry, model), ident=self._made_id("model")))

    def _first_kept(
        self, rows: Sequence[Row[Node]], path: Sequence[Row[Node]], compaction: Row[Node] | None
    ) -> None:
        """Point the remaining compaction's first kept entry at the first row of its context."""
        current = self._way.compaction
        row = self._base.get(current.index) if current is not None else None
        if self._log.linear:
            governing = compaction or (row if row in path else None)
            if governing is not None:
                self._number_first_kept(rows, path, governing)
        elif compaction is None and row is not None and row in path:
            first = self._first_of_context(path, row)
            if first.ident is not None and first.node is not self._known_first():
                row.edits.append(partial(with_first_kept, first.ident))

    def _known_first(self) -> Node | None:
        """The first entry that the current compaction keeps; itself if it keeps none."""
        return self._way.kept[0] if self._way.kept else self._way.compaction

    def _first_of_context(self, path: Sequence[Row[Node]], row: Row[Node]) -> Row[Node]:
        """The first row before a compaction that it keeps; itself if it keeps none."""
        known = {node.index for node in self._way.kept}
        before = path[: path.index(row)]
        return next((r for r in before if r.node is None or r.node.index in known), row)

    def _number_first_kept(
        self, rows: Sequence[Row[Node]], path: Sequence[Row[Node]], governing: Row[Node]
    ) -> None:
        """Set the first kept entry in version 1, where entries are identified by their number in the file."""
        first = governing if governing.node is None else self._first_of_context(path, governing)
        numbers = self._log.numbers
        before = rows[: rows.index(first)]
        number = sum(row.node is None or row.node.index in numbers for row in before)
        if governing.node is None:
            made = governing.made
            governing.made = lambda: {**(made() if made else {}), "firstKeptEntryIndex": number}
            return
        known = self._known_first()
        if known is None or first.node is not known or numbers[known.index] != number:
            governing.edits.append(lambda entry: {**entry, "firstKeptEntryIndex": number})

    def _note_tree(self, rows: Sequence[Row[Node]]) -> None:
        stay = {row.node.index for row in rows if row.node is not None}
        again = [
            (node.index, "of entries with the same id, the last was kept") for node in self._log.tree.repeated
        ]
        found = [*tree_repairs(self._log.tree, stay), *(("duplicate-uuid", *each) for each in again)]
        self._repairs += [Notice(word, self._log[index].line, detail) for word, index, detail in found]
