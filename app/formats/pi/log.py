"""The entries of a pi session file, and the branch that is resumed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct, field

from app.errors import InputError
from app.formats.lines import UNREADABLE, LineReader
from app.formats.pi.blocks import CONTENT, EntryBlocks
from app.formats.pi.names import COMPACTION, CONTEXT_EDIT, HEADER, NAME
from app.formats.pi.nodes import Node, node_of
from app.formats.repairs import Ids
from app.formats.source import Source
from app.formats.store import RecordStore
from app.formats.tree import Tree
from app.model import Author, Block, JsonPath, Record, Role, Session, Thinking


class Branch(Struct):
    """The entries from the root to a leaf, and those of them that form the context, in sending order."""

    path: list[Node]
    context: list[Node] = field(default_factory=list)
    compaction: Node | None = None
    kept: list[Node] = field(default_factory=list)
    """The entries from before the compaction that stay in the context; they are sent after it."""


class PiLog(RecordStore):
    """A record store that also holds the nodes; `Session.records` of this format."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.source = source
        self.nodes: list[Node] = []
        self.header: Mapping[str, Any] = {}
        self.header_index: int | None = None
        self.chosen = Branch([])
        """The branch on which the session was read."""
        self.model: tuple[str, str] | None = None
        """Provider and id of the current model."""
        self.title: str | None = None
        self._entries: list[Node] = []
        self._reader = EntryBlocks(self)

    def load(self) -> LineReader:
        """Index every row without keeping its value. Call it once."""
        rows = LineReader(self.source)
        seen: set[str] = set()
        for index, row in enumerate(rows):
            value: Any = row.value
            entry = value if isinstance(value, dict) else {}
            ident = entry.get("id")
            key = ident if isinstance(ident, str) and ident and ident not in seen else f"@{row.offset}"
            seen.add(key)
            node = node_of(index, key, entry, self._reader)
            kind = "unreadable" if value is UNREADABLE else node.kind
            self.append(Record(index, row.offset, row.length, row.line, kind, key, row.damage))
            self.nodes.append(node)
            if value is not UNREADABLE and value:
                self._entries.append(node)
            self._take(node, entry)
        return rows

    def _take(self, node: Node, entry: Mapping[str, Any]) -> None:
        if node.kind == HEADER:
            node.ident = None
            if self.header_index is None:
                self.header, self.header_index = entry, node.index
        elif node.kind == NAME:
            name = entry.get("name")
            self.title = name.strip() or None if isinstance(name, str) else None

    @cached_property
    def linear(self) -> bool:
        """Whether it is a file of version 1, whose entries have no ids and form a sequence."""
        version = self.header.get("version", 1)
        is_old = not isinstance(version, int) or version < 2
        return is_old and all(node.ident is None for node in self.nodes)

    @cached_property
    def tree(self) -> Tree[Node]:
        """The tree; built once, after the last row has been read."""
        nodes = [node for node in self.nodes if node.kind != HEADER and (node.kind or node.ident)]
        return Tree(nodes, linear=self.linear)

    def way(self, leaf: str | None) -> Branch:
        """The branch that is sent when the session is resumed from this entry (None: from the last one).

        Raises InputError if no entry with a message has this key.
        """
        nodes = self.tree.nodes
        if leaf is None:
            return self._way(self.tree.walk(nodes[-1])) if nodes else Branch([])
        node = next((node for node in nodes if node.key == leaf and node.talk), None)
        if node is None:
            raise InputError(f"{self.source.name} has no message {leaf!r}: give the id of one of its entries")
        return self._way(self.tree.walk(node) + self.tree.below(node))

    def strict(self, way: Branch) -> Branch:
        """The same branch as far as pi itself would walk: up to a parent that is not in the file."""
        return self._way(self.tree.walk(way.path[-1], strict=True)) if way.path else way

    def _way(self, path: list[Node]) -> Branch:
        last = max((at for at, node in enumerate(path) if node.kind == COMPACTION), default=None)
        if last is None:
            way = Branch(path, list(path))
        else:
            first = self._first_kept(path[last])
            start = next((at for at, node in enumerate(path[:last]) if node is first), last)
            kept = [node for node in path[start:last] if node.role is not Role.SYSTEM]
            way = Branch(path, [path[last], *kept, *path[last + 1 :]], path[last], kept)
        return way

    def _first_kept(self, compaction: Node) -> Node | None:
        first = compaction.first_kept
        if isinstance(first, int):
            return self._entries[first] if 0 <= first < len(self._entries) else None
        return self.tree.by_id.get(first) if first is not None else None

    @cached_property
    def numbers(self) -> Mapping[int, int]:
        """Entry numbers as version 1 counts them (the header is 0), by index."""
        return {node.index: number for number, node in enumerate(self._entries)}

    def settle(self, way: Branch) -> None:
        """Set nodes' blocks to what is sent on this branch: edited contents, only its model's thinking."""
        edits = {node.target: node for node in way.context if node.kind == CONTEXT_EDIT and node.target}
        for node in way.context:
            edit = edits.get(node.ident) if node.ident is not None and node.talk else None
            if edit is not None:
                self._apply(edit, node)
        self.model = next((node.model for node in reversed(way.path) if node.model is not None), None)
        for node in self.nodes:
            if node.role is Role.ASSISTANT and node.model != self.model:
                node.blocks = tuple([block for block in node.blocks if not isinstance(block, Thinking)])

    def _apply(self, edit: Node, node: Node) -> None:
        """Set a node's blocks to the content of a `context_edit`."""
        if node.kind == COMPACTION or node.kept_as not in ("user", "assistant", "toolResult", "custom"):
            return
        node.edit = edit
        if edit.omits:
            return
        content = self.value(edit.index)["replacement"].get("content")
        path: JsonPath = ("replacement", "content")
        if node.kept_as == "toolResult":
            message = self.value(node.index)["message"]
            node.blocks = (self._reader.result(edit.index, path, content, f"{node.key}:0", message),)
            return
        author = {"user": Author.USER, "custom": Author.INJECTED}.get(node.kept_as, Author.ASSISTANT)
        node.blocks = self._reader.said(edit.index, path, content, node.key, author)

    def home(self, node: Node) -> tuple[int, JsonPath]:
        """The record that holds a node's content as it is sent, and the content's path there."""
        if node.edit is not None:
            return node.edit.index, ("replacement", "content")
        return node.index, CONTENT if node.kind == "message" else ("content",)

    @cached_property
    def _owners(self) -> dict[int, Node]:
        return {node.edit.index: node for node in self.nodes if node.edit is not None}

    def owner(self, block: Block) -> Node | None:
        """The node whose content holds a block of the file."""
        if block.place is None:
            return None
        record = block.place.record
        return self._owners.get(record) or self.nodes[record]

    def original(self, block: Block) -> Block | None:
        """The original block in the file of a block that may have been changed; None for a new one."""
        node = self.owner(block)
        if node is None:
            return None
        return next((own for own in (*node.blocks, *node.prompt) if own.key == block.key), None)

    @cached_property
    def safe_ids(self) -> Mapping[str, str]:
        """Ids of calls made by other providers' models, as pi would send them to Anthropic.

        pi shortens and cleans them itself; here they only have to be valid and different.
        """
        ids = Ids()
        safe: dict[str, str] = {}
        for node in self.nodes:
            for ident in node.calls if node.foreign else ():
                if ident not in safe:
                    safe[ident] = ids.take(ident)
        return safe


def log_of(session: Session) -> PiLog:
    """The entries of a session read by this format; raises TypeError for any other."""
    if not isinstance(session.records, PiLog):
        raise TypeError(f"a session of {session.format} was not read from a pi file")
    return session.records
