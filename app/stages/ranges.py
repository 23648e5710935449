"""Dropping a range of messages without breaking what stays.

Protected blocks of a dropped range stay with their pair, in order, directly after the one marker;
a pair that reaches over the edge of the range stays whole.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import repeat

from app.model import Author, Block, Message, Role, Text, ToolResult
from app.stages.base import Change, ChangeKind, Messages, Protection
from app.stages.survey import Survey


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
    survey: Survey,
    start: int,
    end: int,
    protection: Protection,
    reason: str,
    spare: Collection[str] = (),
) -> RangeDrop:
    """Drop the messages from `start` to `end` but for what must stay and the blocks with keys in `spare`."""
    blocks = survey.blocks[survey.starts[start] : survey.starts[end]]
    keys = [block.key for block in blocks]
    protected = protection.kept.intersection(keys)
    stays = _with_pairs(survey, start, end, protected.union(spare))
    stays.intersection_update(keys)
    if not stays:
        return RangeDrop((), tuple(map(_dropped, keys, blocks, repeat(reason))), end - start, 0)
    gone = ((key, block) for key, block in zip(keys, blocks, strict=True) if key not in stays)
    changes = tuple(_dropped(key, block, reason) for key, block in gone)
    kept = tuple(
        _left(message, stays)
        for message in survey.messages[start:end]
        if not stays.isdisjoint([block.key for block in message.blocks])
    )
    return RangeDrop(kept, changes, end - start - len(kept), len(protected))


def _dropped(key: str, block: Block, reason: str) -> Change:
    return Change(key, ChangeKind.DROPPED, reason, block, None)


def _left(message: Message, keys: Collection[str]) -> Message:
    blocks = tuple(block for block in message.blocks if block.key in keys)
    return message if len(blocks) == len(message.blocks) else message.holding(blocks)


def _with_pairs(survey: Survey, start: int, end: int, keep: Collection[str]) -> set[str]:
    """Keys that must stay: `keep`, the other halves of its pairs, and pairs that cross an edge."""
    wanted = set(keep)
    for ends in survey.pairs.values():
        inside = [half.key for half in ends if start <= half.message < end]
        crosses = len(inside) < len(ends) and len(inside) % 2
        if crosses or not wanted.isdisjoint(inside):
            wanted.update(inside)
    return wanted


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
