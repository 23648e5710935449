"""Shared parts of writing a new file, when a conversation is converted to another agent's format.

The writers (`new_session.py` or `new_file.py` of each format) take a conversation in a normal form: user
and assistant messages alternate, the first is the user's, results come first in the message after their
calls, and there are no thinking or opaque blocks. A system prompt, if kept, comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from msgspec import Struct

from app.model import Author, Block, Boundary, Message, Text

STEP: Final = 0.001
"""Seconds between records: Claude Code 2.0 takes the record with the latest time for the last one."""


class SessionHeader(Struct, frozen=True):
    """The facts of the session as a whole in a new file."""

    session_id: str
    cwd: str
    title: str
    time: float
    """Start of the session in seconds since 1970; also used for messages without a time."""


Fresh: TypeAlias = Callable[[Sequence[Message], SessionHeader], Iterator[bytes]]
"""The bytes of a new file that holds these messages."""


class Clock:
    """Strictly rising times: a record's own if it is later than the one before, else `STEP` later."""

    def __init__(self, start: float) -> None:
        self._now = start

    def next(self, time: float | None) -> float:
        """The time of the next record, in seconds since 1970."""
        self._now = max(self._now + STEP, time or 0.0)
        return self._now


def leading_summary(messages: Sequence[Message]) -> tuple[Text, Boundary] | None:
    """The summary at the start of the conversation, and the boundary to put before it; else None."""
    first = messages[0] if messages else None
    block = first.blocks[0] if first is not None and first.blocks else None
    if first is None or not isinstance(block, Text) or block.author is not Author.SUMMARY:
        return None
    known = first.boundary if first.boundary is not None and first.boundary.hides else None
    return block, known or Boundary(f"{first.key}/boundary", trigger="auto", strategy="convert")


def by_author(blocks: Sequence[Block]) -> Iterator[tuple[Author, list[Block]]]:
    """Runs of blocks by the same author; an image joins the run before it, else it is the person's."""
    author, run = Author.USER, list[Block]()
    for block in blocks:
        if isinstance(block, Text) and run and block.author is not author:
            yield author, run
            run = []
        if isinstance(block, Text):
            author = block.author
        run.append(block)
    if run:
        yield author, run
