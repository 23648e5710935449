"""Where a conversation may be cut: by counted messages or blocks, and never through a pair.

A cut is the index of the first message that stays. A marker of an earlier compaction is not counted.
"""

from __future__ import annotations

from typing import Any, Final

from app.model import Author, Message, Text, ToolResult, ToolUse
from app.stages.base import Messages, option
from app.stages.survey import Survey, pair_id
from app.tokens.base import Estimator

MESSAGES: Final = "messages"
BLOCKS: Final = "blocks"


def counts_option(default: str = MESSAGES) -> Any:
    """The option that says what numbers of messages count."""
    return option(
        default, "what message counts are counted in; cuts fall between messages", choices=(MESSAGES, BLOCKS)
    )


def is_marker(message: Message) -> bool:
    """Whether a message is nothing but an earlier compaction's summary or marker."""
    return bool(message.blocks) and all(
        isinstance(block, Text) and block.author in (Author.SUMMARY, Author.MARKER)
        for block in message.blocks
    )


def weight(message: Message, counts: str) -> int:
    """The number of messages or blocks that a message counts as."""
    if is_marker(message):
        return 0
    return len(message.blocks) if counts == BLOCKS else 1


def weigh(survey: Survey, counts: str) -> int:
    """How much a conversation counts."""
    messages = survey.messages
    markers = [messages[i] for i in survey.notes if is_marker(messages[i])]
    if counts == BLOCKS:
        return len(survey.blocks) - sum(len(message.blocks) for message in markers)
    return len(messages) - len(markers)


def tail_of(messages: Messages, keep: int, counts: str) -> int:
    """The cut that keeps the newest `keep`, rounded up to a whole message."""
    cut, kept = len(messages), 0
    while cut > 0 and kept < keep:
        cut -= 1
        kept += weight(messages[cut], counts)
    return cut


def tail_within(messages: Messages, tokens: int, keep: int, counts: str, estimator: Estimator) -> int:
    """The cut that keeps as many of the newest as fit into `tokens`, but at least `keep`.

    If all fit, it keeps the newest `keep` (MiniCode).
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
    """Move a cut back until no kept result has its call before the cut.

    Examines only the tail, unless a result there lacks its call.
    """
    waiting: set[str] = set()
    """Ids of results that stay and whose call was not met yet,"""
    behind: set[str] = set()
    """and of results between the call that is looked for and the cut, which may yet come to stay."""
    i = len(messages)
    while i > cut or (waiting and i > 0):
        i -= 1
        for block in reversed(messages[i].blocks):
            pair = pair_id(block)
            if pair is None:
                continue
            if isinstance(block, ToolResult):
                (waiting if i >= cut else behind).add(pair)
            elif pair in waiting:
                waiting.discard(pair)
                if i < cut:
                    cut = i
                    waiting |= behind - {pair}
                    behind.clear()
            else:
                behind.discard(pair)
    return cut


def whole_pairs_behind(messages: Messages, end: int) -> int:
    """Move the end of a head forward until no call in it has its result after it.

    Examines only the head, unless a call there lacks its result.
    """
    waiting: set[str] = set()
    behind: set[str] = set()
    i = 0
    while i < end or (waiting and i < len(messages)):
        for block in messages[i].blocks:
            pair = pair_id(block)
            if pair is None:
                continue
            if isinstance(block, ToolUse):
                (waiting if i < end else behind).add(pair)
            elif pair in waiting:
                waiting.discard(pair)
                if i >= end:
                    end = i + 1
                    waiting |= behind - {pair}
                    behind.clear()
            else:
                behind.discard(pair)
        i += 1
    return end
