"""Collecting a session's notices, limited in number, and finding its title in its first words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from app.model import Author, Message, Notice, Records, SendStatus, Text

TITLE_CHARS: Final = 120
LISTED: Final = 20
"""Notices of one word that are listed one by one."""


class Notices:
    """Notices; each word is listed `LISTED` times and then only counted."""

    def __init__(self, records: Records) -> None:
        self._records = records
        self._found: list[Notice] = []
        self._counts: Counter[str] = Counter()

    def add(self, word: str, record: int | None, detail: str) -> None:
        """Add a notice about a record; None for the file as a whole."""
        self._counts[word] += 1
        if self._counts[word] <= LISTED:
            line = None if record is None else self._records[record].line
            self._found.append(Notice(word, line, detail))

    def all(self) -> Iterator[Notice]:
        """All notices, with a count of those that are not listed."""
        yield from self._found
        for word, count in self._counts.items():
            if count > LISTED:
                yield Notice(word, None, f"and {count - LISTED} more")


def first_words(messages: Sequence[Message]) -> str | None:
    """The first line that the person typed, at most `TITLE_CHARS` code points."""
    said = (m for m in messages if m.standing in (SendStatus.LIVE, SendStatus.BEFORE_BOUNDARY))
    for message in said:
        for block in message.blocks:
            if isinstance(block, Text) and block.author is Author.USER:
                return headline(block.content.preview) or None
    return None


def headline(text: str) -> str:
    """The first line of a text, at most `TITLE_CHARS` code points."""
    return text.strip().partition("\n")[0][:TITLE_CHARS]
