"""One record of the file as the tree needs it: its parent, and the blocks that are sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from app.formats.contents.names import kind_of, says_nothing
from app.formats.contents.parts import PartReader
from app.formats.qwen import names
from app.formats.qwen.authors import author_for, history_authors, with_author
from app.formats.qwen.names import BESIDE, HISTORY, OWN, SYSTEM, TALK, TIMED_OUT
from app.formats.times import seconds
from app.model import Block, Boundary, JsonPath, Role, Usage


class Content(Struct):
    """One content of a compressed history, inside the record of the compression."""

    number: int
    """Its index in the list."""
    role: Role
    key: str
    blocks: tuple[Block, ...]
    sound: bool = True
    """Whether the client sends it: see `Node`."""


class Node(Struct):
    """The part of a record that is kept in memory; the rest is read from the file on demand."""

    index: int
    kind: str
    """The record's `type`; empty for a value that is not a record."""
    key: str
    """The record's uuid, else `@offset`."""
    subtype: str | None = None
    ident: str | None = None
    parent: str | None = None
    parent_given: bool = False
    talk: bool = False
    """A record with a message of the conversation."""
    sent: bool = False
    """Talk that reaches the model."""
    role: Role = Role.USER
    sound: bool = True
    """Whether the client sends it: it sends no reply with an empty part."""
    empty: bool = False
    """A message without parts."""
    bad_role: bool = False
    """A message with an invalid role: the client does not start with one."""
    time: float | None = None
    session: str | None = None
    model: str | None = None
    usage: Usage | None = None
    blocks: tuple[Block, ...] = ()
    history: tuple[Content, ...] | None = None
    """For a compression: its history."""
    boundary: Boundary | None = None
    command: str | None = None
    """For the result of a command that the client ran itself: what the person typed."""
    call: str | None = None
    """For telemetry: the id of its call."""

    @property
    def hides(self) -> bool:
        """Whether it is a compression."""
        return self.history is not None


def node_of(index: int, key: str, record: Mapping[str, Any], reader: PartReader) -> Node:
    """The node of a record; `record` is empty for a value that is not an object."""
    kind = _text(record, "type") or ""
    node = Node(index, kind, key, _text(record, "subtype"))
    beside = kind == SYSTEM and node.subtype in BESIDE
    if kind in (*TALK, SYSTEM) and not beside:
        node.ident = _text(record, "uuid")
    node.parent = _text(record, "parentUuid")
    node.parent_given = "parentUuid" in record
    node.time = seconds(record.get("timestamp"))
    node.session = _text(record, "sessionId")
    message, payload = record.get("message"), record.get("systemPayload")
    if kind in TALK and isinstance(message, dict):
        _add_message(node, record, message, reader)
    elif kind == SYSTEM and isinstance(payload, dict):
        _add_payload(node, payload, reader)
    return node


def _add_message(
    node: Node, record: Mapping[str, Any], message: Mapping[str, Any], reader: PartReader
) -> None:
    parts = message.get("parts")
    assistant = node.kind == "assistant"
    node.talk = True
    node.sent = node.subtype != names.SPOKEN
    node.role = Role.ASSISTANT if assistant else Role.USER
    node.bad_role = message.get("role") not in ("user", "model")
    node.empty = not isinstance(parts, list) or not parts
    node.sound = not assistant or is_sound(parts)
    author = author_for(record)
    blocks = reader.blocks(node.index, ("message", "parts"), parts, node.key, author)
    node.blocks = tuple([with_author(block, author) for block in blocks])
    if assistant:
        node.model = _text(record, "model")
        node.usage = usage_of(record.get("usageMetadata"))


def is_sound(parts: Any) -> bool:
    """Whether the client sends a reply with these parts."""
    if not isinstance(parts, list) or not parts:
        return True
    if any(says_nothing(part) for part in parts):
        return False
    said = [part for part in parts if not part.get("thought")]
    texts = [part.get("text") for part in said if kind_of(part) == "text"]
    return len(texts) != len(said) or "".join(map(str, texts)).strip() != TIMED_OUT


_FALSE: Final = (None, False, 0, "")
"""Values that are falsy in JavaScript, so the client takes them for no history; an empty list hides all."""


def _add_payload(node: Node, payload: Mapping[str, Any], reader: PartReader) -> None:
    match node.subtype:
        case names.COMPRESSION if payload.get("compressedHistory") not in _FALSE:
            _add_compression(node, payload, reader)
        case names.COMMAND if payload.get("phase") == "result" and payload.get("sentToModel") is not True:
            shown = payload.get("outputHistoryItems")
            items = shown if isinstance(shown, list) else []
            if items and all(isinstance(i, dict) and i.get("type") == "assistant" for i in items):
                node.command = _text(payload, "rawCommand")
        case names.TELEMETRY if isinstance(event := payload.get("uiEvent"), dict):
            node.call = _text(event, "call_id")


def _add_compression(node: Node, payload: Mapping[str, Any], reader: PartReader) -> None:
    listed = payload["compressedHistory"]
    contents = listed if isinstance(listed, list) else []
    node.talk = True
    node.history = tuple(_contents(node, contents, reader))
    node.blocks = tuple([block for content in node.history for block in content.blocks])
    info, own = payload.get("info"), payload.get(OWN)
    info = info if isinstance(info, dict) else {}
    own = own if isinstance(own, dict) else {}
    kept = own.get("preserved")
    node.boundary = Boundary(
        key=node.key,
        trigger=_text(own, "trigger") or _text(info, "triggerReason") or "auto",
        strategy=_text(own, "strategy") or "client",
        time=node.time,
        tokens_before=_count(info.get("originalTokenCount")),
        tokens_after=_count(info.get("newTokenCount")),
        removed=_count(own.get("removed")),
        preserved=(str(kept[0]), str(kept[1])) if isinstance(kept, list) and len(kept) == 2 else None,
        record=node.index,
    )


def _contents(node: Node, contents: list[Any], reader: PartReader) -> list[Content]:
    found = []
    for number, (content, author) in enumerate(zip(contents, history_authors(contents), strict=True)):
        if not isinstance(content, dict):
            continue
        path: JsonPath = (*HISTORY, number, "parts")
        key = f"{node.key}#{number}"
        blocks = reader.blocks(node.index, path, content.get("parts"), key, author)
        role = Role.ASSISTANT if content.get("role") == "model" else Role.USER
        blocks = tuple([with_author(block, author) for block in blocks])
        sound = role is Role.USER or (bool(blocks) and is_sound(content.get("parts")))
        found.append(Content(number, role, key, blocks, sound))
    return found


def usage_of(value: Any) -> Usage | None:
    """The usage of a reply; None if it holds no count."""
    if not isinstance(value, dict):
        return None
    total, prompt = _count(value.get("totalTokenCount")), _count(value.get("promptTokenCount"))
    said = _count(value.get("candidatesTokenCount")) or 0
    cached = _count(value.get("cachedContentTokenCount")) or 0
    if prompt is None:
        return Usage(total) if total else None
    output = said if total is None else max(0, total - prompt)
    cached = min(cached, prompt)
    return Usage(prompt - cached, output, cached) if prompt or output else None


def _text(record: Mapping[str, Any], name: str) -> str | None:
    value = record.get(name)
    return value if isinstance(value, str) and value else None


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
