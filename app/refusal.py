"""What a provider answers when a request is too long for its model, read into numbers.

Every provider has its own words for it, and some have several. They were collected from the providers'
error references and from answers that people quoted in public issues.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

LOOKED_AT: Final = 20_000
"""Code points of an answer that are read; the words stand at its start."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A request that was refused for its length. Figures are the provider's; None where it gave none."""

    text: str
    """The answer, blanks collapsed. Not safe for a terminal."""
    tokens: int | None = None
    """Tokens of the request's input."""
    limit: int | None = None
    """Tokens that the model takes, its answer included."""
    reserved: int = 0
    """Tokens of the limit that the request kept free for the answer."""
    attempt: int = 1
    """Which refusal in a row it is, the first being 1."""

    @property
    def room(self) -> int | None:
        """Tokens that the input may have."""
        return None if self.limit is None else max(0, self.limit - self.reserved)


def read_refusal(text: str) -> Refusal | None:
    """The refusal that an answer is; None for any other error, a rate limit above all.

    `text` may be the message alone, an error object as JSON, or what a client made of either.
    """
    words = re.sub(r"\s+", " ", text[:LOOKED_AT]).strip()
    for pattern in _WITH_NUMBERS:
        if found := pattern.search(words):
            figures = {name: _number(value) for name, value in found.groupdict().items() if value}
            return Refusal(words, figures.get("tokens"), figures.get("limit"), figures.get("reserved", 0))
    if _PLAIN.search(words) and not _RATE.search(words):
        return Refusal(words)
    return None


def merged_refusal(answers: Sequence[str]) -> Refusal | None:
    """What several refusals in a row tell together; None without any, an empty answer being a supposed one.

    The first one counted the conversation as it was before anything was cut; the newest one's limit holds.
    """
    if not answers:
        return None
    read = [read_refusal(answer) or Refusal("") for answer in answers]
    telling = next((refusal for refusal in reversed(read) if refusal.limit is not None), read[-1])
    return replace(telling, text=read[-1].text, tokens=read[0].tokens, attempt=len(answers))


def _number(digits: str) -> int:
    return int(re.sub(r"\D", "", digits))


def _pattern(words: str) -> re.Pattern[str]:
    """A pattern of words in which <tokens>, <limit> and <reserved> stand for figures."""
    figure = r"(?P<\1>\\d[\\d,_]{0,15})"
    return re.compile(re.sub(r"<(tokens|limit|reserved)>", figure, words), re.IGNORECASE)


_WITH_NUMBERS: Final = tuple(
    map(
        _pattern,
        (
            # Anthropic
            r"prompt is too long:? <tokens> tokens > <limit>",
            r"input length and .{0,3}max_tokens.{0,3} exceed context limit: <tokens> \+ <reserved> > <limit>",
            # OpenAI, Azure, DeepSeek, OpenRouter, vLLM
            r"maximum context length is <limit> tokens.{0,60}?resulted in <tokens> tokens",
            r"maximum context length is <limit> tokens.{0,60}?requested (?:about )?[\d,]{1,15} tokens"
            r" \(<tokens> (?:in|of) [^();,]{1,60}[;,][^()]{0,120}?<reserved> (?:in|for) the"
            r" (?:completion|output)",
            r"maximum context length is <limit> tokens.{0,60}?requested <reserved> output tokens and your"
            r" prompt contains (?:at least )?<tokens> input tokens",
            r"maximum context length is <limit> tokens and your request has <tokens> input tokens",
            r"maximum context length is <limit> tokens.{0,60}?requested (?:about )?<tokens> tokens",
            r"prompt \(length <tokens>\) is longer than the maximum model length of <limit>",
            r"input \(<tokens> tokens\) is longer than the model's context length \(<limit> tokens\)",
            r"input length \(?<tokens>\)? exceeds (?:the )?model's maximum context length \(?<limit>",
            # Google
            r"input token count \(<tokens>\) exceeds the maximum number of tokens allowed \(?<limit>",
            r"input token count exceeds the maximum number of tokens allowed \(?<limit>",
            # xAI, GitHub Copilot, Meta, Mistral, Moonshot, Cohere
            r"maximum prompt length is <limit> but the request contains <tokens> tokens",
            r"prompt token count of <tokens> exceeds the limit of <limit>",
            r"passed <tokens> input tokens and requested <reserved> output tokens.{0,60}?context length is"
            r" only <limit> tokens",
            r"prompt contains <tokens> tokens.{0,60}?too large for model with <limit> maximum context",
            r"exceeded model token limit: <limit> \(requested: <tokens>\)",
            r"exceeded model token limit: <limit>",
            r"tokens in the prompt cannot exceed <limit> ?- ?received <tokens>",
            # Servers that people run themselves: llama.cpp, LM Studio, text-generation-inference, DashScope
            r'"n_prompt_tokens": ?<tokens>,.{0,60}?"n_ctx": ?<limit>',
            r"request \(<tokens> tokens\) exceeds the available context size \(<limit> tokens\)",
            r"exceeds the available context size \(<limit> tokens\)",
            r"n_keep: <tokens> >= n_ctx: <limit>",
            r"must be <= <limit>\. Given: <tokens> .{0,3}inputs.{0,3} tokens and <reserved> .{0,3}max_new",
            r"range of input length should be \[\d+, ?<limit>\]",
            r"maximum context length is <limit> tokens",
        ),
    )
)
"""Wordings that tell figures, the more telling of a kind first."""

_PLAIN: Final = re.compile(
    r"prompt is too long|input is too long|input token count exceeds|exceeds the context window"
    r"|context[_ ](?:length|window)[_ ]exceeded|context window exceeds|model_max_prompt_tokens_exceeded"
    r"|exceeds? (?:the |model'?s? )?(?:maximum |max )?(?:context (?:length|window)|available context size)"
    r"|greater than the context length|context size has been exceeded|prompt exceeds max(?:imum)? length"
    r"|ran out of room in the model's context window|reduce the length of the (?:messages|prompt|input)"
    r"|request_too_large|exceed_context_size_error|context overflow",
    re.IGNORECASE,
)
_RATE: Final = re.compile(r"tokens per (?:min|day)|\bTPM\b|rate[_ -]limit|quota", re.IGNORECASE)
"""Too many tokens within a time is no matter of the context."""
