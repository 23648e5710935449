"""The estimator for people: tokens as the session's model would count them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from app.model import (
    Author,
    Block,
    Content,
    Held,
    Image,
    Message,
    Opaque,
    Role,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
    contents_of,
)
from app.secrets import count_secrets
from app.tokens.encode import Encoder, encoder
from app.tokens.families import ModelFamily, family_of
from app.tokens.images import image_tokens
from app.tokens.memo import Memo
from app.tokens.rough import rough_tokens
from app.tokens.text_class import TextClass, text_class

TOOL_REFERENCE_TOKENS = 750
"""A tool_reference expands to a whole tool description: the median of those seen."""

DOCUMENT_CHARS_PER_TOKEN = 40
"""A PDF in base64 costs by the page, not by the character: about 2,000 tokens for 80,000 of them."""


# Looked up once: accessing an enum member takes longer than using it.
_ASSISTANT: Final = Author.ASSISTANT
_REPLY: Final = TextClass.REPLY


@dataclass(frozen=True)
class Correction:
    """A calibration of the table: `factor` on everything, and the words that describe it."""

    factor: float
    words: str


class TokenEstimator:
    """Counts with a vocabulary (`encoder`) or, without one, roughly from lengths and previews.

    A block counts its text, images, thinking and its own fixed costs; a message adds the costs of its
    further results, and that of a reply. Thinking is counted by its signature if its text is only a
    summary. Sizes are cached per block object.
    """

    unit = "tokens"
    length_unit = "characters"

    def __init__(
        self, family: ModelFamily, counts: Encoder | None = None, correction: Correction | None = None
    ) -> None:
        self.family = family
        self._encoder = counts
        self._correction = correction
        self._scale = correction.factor if correction else 1.0
        self._reply = _whole(family.fixed.reply * self._scale)
        self._sizes = Memo(self._measure, by_words=True)

    @property
    def exact(self) -> bool:
        """Whether texts are counted with a vocabulary, as far as known before the first count."""
        return self._encoder is not None and self._encoder.expected()

    @property
    def name(self) -> str:
        return "tokens" if self.exact else "rough"

    def describe(self) -> str:
        words = self._correction.words if self._correction else self.family.describe()
        if self.exact:
            return words
        why = ", no vocabulary found" if self._encoder is not None else ""
        return f"~ rough, from lengths{why}"

    def length(self, text: str) -> int:
        return len(text)

    def cut(self, text: str, length: int) -> str:
        return text[: max(length, 0)]

    def block(self, block: Block) -> int:
        return self._sizes.of(block)

    def known(self, block: Block) -> int | None:
        """The block's size if it is in the cache."""
        return self._sizes.known(block)

    def message(self, message: Message) -> int:
        return sum(map(self._sizes.of, message.blocks)) + self.overhead(message)

    def overhead(self, message: Message) -> int:
        """Tokens of a message in addition to those of its blocks."""
        if len(message.blocks) < 2:  # as most are: only further results cost more
            return self._reply if message.role is Role.ASSISTANT else 0
        results = sum([isinstance(block, ToolResult) for block in message.blocks])
        fixed = self.family.fixed
        extra = max(results - 1, 0) * (fixed.further_result - fixed.result)
        return _whole((extra + (fixed.reply if message.role is Role.ASSISTANT else 0)) * self._scale)

    def prepare(self, blocks: Iterable[Block]) -> None:
        """Load the vocabulary if one of these blocks has a text that was never counted."""
        if self._encoder is None:
            return
        texts = (
            content
            for block in blocks
            if isinstance(block, Text | ToolResult | ToolUse)
            for content in contents_of(block)
        )
        if not all(map(self._encoder.knows, texts)):
            self._encoder.load()

    def secrets(self, block: Block) -> int:
        """The number of strings in a block's texts that look like keys; reads them if not known."""
        return sum(self._secrets(content) for content in contents_of(block) if content.chars)

    def total(self, messages: Iterable[Message]) -> int:
        return sum(map(self.message, messages))

    def corrected(self, correction: Correction) -> TokenEstimator:
        """The same estimator with a calibration."""
        return TokenEstimator(self.family, self._encoder, correction)

    def _secrets(self, content: Content) -> int:
        return count_secrets(content.read()) if self._encoder is None else self._encoder.secrets(content)

    def _measure(self, block: Block) -> int:
        return _whole(self._tokens(block) * self._scale)

    def _tokens(self, block: Block) -> float:
        match block:
            case Text():
                return self._words(block.content, _REPLY if block.author is _ASSISTANT else None)
            case ToolResult():
                return sum(map(self._tokens, block.parts)) + self.family.fixed.result
            case ToolUse():
                call = self.family.fixed.call
                named = self._words(Held(block.name), TextClass.INPUT) if call is None else call
                return named + self._words(block.input, TextClass.INPUT)
            case Thinking():
                return self._thinking(block)
            case Image():
                return image_tokens(block, self.family.image, read=self.exact)
            case Opaque():
                return self._opaque(block)

    def _thinking(self, block: Thinking) -> float:
        family = self.family
        sealed = block.signature_chars or (block.content.chars if block.redacted else 0)
        shown = 0 if block.redacted else block.content.chars
        if shown and family.shown_thinking is not None:
            return self._count(block.content) * family.shown_thinking
        if sealed and family.seal is not None:
            return family.seal.tokens(sealed)
        return self._words(block.content, TextClass.REPLY) if shown else 0.0

    def _opaque(self, block: Opaque) -> float:
        match block.type:
            case "fallback":
                return 0.0
            case "tool_reference":
                return TOOL_REFERENCE_TOKENS
            case "document" | "file" | "input_file":
                return block.content.chars / DOCUMENT_CHARS_PER_TOKEN
            case _:
                return self._words(block.content, TextClass.JSON)

    def _words(self, content: Content, kind: TextClass | None = None) -> float:
        if not content.chars:
            return 0.0
        family = self.family
        if not family.factors:
            return self._count(content) * family.plain
        return self._count(content) * family.factor(self._kind(content) if kind is None else kind)

    def _count(self, content: Content) -> float:
        """Tokens of a text before any factor."""
        known = self._encoder.measure(content) if self._encoder is not None and self.exact else None
        return rough_tokens(content) if known is None else known.tokens

    def _kind(self, content: Content) -> TextClass:
        if self._encoder is not None and self.exact and self._encoder.measure(content) is not None:
            return self._encoder.kind(content)
        return text_class(content.preview)


def _whole(value: float) -> int:
    return int(value + 0.5)


def token_estimator(
    model: str | None, *, exact: bool = True, correction: Correction | None = None
) -> TokenEstimator:
    """The token estimator for a model; with `exact` off it reads no text and needs no vocabulary."""
    family = family_of(model)
    return TokenEstimator(family, encoder(family.encoding) if exact else None, correction)
