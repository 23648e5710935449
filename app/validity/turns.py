"""A conversation in the Messages API's form as turns: runs of one role, as the provider joins them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from hashlib import blake2b
from typing import Any

from msgspec import Struct, field

from app.validity.base import Location


class BlockFamily(StrEnum):
    """The role of a block in the rules of order."""

    TEXT = "text"
    THINKING = "thinking"
    CALL = "call"
    RESULT = "result"
    SERVER_CALL = "server call"
    SERVER_RESULT = "server result"
    OTHER = "other"


_FAMILIES: Mapping[str, BlockFamily] = {
    "text": BlockFamily.TEXT,
    "thinking": BlockFamily.THINKING,
    "redacted_thinking": BlockFamily.THINKING,
    "tool_use": BlockFamily.CALL,
    "tool_result": BlockFamily.RESULT,
    "server_tool_use": BlockFamily.SERVER_CALL,
    "mcp_tool_use": BlockFamily.SERVER_CALL,
}

_ROLES: Mapping[BlockFamily, str] = {
    BlockFamily.THINKING: "assistant",
    BlockFamily.CALL: "assistant",
    BlockFamily.SERVER_CALL: "assistant",
    BlockFamily.SERVER_RESULT: "assistant",
    BlockFamily.RESULT: "user",
}

KNOWN_ROLES = ("user", "assistant")


class Block(Struct, frozen=True):
    """The facts about a block that the rules of order need; its texts are not held."""

    family: BlockFamily
    location: Location
    id: str | None = None
    """The id of a call or the id that a result answers; None if it is not a string."""
    loose_end: bool = False
    """Text that is not blank and ends in whitespace."""
    seal: bytes = b""
    """A digest of a thinking block: equal for equal text and signature."""


class Turn(Struct):
    """One or more consecutive messages of one role."""

    role: str
    """`user` or `assistant`; empty for messages of any other role, which make a turn without blocks."""
    blocks: list[Block] = field(default_factory=list)

    def of(self, family: BlockFamily) -> list[Block]:
        return [block for block in self.blocks if block.family is family]


def family_of(kind: Any) -> BlockFamily:
    """The family of a block's type; server tools' results are recognised by the suffix of their type."""
    if not isinstance(kind, str):
        return BlockFamily.OTHER
    fallback = BlockFamily.SERVER_RESULT if kind.endswith("_tool_result") else BlockFamily.OTHER
    return _FAMILIES.get(kind, fallback)


def role_allows(role: str, family: BlockFamily) -> bool:
    """Whether a block of this family may be in a message of this role."""
    return _ROLES.get(family, role) == role


def content_of(
    message: Mapping[str, Any], location: Location
) -> Iterator[tuple[Mapping[str, Any], Location]]:
    """The blocks of a message that are objects; a string is one text block, an empty string none."""
    content = message.get("content")
    if isinstance(content, str) and content:
        yield {"type": "text", "text": content}, location.at("content")
    elif isinstance(content, list):
        for i, block in enumerate(content):
            if isinstance(block, Mapping):
                yield block, location.at("content", i)


def read_turns(messages: Iterable[tuple[Location, Mapping[str, Any]]]) -> Iterator[Turn]:
    """The turns of a conversation, one at a time.

    Blocks that are not allowed in their role are left out: they pair with nothing.
    """
    turn: Turn | None = None
    for location, message in messages:
        role = message.get("role")
        role = role if role in KNOWN_ROLES else ""
        if turn is None or role != turn.role:
            if turn is not None:
                yield turn
            turn = Turn(role)
        turn.blocks.extend(_blocks(message, role, location))
    if turn is not None:
        yield turn


def _blocks(message: Mapping[str, Any], role: str, location: Location) -> Iterator[Block]:
    if not role:
        return
    for data, place in content_of(message, location):
        family = family_of(data.get("type"))
        if role_allows(role, family):
            yield _block(data, family, place)


def _block(data: Mapping[str, Any], family: BlockFamily, location: Location) -> Block:
    if family is BlockFamily.TEXT:
        return Block(family, location, loose_end=_has_loose_end(data.get("text")))
    if family is BlockFamily.THINKING:
        return Block(family, location, seal=_seal(data))
    field_name = "id" if family in (BlockFamily.CALL, BlockFamily.SERVER_CALL) else "tool_use_id"
    value = data.get(field_name)
    return Block(family, location, id=value if isinstance(value, str) else None)


def _has_loose_end(text: Any) -> bool:
    return isinstance(text, str) and text[-1:].isspace() and not text.isspace()


def _seal(data: Mapping[str, Any]) -> bytes:
    digest = blake2b(digest_size=16)
    for name in ("type", "thinking", "signature", "data"):
        value = data.get(name)
        text = value if isinstance(value, str) else ""
        digest.update(b"%d:" % len(text))
        digest.update(text.encode("utf-8", "surrogatepass"))
    return digest.digest()
