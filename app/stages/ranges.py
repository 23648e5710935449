"""Drops a range of messages without breaking the rest.

Protected blocks of the range stay with the other half of their pair, in order, directly after the marker;
a pair that crosses the edge of the range stays whole.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from app.model import Author, Block, Message, Role, Text, ToolResult
from app.stages.base import Change, Messages, Protection
from app.stages.changes import dropped
from app.stages.survey import Survey


@dataclass(frozen=True)
class RangeDrop:
    """What stays and what is dropped of a range; dropped blocks are listed lazily."""

    kept: Messages
    """What stays of the range, in order: protected blocks with their pairs."""
    removed: int
    """Messages of which nothing stays."""
    protected: int
    """Blocks that protection (not a pair) kept."""
    changes: Sequence[Change]
    _gone: Callable[[], Iterator[Block]]

    @property
    def gone(self) -> Iterator[Block]:
        """The dropped blocks, in order."""
        return self._gone()

    @property
    def first(self) -> str:
        """Key of the first dropped block."""
        return next(self.gone).key


def drop_range(
    survey: Survey,
    start: int,
    end: int,
    protection: Protection,
    reason: str,
    spare: Collection[str] = (),
) -> RangeDrop:
    """Drop the messages from `start` to `end`, except protected blocks and those with keys in `spare`."""
    span = range(survey.starts[start], survey.starts[end])
    protected = _within(span, protection.kept, survey)
    stays = _within(span, _with_pairs(survey, start, end, protected.keys() | spare), survey)
    holders = sorted({bisect_right(survey.starts, place) - 1 for place in stays.values()})
    kept = tuple(_left(survey.messages[i], stays) for i in holders)

    blocks = survey.blocks

    def gone() -> Iterator[Block]:
        return (block for place in span if (block := blocks[place]).key not in stays)

    changes = dropped(len(span) - len(stays), gone, reason)
    return RangeDrop(kept, end - start - len(kept), len(protected), changes, gone)


def _within(span: range, keys: Iterable[str], survey: Survey) -> dict[str, int]:
    """The positions of those keys whose block is in that span of all blocks."""
    places = ((key, survey.places.get(key, -1)) for key in keys)
    return {key: place for key, place in places if place in span}


def _left(message: Message, keys: Collection[str]) -> Message:
    blocks = tuple(block for block in message.blocks if block.key in keys)
    return message if len(blocks) == len(message.blocks) else replace(message, blocks=blocks)


def _with_pairs(survey: Survey, start: int, end: int, keep: Iterable[str]) -> set[str]:
    """Keys that must stay: `keep`, the other halves of its pairs, and pairs that cross an edge."""
    wanted = set(keep)
    for key in keep:
        wanted.update(half.key for half in survey.pair_of.get(key, ()))
    for ends in (*survey.crossing(start), *survey.crossing(end)):
        inside = [half.key for half in ends if start <= half.message < end]
        if len(inside) % 2:
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
    """Number of leading messages that are not conversation: system messages and the live summary."""
    count = 0
    for message in messages:
        if message.role is not Role.SYSTEM and not (message.boundary and message.boundary.hides):
            break
        count += 1
    return count
