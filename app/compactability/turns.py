"""Turns: what lies between one word of the person and the next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.model import Author, Message, Text, ToolResult


def starts_turn(message: Message) -> bool:
    """Whether a message holds words that the person typed (blank ones are none)."""
    return any(
        isinstance(block, Text) and block.author is Author.USER and block.content.preview.strip()
        for block in message.blocks
    )


def newest_turn(messages: Sequence[Message]) -> int:
    """Index of the message that the newest turn starts at; 0 where nobody typed anything."""
    return next((i for i in reversed(range(len(messages))) if starts_turn(messages[i])), 0)


def open_turn(messages: Sequence[Message]) -> int | None:
    """Index of the message that the open turn starts at, or None while no tool loop is open.

    A loop is open while its last message holds tool results, or calls that nobody answered yet.
    Words that the person typed while it ran stand beside results and do not end it.
    """
    if not messages or not any(block.kind in ("tool_result", "tool_use") for block in messages[-1].blocks):
        return None
    return next((i for i in reversed(range(len(messages))) if _starts_loop(messages[i])), 0)


def turns_of(messages: Sequence[Message]) -> Iterator[range]:
    """The messages of each turn, by index; what stands before the person's first word is one too.

    Words that the person typed while a tool loop ran do not end its turn.
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
