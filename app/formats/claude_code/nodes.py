"""One record of the file as the graph needs it: its parent, and the blocks that are sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from sys import intern
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from app.formats.claude_code.blocks import RecordBlocks
from app.formats.claude_code.names import BOUNDARY, MICRO_BOUNDARY, OWN_FIELD, SYNTHETIC_MODEL, TALK
from app.formats.markers import boundary_of
from app.formats.times import seconds
from app.model import Author, Block, Boundary, Text, ToolResult, ToolUse, Usage

_USAGE: Final = (
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
)
"""Members of a usage, in the order of `Usage`'s fields."""


class Node(Struct):
    """The part of a record that is kept in memory; the rest is read from the file on demand."""

    index: int
    kind: str
    """The record's `type`; empty for a value that is not a record."""
    key: str
    """The record's uuid, else `@offset`."""
    order: int
    """Its position in the file: that of the first record with its uuid, as in the client."""
    uuid: str | None = None
    parent: str | None = None
    parent_given: bool = False
    """Whether the record names a parent, even if it is null."""
    talk: bool = False
    """A user or assistant record with a message."""
    sent: bool = False
    """Talk that reaches the model: not an error text of the client, not for the transcript only."""
    summary: bool = False
    meta: bool = False
    """Talk that the client added by itself (`isMeta`)."""
    sidechain: bool = False
    agent: str = ""
    message_id: str | None = None
    synthetic: bool = False
    """An assistant record that the client wrote itself."""
    time: float | None = None
    session: str | None = None
    model: str | None = None
    usage: Usage | None = None
    blocks: tuple[Block, ...] = ()
    calls: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    boundary: Boundary | None = None
    """A compaction, or a marker of ours, which hides nothing."""
    preserved: Preserved | None = None
    compacted: tuple[str, ...] = ()
    """Tool ids whose results a micro-compaction hid."""
    reference: str | None = None
    """The uuid that a metadata record points at (`leafUuid`, `messageId`)."""
    source: str | None = None
    """The uuid of the record whose call this one answers (`sourceToolAssistantUUID`)."""
    hollow: bool = False
    """A message without content, which no provider accepts."""

    @property
    def in_tree(self) -> bool:
        """Whether it is part of the tree."""
        return self.uuid is not None or self.talk

    @property
    def hides(self) -> bool:
        """Whether it is a boundary that hides what came before it."""
        return self.boundary is not None and self.boundary.hides


class Preserved(Struct, frozen=True):
    """Records from before a boundary that stay in the context, by the uuids of the first and last."""

    head: str
    tail: str
    anchor: str
    """Uuid of the record after which they are inserted."""


def node_of(index: int, key: str, record: Mapping[str, Any], reader: RecordBlocks) -> Node:
    """The node of a record. Fields of a wrong type count as absent."""
    kind = _text(record, "type") or ""
    node = Node(index, kind, key, index, _text(record, "uuid"))
    node.session = _text(record, "sessionId")
    node.time = seconds(record.get("timestamp"))
    if node.uuid is None and kind not in TALK:
        node.reference = _text(record, "leafUuid") or _text(record, "messageId")
        return node
    node.parent = _text(record, "parentUuid")
    node.parent_given = "parentUuid" in record
    if record.get("isSidechain") is True:
        node.sidechain = True
        node.agent = _text(record, "agentId") or ""
    if kind in TALK:
        message = record.get("message")
        if isinstance(message, dict):
            node.hollow = not message.get("content")
            if isinstance(message.get("content"), (str, list)):
                _add_message(node, record, message, reader)
    elif kind == "attachment":
        node.blocks = reader.of_attachment(index, key, record)
    elif kind == "system":
        _add_boundary(node, record)
    return node


def _add_message(
    node: Node, record: Mapping[str, Any], message: Mapping[str, Any], reader: RecordBlocks
) -> None:
    failed = record.get("isApiErrorMessage") is True
    node.talk = True
    node.summary = record.get("isCompactSummary") is True
    node.meta = node.kind == "user" and record.get("isMeta") is True
    node.sent = not failed and (node.summary or record.get("isVisibleInTranscriptOnly") is not True)
    node.blocks = reader.of_message(node.index, node.key, record)
    if node.kind == "assistant":
        node.message_id = _text(message, "id")
        model = _text(message, "model")
        node.synthetic = failed or model == SYNTHETIC_MODEL
        if not node.synthetic:
            node.model = model
            node.usage = reader.shared(usage_of(message.get("usage")))
        node.calls = tuple([b.id for b in node.blocks if isinstance(b, ToolUse) and not b.server])
    else:
        node.source = _text(record, "sourceToolAssistantUUID")
        node.answers = tuple([b.tool_use_id for b in node.blocks if isinstance(b, ToolResult)])
        node.boundary = _marker(node.blocks, node)


def _marker(blocks: Iterable[Block], node: Node) -> Boundary | None:
    """The boundary of a record that marks a removal at its place; such a marker hides nothing."""
    for block in blocks:
        if isinstance(block, Text) and block.author is Author.MARKER:
            found = boundary_of(block.content.preview, node.key, node.index)
            return replace(found, time=node.time, hides=False) if found else None
    return None


def _add_boundary(node: Node, record: Mapping[str, Any]) -> None:
    subtype = record.get("subtype")
    if subtype == MICRO_BOUNDARY:
        metadata = record.get("microcompactMetadata")
        ids = metadata.get("compactedToolIds") if isinstance(metadata, dict) else None
        node.compacted = tuple(i for i in ids if isinstance(i, str)) if isinstance(ids, list) else ()
    elif subtype == BOUNDARY:
        metadata = record.get("compactMetadata")
        metadata = metadata if isinstance(metadata, dict) else {}
        node.boundary = _boundary(node, metadata)
        node.preserved = _preserved(metadata.get("preservedSegment"))


def _boundary(node: Node, metadata: Mapping[str, Any]) -> Boundary:
    """The boundary of a compaction record; facts that the agent has no member for are in one of ours."""
    own = metadata.get(OWN_FIELD)
    own = own if isinstance(own, dict) else {}
    kept = own.get("preserved")
    return Boundary(
        key=node.key,
        trigger=_text(own, "trigger") or _text(metadata, "trigger") or "",
        strategy=_text(own, "strategy") or "",
        time=node.time,
        tokens_before=_count(metadata.get("preTokens")),
        tokens_after=_count(metadata.get("postTokens")),
        removed=_count(own.get("removed")),
        preserved=(str(kept[0]), str(kept[1])) if isinstance(kept, list) and len(kept) == 2 else None,
        record=node.index,
    )


def _preserved(segment: Any) -> Preserved | None:
    if not isinstance(segment, dict):
        return None
    head, tail, anchor = (_text(segment, name) for name in ("headUuid", "tailUuid", "anchorUuid"))
    return Preserved(head, tail, anchor) if head and tail and anchor else None


def usage_of(value: Any) -> Usage | None:
    """The usage of a message; None if it holds no count."""
    if not isinstance(value, dict):
        return None
    sent, said, read, kept = [_count(value.get(name)) or 0 for name in _USAGE]
    written = value.get("cache_creation")
    hour = written.get("ephemeral_1h_input_tokens") if isinstance(written, dict) else None
    return Usage(sent, said, read, kept, _count(hour) or 0) if sent or said or read or kept else None


def _text(record: Mapping[str, Any], name: str) -> str | None:
    value = record.get(name)
    # Ids, names and types recur: interned, each is held once.
    return intern(value) if isinstance(value, str) and value else None


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
