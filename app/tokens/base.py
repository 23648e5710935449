"""The estimator protocol: a named measure of text, blocks and messages.

Thresholds of a pipeline are in the units of its estimator, so an estimator also defines its unit, the
length of a text, and where a text is cut.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from app.model import Block, Message


class Estimator(Protocol):
    """A measure of the size of a conversation."""

    @property
    def name(self) -> str:
        """As on screen and in reports: `tokens`, `rough`, `utf16`, `minicode`, `json-chars`, `chars`.

        What is really measured, not what was asked for: `tokens` without a vocabulary is `rough`.
        """

    @property
    def unit(self) -> str:
        """The name of the unit in the plural: `tokens`, `UTF-16 units` ..."""

    @property
    def length_unit(self) -> str:
        """What `length` counts, in the plural: `characters` or `UTF-16 units`."""

    def describe(self) -> str:
        """How the numbers are computed and how far to trust them, in a few words for a person."""

    def length(self, text: str) -> int:
        """The length of a text in this estimator's character unit (code points or UTF-16 units)."""

    def cut(self, text: str, length: int) -> str:
        """The longest prefix of `text` of at most `length` in that unit that splits no code point."""

    def block(self, block: Block) -> int:
        """The size of one block, without any overhead per message."""

    def message(self, message: Message) -> int:
        """The size of one message, overhead included."""

    def total(self, messages: Iterable[Message]) -> int:
        """The size of a conversation. Not always the sum over its messages."""
