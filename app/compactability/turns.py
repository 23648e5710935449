"""Turns: the messages from one prompt of the person to the next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.model import Author, Message, Text, ToolResult


def starts_turn(message: Message) -> bool:
    """Whether a message holds non-blank text that the person typed."""
    return any(
        isinstance(block, Text) and block.author is Author.USER and block.content.preview.strip()
        for block in message.blocks
    )


def newest_turn(messages: Sequence[Message]) -> int:
    """Index of the first message of the newest turn; 0 if nobody typed anything."""
    return next((i for i in reversed(range(len(messages))) if starts_turn(messages[i])), 0)


def open_turn(messages: Sequence[Message]) -> int | None:
    """Index of the first message of the open turn; None if no tool loop is open.

    A loop is open if the last message holds tool results or unanswered calls. Text that the person
    typed while it ran is in the same message as results and does not end it.
    """
    if not messages or not any(block.kind in ("tool_result", "tool_use") for block in messages[-1].blocks):
        return None
    return next((i for i in reversed(range(len(messages))) if _starts_loop(messages[i])), 0)


def turns_of(messages: Sequence[Message]) -> Iterator[range]:
    """The messages of each turn, by index; those before the person's first prompt are a turn, too.

    Text that the person typed while a tool loop ran does not end its turn.
    """
    start = 0
    for i, message in enumerate(messages):
        if i > start and _starts_loop(message):
            yield range(start, i)
            start = i
    if messages:
        yield range(start, len(messages))


def _starts_loop(message: Message) -> bool:
    return starts_turn(message) and not any(isinstance(block, ToolResult) for block in message.blocks)
