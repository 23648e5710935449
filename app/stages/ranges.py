"""Dropping a range of messages without breaking what stays.

Protected blocks of a dropped range stay with their pair, in order, directly after the one marker;
a pair that reaches over the edge of the range stays whole.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, replace

from app.model import Author, Block, Message, Role, Text, ToolResult, ToolUse, blocks_of
from app.stages.base import Change, ChangeKind, Messages, Protection


@dataclass(frozen=True, slots=True)
class RangeDrop:
    """What is left of a range, and what went."""

    kept: Messages
    """What stays of the range, in order: protected blocks with their pairs."""
    changes: tuple[Change, ...]
    removed: int
    """Messages of which nothing stays."""
    protected: int
    """Blocks that protection (not a pair) kept."""


def drop_range(
    messages: Messages,
    start: int,
    end: int,
    protection: Protection,
    reason: str,
    spare: Collection[str] = (),
) -> RangeDrop:
    """Drop `messages[start:end]` but for what must stay and the blocks whose keys are in `spare`."""
    gone = messages[start:end]
    protected = {block.key for _, block in blocks_of(gone) if protection.keeps_place(block.key)}
    keep = _with_pairs(messages, start, end, protected.union(spare))
    kept: list[Message] = []
    changes: list[Change] = []
    removed = 0
    for message in gone:
        blocks = tuple(block for block in message.blocks if block.key in keep)
        changes += [
            Change(block.key, ChangeKind.DROPPED, reason, block, None)
            for block in message.blocks
            if block.key not in keep
        ]
        if not blocks:
            removed += 1
        else:
            kept.append(message if len(blocks) == len(message.blocks) else replace(message, blocks=blocks))
    return RangeDrop(tuple(kept), tuple(changes), removed, len(protected))


def _with_pairs(messages: Messages, start: int, end: int, keep: Collection[str]) -> set[str]:
    """Keys that must stay: `keep`, the other halves of its pairs, and pairs that cross an edge."""
    inside: dict[str, list[str]] = defaultdict(list)
    outside: set[str] = set()
    for i, message in enumerate(messages):
        for block in message.blocks:
            if (pair := pair_id(block)) is None:
                continue
            if start <= i < end:
                inside[pair].append(block.key)
            else:
                outside.add(pair)
    wanted = set(keep)
    for pair, keys in inside.items():
        if (pair in outside and len(keys) % 2) or wanted.intersection(keys):
            wanted.update(keys)
    return wanted


def pair_id(block: Block) -> str | None:
    """The id that a call and its result share, for calls that a client answers."""
    if isinstance(block, ToolUse) and not block.server:
        return block.id
    if isinstance(block, ToolResult) and not block.server:
        return block.tool_use_id
    return None


def all_user_text(message: Message) -> bool:
    """Whether a message is the user's and holds nothing but text (an empty one counts)."""
    return message.role is Role.USER and all(isinstance(block, Text) for block in message.blocks)


def first_request(messages: Messages) -> int | None:
    """Index of the user's first request: the first message with words typed by the person.

    Summaries, markers and what a client injected are not requests.
    """
    for i, message in enumerate(messages):
        if message.role is Role.USER and any(
            isinstance(block, Text) and block.author is Author.USER and block.content.preview.strip()
            for block in message.blocks
        ):
            return i
    return None


def words_of_request(messages: Messages) -> set[str]:
    """Keys of the blocks of the first request: its words and pictures, not the results beside them."""
    first = first_request(messages)
    if first is None:
        return set()
    return {block.key for block in messages[first].blocks if not isinstance(block, ToolResult)}


def prologue(messages: Messages) -> int:
    """How many messages at the start are no conversation: system messages and the live summary."""
    count = 0
    for message in messages:
        if message.role is not Role.SYSTEM and not (message.boundary and message.boundary.hides):
            break
        count += 1
    return count
