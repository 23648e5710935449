"""The records of a Claude Code file together with their nodes."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from app.errors import InputError
from app.formats.claude_code.graph import Branch, Graph
from app.formats.claude_code.nodes import Node
from app.formats.source import Source
from app.formats.store import CACHE_BYTES, RecordStore, stored
from app.model import Block, Content, JsonPath, Session


class Transcript(RecordStore):
    """A record store that also holds the nodes; `Session.records` of this format."""

    def __init__(self, source: Source, cache_bytes: int = CACHE_BYTES) -> None:
        super().__init__(source, cache_bytes)
        self.source = source
        self.nodes: list[Node] = []

    def content(self, record: int, path: JsonPath, value: Any) -> Content:
        """The content at `path` of a record; `value` is the value there, from which it is measured."""
        return stored(self, record, path, value)

    def original(self, block: Block) -> Block | None:
        """The original block in the file of a block that may have been changed; None for a new one."""
        if block.place is None:
            return None
        return next((own for own in self.nodes[block.place.record].blocks if own.key == block.key), None)

    @cached_property
    def graph(self) -> Graph:
        """The tree; built once, after the last record has been read."""
        return Graph(self.nodes)

    def chosen_leaf(self, leaf: str | None) -> Node | None:
        """The record to resume from: the one with this key, or the client's own choice.

        Raises InputError if no record that can be sent has this key.
        """
        if leaf is None:
            return self.graph.leaf()
        for node in self.graph.tree:
            if node.key == leaf and node.sent:
                return node
        raise InputError(f"{self.source.name} has no message {leaf!r}: give the uuid of one of its messages")

    def way(self, leaf: str | None) -> Branch:
        """The branch that ends at this leaf; empty if there is no conversation."""
        node = self.chosen_leaf(leaf)
        return self.graph.way(node) if node else Branch([], [])


def transcript_of(session: Session) -> Transcript:
    """The records of a session read by this format; raises TypeError for any other."""
    if not isinstance(session.records, Transcript):
        raise TypeError(f"a session of {session.format} was not read from a Claude Code file")
    return session.records
