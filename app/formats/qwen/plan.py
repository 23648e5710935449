"""Planning an export as rows, before any byte is written.

The wanted contents have a head, inside a compression, and a tail, whose contents are records of their own.
A new compression takes everything before the tail into its own history, as the client's own does; the
records that it hides stay above it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import Struct, field

from app.formats.base import Rewrite
from app.formats.damage import file_repairs
from app.formats.new_ids import MadeIds
from app.formats.qwen.added import compression_record, message_record, title_record
from app.formats.qwen.chat import QwenChat
from app.formats.qwen.edits import (
    with_history,
    with_new_count,
    with_parts,
    with_role,
    with_usage,
    without_shown,
)
from app.formats.qwen.groups import ContentPosition, Group, groups_of
from app.formats.qwen.names import HISTORY, SETTINGS, WORD_COPIES
from app.formats.qwen.nodes import Node
from app.formats.qwen.request import Sender
from app.formats.qwen.runs import REPLY, without_broken
from app.formats.repairs import as_notices
from app.formats.text_copies import lost_words, says_any, with_words
from app.formats.tree_facts import tree_repairs
from app.formats.tree_rows import Row, date, in_file, link, merged, with_leaf_last
from app.model import Notice, Session, ToolResult, ToolUse

Value = dict[str, Any]


class Plan(Struct, frozen=True):
    """The rows of the new file, and the repairs."""

    rows: list[Row[Node]]
    repairs: tuple[Notice, ...]


class _Fate(Struct):
    """What happens to the records that are live now."""

    dropped: set[int] = field(default_factory=set)
    """Removed from the file."""
    emptied: set[int] = field(default_factory=set)
    """Kept without parts: other records of the same message depend on them."""
    hidden: set[int] = field(default_factory=set)
    """Kept above a new compression."""


class Planner:
    """Plans one export of a session."""

    def __init__(self, session: Session, rewrite: Rewrite, chat: QwenChat) -> None:
        self._session = session
        self._rewrite = rewrite
        self._chat = chat
        self._way = chat.chosen
        self._repairs = file_repairs(session.notices)
        self._base = {
            node.index: Row(node, ident=node.ident, time=node.time)
            for node in chat.nodes
            if chat[node.index].kind != "unreadable"
        }
        name = rewrite.session_id or session.session_id or session.name
        self._ids = MadeIds(name, {node.ident for node in chat.nodes if node.ident is not None})
        talk = (node.index for node in reversed(self._way.path) if node.talk)
        self._neighbour = next(talk, 0)

    def plan(self) -> Plan:
        """The rows in their new order, with all changes to them."""
        said, mending = Sender(self._chat).mended(self._rewrite)
        self._repairs += as_notices(mending.repairs, self._line_of_message())
        groups = groups_of(self._chat, self._rewrite.looked(said), self._rewrite.messages)
        fate = self._fate(groups)
        old = [row for node in self._way.path if (row := self._base.get(node.index)) is not None]
        border = self._border(old, groups, fate)
        start = self._start_of_tail(groups, old, border)
        compression = self._compression(groups[:start], fate)
        self._edit(groups[start:], fate)
        path = self._path(old, border, compression, groups, start, fate)
        base = [row for index, row in self._base.items() if index not in fate.dropped]
        cut = self._rewrite.drop_old and compression is not None and compression.node is None
        if cut and compression is not None:
            path = self._without_old(path, compression)
            base = self._below(base, path, path.index(compression))
        self._set_usage(path, compression)
        if self._rewrite.title is not None:
            path.append(self._made_row("title", partial(title_record, self._rewrite.title)))
        self._retell(base)
        rows = in_file(base, path, linear=False)
        if path:
            rows = with_leaf_last(rows, path[-1], lambda row: row.ident is not None)
        date(path)
        link(rows, path, self._chat.tree)
        stay = {row.node.index for row in rows if row.node is not None}
        found = tree_repairs(self._chat.tree, stay)
        self._repairs += [Notice(word, self._chat[index].line, detail) for word, index, detail in found]
        return Plan(rows, tuple(self._repairs))

    def _retell(self, rows: Sequence[Row[Node]]) -> None:
        """Update the copies of rewritten words in records that are never sent."""
        words = lost_words(self._rewrite, self._session.live)
        for row in self._rewrite.looked(rows) if words else ():
            if row.node is None or row.node.talk:
                continue
            if says_any(self._chat.value(row.node.index), words, WORD_COPIES):
                row.edits.append(partial(with_words, words=words, names=WORD_COPIES))

    def _made_row(self, key: str, record: Callable[[Value], Value]) -> Row[Node]:
        """A new record, which copies the shared fields from its neighbour."""

        session = self._rewrite.session_id or self._session.session_id

        def made() -> Value:
            found = self._chat.value(self._neighbour) if len(self._chat) else {}
            neighbour = found if isinstance(found, dict) else {}
            return record(neighbour if session is None else {**neighbour, "sessionId": session})

        return Row(made=made, ident=self._ids.make(key))

    def _line_of_message(self) -> Callable[[str], int | None]:
        lines = {m.key: self._chat[m.records[0]].line for m in self._session.live if m.records}
        return lines.get

    def _fate(self, groups: Sequence[Group]) -> _Fate:
        """Which records are removed. Those that a boundary hides stay above it, except parts of kept ones."""
        fate = _Fate()
        kept = {group.seat.record for group in groups if group.seat is not None}
        blocks = {piece.block.key for group in groups for piece in group.pieces if piece.block is not None}
        taken: set[str] = set()
        for message in self._rewrite.looked(self._session.live):
            places = {block.place.record for block in message.blocks if block.place is not None}
            gone = {index for index in places - kept if self._chat.nodes[index].history is None}
            partly = any(block.key in blocks for block in message.blocks)
            answers = all(isinstance(b, ToolResult) and b.tool_use_id in taken for b in message.blocks)
            if partly or answers or self._rewrite.boundary is None:
                fate.dropped |= gone
                calls = (block for block in message.blocks if isinstance(block, ToolUse))
                taken |= {call.id for call in calls if call.key not in blocks}
            else:
                fate.hidden |= {self._first(index) for index in gone}
        self._keep_first_fragments(fate)
        fate.dropped |= {node.index for node in self._way.path if node.call in taken}
        return fate

    def _keep_first_fragments(self, fate: _Fate) -> None:
        for index in list(fate.dropped):
            more = self._chat.fragments.get(index, ())
            if any(node.index not in fate.dropped for node in more):
                fate.dropped.discard(index)
                fate.emptied.add(index)

    def _border(self, old: Sequence[Row[Node]], groups: Sequence[Group], fate: _Fate) -> int:
        """The index on the old path before which no content may be sent from its own record."""
        current = self._way.compression
        places = [at for at, row in enumerate(old) if row.node is not None and row.node is current]
        if self._rewrite.boundary is not None:
            places += [at for at, row in enumerate(old) if row.node and row.node.index in fate.hidden]
        if places or self._rewrite.boundary is None:
            return max(places, default=-1) + 1
        kept = {group.seat.record for group in groups if group.seat is not None}
        return next((at for at, row in enumerate(old) if row.node and row.node.index in kept), len(old))

    def _start_of_tail(self, groups: Sequence[Group], old: Sequence[Row[Node]], border: int) -> int:
        """Index of the first group that is a record of its own; those before are in a compression."""
        if self._rewrite.boundary is None:
            held = [n for n, group in enumerate(groups) if group.seat and group.seat.number is not None]
            return held[-1] + 1 if held else 0
        places = {row: at for at, row in enumerate(old)}
        start = len(groups)
        while start > 0 and self._is_tail(groups[start - 1], places, border):
            start -= 1
        return start

    def _is_tail(self, group: Group, places: Mapping[Row[Node], int], border: int) -> bool:
        if group.seat is None:
            return not group.stands_for(self._rewrite.boundary)
        row = self._base.get(self._first(group.seat.record))
        return group.seat.number is None and row is not None and places.get(row, -1) >= border

    def _tail(self, groups: Sequence[Group]) -> dict[Row[Node], str]:
        """The rows of the tail, each with its role.

        Further records of a message follow its first record by themselves.
        """
        rows: dict[Row[Node], str] = {}
        for number, group in enumerate(groups):
            if group.seat is None:
                rows[self._made_message(number, group)] = group.role
            else:
                rows[self._base[self._first(group.seat.record)]] = group.role
        return rows

    def _first(self, index: int) -> int:
        """The first record of the message that a record continues."""
        ident = self._chat.nodes[index].ident
        return self._chat.tree.by_id[ident].index if ident is not None else index

    def _made_message(self, number: int, group: Group) -> Row[Node]:
        model = self._session.model if group.role == "model" else None
        block = group.pieces[0].block
        record = partial(message_record, group.role, group.parts, typed=group.is_typed, model=model)
        return self._made_row(block.key if block is not None else f"repair/{number}", record)

    def _compression(self, head: Sequence[Group], fate: _Fate) -> Row[Node] | None:
        """The record that holds the head: a new one for a new boundary, else the current one."""
        boundary, current = self._rewrite.boundary, self._way.compression
        contents = self._contents(head)
        if boundary is not None:
            tokens = self._rewrite.context_tokens
            return self._made_row(boundary.key, partial(compression_record, boundary, contents, tokens))
        if current is None:
            return None
        row = self._base[current.index]
        old = self._history(current)
        if not (len(old) == len(contents) and all(a is b for a, b in zip(old, contents, strict=True))):
            row.edits.append(with_history(contents))
        fate.dropped |= {g.seat.record for g in head if g.seat is not None and g.seat.number is None}
        return row

    def _history(self, node: Node) -> list[Any]:
        value = self._chat.value(node.index)
        for step in HISTORY:
            value = value[step]
        return value if isinstance(value, list) else []

    def _contents(self, head: Sequence[Group]) -> list[Value]:
        """The contents of a compressed history; a reply in several records becomes one content."""
        contents: list[Value] = []
        for number, group in enumerate(head):
            content = self._content(group)
            if number > 0 and self._is_more_of(head[number - 1], group):
                before = contents.pop()
                content = {**before, "parts": [*before["parts"], *content["parts"]]}
            contents.append(content)
        return contents

    def _is_more_of(self, one: Group, other: Group) -> bool:
        """Whether two groups are records of one reply."""
        if other.role != REPLY or one.role != REPLY or one.seat is None or other.seat is None:
            return False
        nodes = self._chat.nodes[one.seat.record], self._chat.nodes[other.seat.record]
        return nodes[0].ident is not None and nodes[0].ident == nodes[1].ident and nodes[0].history is None

    def _content(self, group: Group) -> Value:
        """A group as a content of a compressed history; an unchanged one from a history is kept."""
        if group.seat is None or group.seat.number is None:
            return {"role": group.role, "parts": group.parts}
        node = self._chat.nodes[group.seat.record]
        content: Value = self._history(node)[group.seat.number]
        return content if not self._changed(group) else {**content, "parts": group.parts}

    def _changed(self, group: Group) -> bool:
        """Whether a content of the file changes."""
        if any(piece.changed for piece in group.pieces):
            return True
        wanted = [piece.block.key for piece in group.pieces if piece.block is not None]
        return wanted != [block.key for block in self._blocks(group.seat)]

    def _blocks(self, seat: ContentPosition | None) -> Sequence[Any]:
        if seat is None:
            return ()
        node = self._chat.nodes[seat.record]
        if seat.number is None or node.history is None:
            return node.blocks
        place = bisect_left(node.history, seat.number, key=lambda content: content.number)
        return node.history[place].blocks

    def _path(
        self,
        old: Sequence[Row[Node]],
        border: int,
        compression: Row[Node] | None,
        groups: Sequence[Group],
        start: int,
        fate: _Fate,
    ) -> list[Row[Node]]:
        """The rows from the root to the leaf; the groups from `start` on are records of their own."""
        sent = self._tail(groups[start:])
        stay = [row.node is None or row.node.index not in fate.dropped for row in old]
        above = [row for row, stays in zip(old[:border], stay, strict=False) if stays and row not in sent]
        rest = [row for row, stays in zip(old[border:], stay[border:], strict=True) if stays]
        made = [compression] if compression is not None and compression.node is None else []
        hidden = [*above, *made]
        before = groups[start - 1].role if start > 0 else None
        return without_broken([*hidden, *merged(rest, list(sent))], len(hidden), sent, before)

    def _without_old(self, path: Sequence[Row[Node]], compression: Row[Node]) -> list[Row[Node]]:
        """The path from the compression on, and the last record of each setting before it."""
        border = path.index(compression)
        last = {row.node.subtype: row for row in path[:border] if row.node is not None}
        stay = {row for subtype, row in last.items() if subtype in SETTINGS}
        return [row for row in path[:border] if row in stay] + list(path[border:])

    def _below(self, base: Sequence[Row[Node]], path: Sequence[Row[Node]], border: int) -> list[Row[Node]]:
        """The rows of `base` that are on the path or below it from `border` on."""
        tree = self._chat.tree
        known = {row.node.index for row in path[border:] if row.node is not None}
        for node in tree.nodes:
            parent = tree.parent(node)
            if parent is not None and parent.index in known:
                known.add(node.index)
        known |= {n.index for index in list(known) for n in self._chat.fragments.get(index, ())}
        stay = known | {row.node.index for row in path[:border] if row.node is not None}
        return [row for row in base if row.node is not None and row.node.index in stay]

    def _edit(self, tail: Sequence[Group], fate: _Fate) -> None:
        """Edit every record of the tail to hold what is wanted."""
        for group in self._rewrite.looked(tail):
            if group.seat is None:
                continue
            row, node = self._base[group.seat.record], self._chat.nodes[group.seat.record]
            if self._changed(group):
                if node.kind == "tool_result":
                    row.edits.append(partial(without_shown, group.pieces))
                row.edits.append(with_parts(group.parts))
            if node.bad_role:
                row.edits.append(with_role(group.role))
                detail = "given the role of its kind"
                self._repairs.append(Notice("bad-role", self._chat[node.index].line, detail))
        for index in fate.emptied:
            self._base[index].edits.append(with_parts([]))

    def _set_usage(self, path: Sequence[Row[Node]], compression: Row[Node] | None) -> None:
        """Set the newest count to the new size of the context, since the client relies on it."""
        tokens = self._rewrite.context_tokens
        if tokens is None:
            return
        for row in reversed(path):
            node = row.node
            if node is None and row is compression:
                return
            if node is not None and node.usage is not None and node.usage.context:
                row.edits.append(partial(with_usage, max(1, tokens)))
                return
            if node is not None and node.hides:
                if isinstance(self._chat.value(node.index)["systemPayload"].get("info"), dict):
                    row.edits.append(partial(with_new_count, max(1, tokens)))
                return
