"""What a move could not carry over, counted, with how it was put instead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

WORDS: Final[Mapping[str, str]] = {
    "not-live": "messages no longer sent (other branches, before a boundary) are left out",
    "system-prompt": "system prompts are left out: the agent has its own",
    "sealed-thinking": "sealed thinking blocks are left out: they are valid only with their own provider",
    "thinking": "plain thinking blocks are left out: they are not sent to other models",
    "opaque": "blocks of other kinds are replaced by a note of kind and size",
    "image": "images not supported there are replaced by a note of kind and size",
    "custom-input": 'calls whose input is not an object: wrapped as {"input": ...}',
    "server-call": "calls run by the provider: written as ordinary calls",
    "tool-name": "tool names with characters not accepted everywhere: respelled",
    "call-id": "call ids not accepted everywhere, or used twice: renamed in call and result",
    "error-flag": 'failed results: marked with "Error: " before the text, as there is no flag for it',
    "open-call": "calls without a result: given one that says so",
    "second-result": "further results of one call: left out",
    "orphan-result": "results without their call: written as injected text",
    "injected": "injected texts: wrapped in <system-reminder> to tell them apart from yours",
    "unwrapped": "your queued messages: taken out of the <system-reminder> around them",
    "summary": "summaries: marked with [Compacted]",
    "text-after-call": "texts after a call in the same message: moved before it",
    "joined": "messages joined with the previous one, which has the same role",
    "beginning": "the first message was the assistant's: a line before it says that the beginning is missing",
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
