"""Edits of messages as stages and hands make them, whatever the format, and what was written of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from msgspec.structs import replace

from app.formats.base import Rewrite, Rewriting
from app.model import Author, Block, Boundary, Held, Message, Role, Text, ToolResult, ToolUse, with_text


def changed(messages: Sequence[Message], change: Callable[[Block], Block | None]) -> tuple[Message, ...]:
    """The messages with every block changed, or left out where that gives None."""
    found = []
    for message in messages:
        blocks = tuple(new for block in message.blocks if (new := change(block)) is not None)
        if blocks:
            found.append(message if blocks == message.blocks else replace(message, blocks=blocks))
    return tuple(found)


def cleared(messages: Sequence[Message], placeholder: str = "[cleared]", *idents: str) -> tuple[Message, ...]:
    """The messages with every result (or those of `idents`) cleared."""

    def clear(block: Block) -> Block:
        wanted = isinstance(block, ToolResult) and (not idents or block.tool_use_id in idents)
        return with_text(block, placeholder) if wanted and isinstance(block, ToolResult) else block

    return changed(messages, clear)


def without_pair(messages: Sequence[Message], *idents: str) -> tuple[Message, ...]:
    """The messages without these calls and their results."""
    return changed(messages, lambda block: None if call_of(block) in idents else block)


def call_of(block: Block) -> str:
    """The id of the call that a block is, or that it answers; empty for others."""
    if isinstance(block, ToolUse):
        return block.id
    return block.tool_use_id if isinstance(block, ToolResult) else ""


def marker(words: str) -> Message:
    """A made snip marker."""
    return Message("s1/0", Role.USER, (Text("s1/0/b", Held(words), Author.MARKER),))


def compaction(words: str = "What was done.") -> tuple[Boundary, Message]:
    """A made boundary and the summary that stands behind it."""
    made = Boundary("s2/b", "manual", "structured", tokens_before=900, tokens_after=90, removed=4)
    return made, Message("s2/0", Role.USER, (Text("s2/0/b", Held(words), Author.SUMMARY),), boundary=made)


def edited(messages: tuple[Message, ...], random: Random) -> tuple[tuple[Message, ...], Boundary | None]:
    """Some edits at random, and the boundary that one of them made."""
    calls = [b.id for m in messages for b in m.blocks if isinstance(b, ToolUse)]
    messages = cleared(messages, "[cleared]", "none", *(i for i in calls if random.random() < 0.4))
    messages = without_pair(messages, *(i for i in calls if random.random() < 0.3))
    messages = tuple(m for m in messages if any(b.kind != "thinking" for b in m.blocks))
    places = _cuts(messages)
    if len(places) < 2:
        return messages, None
    low, high = sorted(random.sample(places, 2))
    match random.choice(["none", "snip", "compact", "compact keeping the first"]):
        case "snip":
            return (*messages[:low], marker("[snipped 3 messages]"), *messages[high:]), None
        case "compact":
            mark, words = compaction()
            return (words, *messages[low:]), mark
        case "compact keeping the first":
            mark, words = compaction()
            first = next((m for m in messages[:low] if _is_request(m)), None)
            return (words, *([first] if first else []), *messages[low:]), mark
    return messages, None


def _cuts(messages: Sequence[Message]) -> list[int]:
    """Where a conversation can be cut without splitting a pair."""
    return [
        at
        for at in range(1, len(messages))
        if not any(isinstance(block, ToolResult) for block in messages[at].blocks)
    ]


def _is_request(message: Message) -> bool:
    return message.role is Role.USER and all(isinstance(block, Text) for block in message.blocks)


def wish(messages: tuple[Message, ...], mark: Boundary | None, random: Random, new_id: str) -> Rewrite:
    """Messages to be written, with other options at random."""
    return Rewrite(
        messages,
        mark,
        session_id=random.choice([new_id, None]),
        title=random.choice(["Title", None]),
        context_tokens=random.choice([777, None]),
        drop_old=random.random() < 0.5,
    )


def written(rewriting: Rewriting) -> bytes:
    """The new file."""
    return b"".join(rewriting.pieces())


def rows(data: bytes) -> list[dict[str, Any]]:
    """The records of a written file."""
    return [json.loads(line) for line in data.splitlines()]
