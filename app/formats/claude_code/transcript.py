"""The records of a Claude Code file together with what the graph knows of them."""

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
    """A record store that also holds the nodes; it is what `Session.records` is for this format."""

    def __init__(self, source: Source, cache_bytes: int = CACHE_BYTES) -> None:
        super().__init__(source, cache_bytes)
        self.source = source
        self.nodes: list[Node] = []

    def content(self, record: int, path: JsonPath, value: Any) -> Content:
        """The content at `path` of a record, measured by `value`, which is what lies there."""
        return stored(self, record, path, value)

    def original(self, block: Block) -> Block | None:
        """The block of the file that `block` is, or was before somebody changed it."""
        if block.place is None:
            return None
        return next((own for own in self.nodes[block.place.record].blocks if own.key == block.key), None)

    @cached_property
    def graph(self) -> Graph:
        """The tree; built once, after the last record was read."""
        return Graph(self.nodes)

    def chosen_leaf(self, leaf: str | None) -> Node | None:
        """The record to go on from: the one with this key, or the client's own choice.

        Raises InputError when no record that can be sent has this key.
        """
        if leaf is None:
            return self.graph.leaf()
        for node in self.graph.tree:
            if node.key == leaf and node.sent:
                return node
        raise InputError(f"{self.source.name} has no message {leaf!r}: give the uuid of one of its messages")

    def way(self, leaf: str | None) -> Branch:
        """What is sent from this leaf on; empty where there is no conversation."""
        node = self.chosen_leaf(leaf)
        return self.graph.way(node) if node else Branch([], [])


def transcript_of(session: Session) -> Transcript:
    """The records of a session that this format read; raises TypeError for another's."""
    if not isinstance(session.records, Transcript):
        raise TypeError(f"a session of {session.format} was not read from a Claude Code file")
    return session.records
