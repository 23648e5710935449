"""What a whole new file is made of, when a conversation moves to another agent's format.

The writers (`new_session.py` or `new_file.py` of each format) take a conversation in one plain form:
messages of the person and of the assistant take turns, the first is the person's, results stand first in the
message behind their calls, and thinking and opaque blocks are gone. A system prompt, if kept, leads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from msgspec import Struct

from app.model import Author, Block, Boundary, Message, Text

STEP: Final = 0.001
"""Seconds between records: Claude Code 2.0 takes the record with the latest time as the end."""


class SessionHeader(Struct, frozen=True):
    """What a new file says of the session as a whole."""

    session_id: str
    cwd: str
    title: str
    time: float
    """Seconds since 1970 at which the session begins; for messages that have no time, too."""


Fresh: TypeAlias = Callable[[Sequence[Message], SessionHeader], Iterator[bytes]]
"""The bytes of a new file that holds these messages."""


class Clock:
    """Times that never stand still: a record's own where it is later than the one before it."""

    def __init__(self, start: float) -> None:
        self._now = start

    def next(self, time: float | None) -> float:
        """The time of the next record, in seconds since 1970."""
        self._now = max(self._now + STEP, time or 0.0)
        return self._now


def leading_summary(messages: Sequence[Message]) -> tuple[Text, Boundary] | None:
    """The summary that the conversation begins with, and the boundary to put before it."""
    first = messages[0] if messages else None
    block = first.blocks[0] if first is not None and first.blocks else None
    if first is None or not isinstance(block, Text) or block.author is not Author.SUMMARY:
        return None
    known = first.boundary if first.boundary is not None and first.boundary.hides else None
    return block, known or Boundary(f"{first.key}/boundary", trigger="auto", strategy="convert")


def by_author(blocks: Sequence[Block]) -> Iterator[tuple[Author, list[Block]]]:
    """Runs of blocks that one author said; a picture goes with the words before it, else to the person."""
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
