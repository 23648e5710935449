"""The records of an opencode export together with an index of their facts."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final

from app.formats.opencode.history import History, history_of
from app.formats.opencode.names import INFO, OWN_FIELD
from app.formats.opencode.nodes import Node, NodeReader
from app.formats.plain.anthropic_blocks import as_word
from app.formats.plain.layout import DocumentRecords
from app.formats.source import Source
from app.model import Block, Boundary, Role, Session, Text

_LONGEST_INFO: Final = 16 << 20
"""Bytes of the session's own `info` up to which it is read."""


class Transcript(DocumentRecords):
    """A document whose messages are records; `Session.records` of this format."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.nodes: list[Node] = []
        """All nodes in the client's order."""
        self.by_record: dict[int, Node] = {}
        self.info: dict[str, Any] = {}
        """Facts about the session as a whole."""
        self.info_record: int | None = None

    def read(self) -> None:
        """Index every message once."""
        reader = NodeReader(self)
        known: set[str] = set()
        for record, value in self.load():
            node = reader.node(record.index, record.key, value) if isinstance(value, dict) else None
            # The client takes the first message with an id, and ignores the others.
            if node is not None and node.ident not in known:
                known.add(node.ident)
                self.nodes.append(node)
                self.by_record[record.index] = node
        self.nodes.sort(key=lambda node: node.order)
        info, span = self.member_value(INFO, _LONGEST_INFO), self.member(INFO)
        if isinstance(info, dict) and span is not None:
            self.info = info
            self.info_record = self.add_elsewhere(*span, INFO).index
        for node in self.history.compactions:
            node.boundary = self._boundary(node)

    @cached_property
    def history(self) -> History:
        """The history that is sent, without undone messages at its end."""
        return history_of([node for node in self.nodes if node not in self.undone])

    @cached_property
    def undone(self) -> frozenset[Node]:
        """The messages that the person has undone; the next prompt deletes them."""
        revert = self.info.get("revert")
        first = as_word(revert.get("messageID")) if isinstance(revert, dict) else ""
        whole = isinstance(revert, dict) and not revert.get("partID")
        at = next((n for n, node in enumerate(self.nodes) if first and node.ident == first), len(self.nodes))
        return frozenset(self.nodes[at if whole else at + 1 :])

    def _boundary(self, node: Node) -> Boundary:
        """The boundary of a compaction; facts that the client has no member for are in one of ours."""
        own: dict[str, Any] = {}
        for answer in self.nodes:
            if answer.role is Role.ASSISTANT and answer.summary and answer.parent == node.ident:
                own = self._own(answer)
        kept = own.get("preserved")
        return Boundary(
            key=f"{node.key}/boundary",
            trigger=as_word(own.get("trigger")) or ("auto" if node.auto else "manual"),
            strategy=as_word(own.get("strategy")),
            time=node.created / 1000 or None,
            tokens_before=_count(own.get("tokens_before")),
            tokens_after=_count(own.get("tokens_after")),
            removed=_count(own.get("removed")),
            preserved=(str(kept[0]), str(kept[1])) if isinstance(kept, list) and len(kept) == 2 else None,
            record=node.record,
        )

    def _own(self, answer: Node) -> dict[str, Any]:
        for block in answer.blocks:
            part = self.part(block) if isinstance(block, Text) else {}
            metadata = part.get("metadata")
            own = metadata.get(OWN_FIELD) if isinstance(metadata, dict) else None
            if isinstance(own, dict):
                return own
        return {}

    def part(self, block: Block) -> dict[str, Any]:
        """The part that holds a block of the file."""
        assert block.place is not None
        value = self.value(block.place.record)
        part: dict[str, Any] = value[block.place.path[0]][block.place.path[1]]
        return part


def transcript_of(session: Session) -> Transcript:
    """The records of a session read by this format; raises TypeError for any other."""
    if not isinstance(session.records, Transcript):
        raise TypeError(f"a session of {session.format} was not read from an opencode export")
    return session.records


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
