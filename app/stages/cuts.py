"""Where a conversation may be cut: by counted messages or blocks, and never through a pair.

A cut is the index of the first message that stays. A marker of an earlier compaction is not counted.
"""

from __future__ import annotations

from typing import Any, Final

from app.model import Author, Message, Role, Text, ToolResult, ToolUse
from app.stages.base import Messages, option
from app.stages.ranges import pair_id
from app.tokens.base import Estimator

MESSAGES: Final = "messages"
BLOCKS: Final = "blocks"


def counts_option(default: str = MESSAGES) -> Any:
    """The option that says what numbers of messages count."""
    return option(
        default, "what a number of messages counts; a cut is at a message", choices=(MESSAGES, BLOCKS)
    )


def is_marker(message: Message) -> bool:
    """Whether a message is nothing but an earlier compaction's summary or marker."""
    return bool(message.blocks) and all(
        isinstance(block, Text) and block.author in (Author.SUMMARY, Author.MARKER)
        for block in message.blocks
    )


def weight(message: Message, counts: str) -> int:
    """How much a message counts."""
    if is_marker(message):
        return 0
    return len(message.blocks) if counts == BLOCKS else 1


def weigh(messages: Messages, counts: str) -> int:
    """How much a conversation counts."""
    return sum(weight(message, counts) for message in messages)


def tail_of(messages: Messages, keep: int, counts: str) -> int:
    """The cut that leaves the newest `keep`, or the message more that they begin in."""
    cut, kept = len(messages), 0
    while cut > 0 and kept < keep:
        cut -= 1
        kept += weight(messages[cut], counts)
    return cut


def tail_within(messages: Messages, tokens: int, keep: int, counts: str, estimator: Estimator) -> int:
    """The cut that leaves as many of the newest as have room in `tokens`, and never fewer than `keep`.

    Where all have room, the newest `keep` stay (MiniCode).
    """
    size = kept = 0
    for i in reversed(range(len(messages))):
        more = estimator.message(messages[i])
        if size + more > tokens and kept >= keep:
            return i + 1
        size += more
        kept += weight(messages[i], counts)
    return tail_of(messages, keep, counts)


def whole_pairs_before(messages: Messages, cut: int) -> int:
    """The cut moved back until no result that stays has its call before it. Linear in the messages."""
    calls: dict[str, int] = {}
    needs = list(range(len(messages)))
    for i, message in enumerate(messages):
        for block in message.blocks:
            pair = pair_id(block)
            if pair is None:
                continue
            if isinstance(block, ToolUse):
                calls[pair] = i
            elif isinstance(block, ToolResult) and pair in calls:
                needs[i] = min(needs[i], calls[pair])
    i = len(messages)
    while i > cut:
        i -= 1
        cut = min(cut, needs[i])
    return cut


def whole_pairs_behind(messages: Messages, end: int) -> int:
    """The end of a head moved on until no call in it has its result behind it. Linear in the messages."""
    answers: dict[str, int] = {}
    needs = [i + 1 for i in range(len(messages))]
    for i in reversed(range(len(messages))):
        for block in messages[i].blocks:
            pair = pair_id(block)
            if pair is None:
                continue
            if isinstance(block, ToolResult):
                answers[pair] = i
            elif isinstance(block, ToolUse) and pair in answers:
                needs[i] = max(needs[i], answers[pair] + 1)
    i = 0
    while i < end:
        end = max(end, needs[i])
        i += 1
    return end


def split_system(messages: Messages) -> tuple[Messages, Messages]:
    """System messages, which stay in front whatever is cut, and the rest."""
    system = tuple(message for message in messages if message.role is Role.SYSTEM)
    return system, tuple(message for message in messages if message.role is not Role.SYSTEM)
