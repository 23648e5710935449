"""What a move could not carry over, counted, with how it was put instead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

WORDS: Final[Mapping[str, str]] = {
    "not-live": "messages that are not sent any more (other branches, before a boundary) stay behind",
    "system-prompt": "system prompts left out: the agent has its own",
    "sealed-thinking": "sealed thinking blocks left out: a seal holds only where it was made",
    "thinking": "plain thinking blocks left out: another model is not sent them",
    "opaque": "blocks of other kinds: a note of kind and size in their place",
    "image": "pictures that cannot go there: a note of kind and size in their place",
    "custom-input": 'calls whose input is no object: put as {"input": ...}',
    "server-call": "calls that the provider ran itself: put as ordinary calls",
    "tool-name": "tool names with signs that are not taken everywhere: respelled",
    "call-id": "call ids that are not taken everywhere, or were used twice: renamed on both sides",
    "error-flag": 'failed results: "Error: " before their text, there is no flag for it',
    "open-call": "calls without a result: given one that says so",
    "second-result": "further results of one call: left out",
    "orphan-result": "results whose call is not there: put as injected text",
    "injected": "injected texts put into <system-reminder>, so that they are told from yours",
    "unwrapped": "queued words of yours taken out of the <system-reminder> around them",
    "summary": "summaries marked with [Compacted], so that they are known as such",
    "text-after-call": "texts that stood behind a call of the same message: put before it",
    "joined": "messages joined with the one before, which is of the same role",
    "beginning": "the first message was the assistant's: a line before it says that its beginning is gone",
}
"""By word, in the order of the report."""


class Loss(Struct, frozen=True):
    """One kind of what could not be carried over as it was."""

    word: str
    count: int

    @property
    def text(self) -> str:
        """What it is and how it was put."""
        return WORDS[self.word]


class Losses:
    """Counts what is lost while messages are moved."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def add(self, word: str, count: int = 1) -> None:
        """Count something; `word` is one of `WORDS`."""
        assert word in WORDS
        self._counts[word] += count

    def all(self) -> tuple[Loss, ...]:
        """What was lost, in the order of `WORDS`."""
        return tuple(Loss(word, self._counts[word]) for word in WORDS if self._counts[word])
