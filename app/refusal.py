"""Parsing providers' "request too long" errors into token counts.

Every provider has its own wording, and some have several. They were collected from the providers'
error references and from errors quoted in public issues.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

LOOKED_AT: Final = 20_000
"""Code points of an answer that are read; the message is at its start."""


class Refusal(Struct, frozen=True):
    """A request refused for its length. Numbers are the provider's; None if it gave none."""

    text: str
    """The answer with whitespace collapsed. Not safe for a terminal."""
    tokens: int | None = None
    """Tokens of the request's input."""
    limit: int | None = None
    """Tokens the model accepts, its answer included."""
    reserved: int = 0
    """Tokens of the limit that the request reserved for the answer."""
    attempt: int = 1
    """1-based number of this refusal in a row."""

    @property
    def room(self) -> int | None:
        """Tokens that the input may have; None if the limit is not known."""
        return None if self.limit is None else max(0, self.limit - self.reserved)


def read_refusal(text: str) -> Refusal | None:
    """Parse an answer as a refusal; None for any other error, such as a rate limit.

    `text` may be the message alone, an error object as JSON, or what a client made of either.
    """
    if not _HINT.search(text, 0, LOOKED_AT):
        return None
    words = " ".join(_unescaped(text[:LOOKED_AT]).split())
    for pattern in _telling():
        if found := pattern.search(words):
            figures = {name: _number(value) for name, value in found.groupdict().items() if value}
            reserved = figures.get("reserved", 0)
            tokens = figures.get("tokens")
            if tokens is None and "total" in figures:
                tokens = max(0, figures["total"] - reserved)
            return Refusal(words, tokens, figures.get("limit"), reserved)
    if _PLAIN.search(words) and not _RATE.search(words):
        return Refusal(words)
    return None


def merged_refusal(answers: Sequence[str]) -> Refusal | None:
    """Several refusals in a row as one; None without any. An answer without the wording counts as one.

    Tokens come from the first, which counted the conversation before anything was cut; the limit from the
    newest that gives one.
    """
    if not answers:
        return None
    read = [read_refusal(answer) or Refusal("") for answer in answers]
    telling = next((refusal for refusal in reversed(read) if refusal.limit is not None), read[-1])
    return replace(telling, text=read[-1].text, tokens=read[0].tokens, attempt=len(answers))


def _unescaped(text: str) -> str:
    """The text without JSON escapes, however often it was quoted."""
    text = re.sub(r"\\+u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text)
    return re.sub(r"\\+[nrt]", " ", text).replace("\\", "")


def _number(digits: str) -> int:
    return int(re.sub(r"\D", "", digits))


def _pattern(words: str) -> re.Pattern[str]:
    """A wording as a pattern, with <tokens>, <limit>, <reserved> and <total> as numbers.

    <total> is the input plus the tokens reserved for the answer.
    """
    figure = r"(?P<\1>\\d[\\d,_]{0,15})"
    return re.compile(re.sub(r"<(tokens|limit|reserved|total)>", figure, words), re.IGNORECASE)


_WITH_NUMBERS: Final = (
    # Anthropic, Fireworks
    r"prompt is too long:? <tokens> tokens > <limit>",
    r"input length and .{0,3}max_tokens.{0,3} exceed context limit: <tokens> \+ <reserved> > <limit>",
    r"prompt is too long: <tokens>, model maximum context length: <limit>",
    # OpenAI, Azure, DeepSeek, OpenRouter, vLLM, sglang
    r"maximum context length is <limit> tokens.{0,60}?resulted in <tokens> tokens",
    r"maximum context length is <limit> tokens.{0,60}?requested (?:about )?<total> tokens"
    r" \([^()]{0,160}?<reserved> (?:in|for) the (?:completion|output)",
    r"maximum context length is <limit> tokens.{0,60}?requested <reserved> output tokens and your"
    r" prompt contains (?:at least )?<tokens> input tokens",
    r"maximum context length is <limit> tokens.{0,20}?your request has <tokens> input tokens",
    r"maximum context length is <limit> tokens.{0,60}?requested (?:about )?<tokens> tokens",
    r"maximum context length of <limit> tokens.{0,60}?tokens: <tokens> tokens from the input messages"
    r" and <reserved> tokens for the completion",
    r"input tokens exceed the configured limit of <limit> tokens\. your messages resulted in"
    r" <tokens>",
    r"input tokens exceed the configured limit of <limit> tokens",
    r"prompt \((?:total )?length <tokens>\) is (?:too long to fit into the model \(context length"
    r"|longer than the maximum model length of) <limit>",
    r"input prompt \(<tokens> tokens\) is too long and exceeds (?:the )?(?:capacity|limit) of"
    r" <limit>",
    r"input \(<tokens> tokens\) is longer than the model's context length \(<limit> tokens\)",
    r"input length \(<tokens> tokens\) exceeds the maximum allowed length \(<limit> tokens\)",
    r"input length \(?<tokens>\)? exceeds (?:the )?(?:model's )?maximum (?:context )?length"
    r" \(?<limit>",
    # Google
    r"input token count \(<tokens>\) exceeds the maximum number of tokens allowed \(?<limit>",
    r"input token count exceeds the maximum number of tokens allowed \(?<limit>",
    r"input token count is <tokens> but (?:the )?model only supports up to <limit>",
    # xAI, GitHub, Amazon, Meta, Mistral, Moonshot, Cohere, Cerebras, SiliconFlow, IBM, Databricks
    r"maximum prompt length is <limit> but the request contains <tokens> tokens",
    r"prompt token count of <tokens> exceeds the limit of <limit>",
    r"request body too large for .{1,60}? model\. max size: <limit> tokens",
    r"max input tokens: <limit>, request input token count: <tokens>",
    r"passed <tokens> input tokens and requested <reserved> output tokens.{0,60}?context length is"
    r" only <limit> tokens",
    r"prompt contains <tokens> tokens.{0,60}?too large for model with <limit> maximum context",
    r"exceeded model token limit: <limit> \(requested: <tokens>\)",
    r"exceeded model token limit: <limit>",
    r"tokens (?:in the prompt|\(prompt and prediction\)) cannot exceed <limit> ?- ?received <tokens>",
    r"size limit exceeded by [\d,]{1,15} tokens.{0,160}?limit for this model is <limit> tokens",
    r"current length is <tokens> while limit is <limit>",
    r"length of prompt_tokens \(<tokens>\) must be less than max_seq_len \(<limit>\)",
    r"max_total_tokens \(<tokens>\) must be less than or equal to max_seq_len \(<limit>\)",
    r"number of input tokens <tokens> cannot exceed the total tokens limit <limit>",
    r"prompt token count \(<tokens>\) cannot exceed <limit>",
    # Servers that people run themselves: llama.cpp, LM Studio, TGI, TensorRT, DashScope
    r'"n_prompt_tokens": ?<tokens>,.{0,60}?"n_ctx": ?<limit>',
    r"request \(<tokens> tokens\) exceeds the available context size \(<limit> tokens\)",
    r"exceeds the available context size \(<limit> tokens\)",
    r"n_keep: <tokens> >= n_ctx: <limit>",
    r"requested tokens \(<tokens>\) exceed context window of <limit>",
    r"keep the first <tokens> tokens when.{0,60}?context length of only <limit> tokens",
    r"prompt has <tokens> tokens?, but the configured context size is <limit>",
    r"must be <= <limit>\. Given: <tokens> .{0,3}inputs.{0,3} tokens and <reserved> .{0,3}max_new",
    r"inputs.{0,3} must have less than <limit> tokens\. given: <tokens>",
    r"prompt length \(<tokens>\) exceeds maximum input length \(<limit>\)",
    r"range of input length should be \[\d+, ?<limit>\]",
    # What agents say themselves: Qwen Code, Aider
    r"session token limit exceeded: <tokens> tokens > <limit>",
    r"input tokens: ~?<tokens> of <limit> -- possibly exhausted context window",
    r"maximum context length is <limit> tokens",
)
"""Wordings with numbers; of similar ones, the one with more numbers comes first."""


@cache
def _telling() -> tuple[re.Pattern[str], ...]:
    # Compiled lazily: few runs see a refusal.
    return tuple(map(_pattern, _WITH_NUMBERS))


_HINT: Final = re.compile(
    r"context|prompt|token|length|too\s+(?:large|long)|max_seq_len|\\u[0-9a-f]{4}|上下文|输入|超",
    re.IGNORECASE,
)
"""Every refusal contains one of these: a cheap test, since most texts are something else."""

_PLAIN: Final = re.compile(
    r"prompt is too long|input is too long|prompt too long|input token count exceeds"
    r"|exceeds the context window|context[_ ](?:length|window|limit)[_ ](?:was |is )?(?:exceeded|reached)"
    r"|context window exceeds|model_max_prompt_tokens_exceeded|model_context_window_exceeded"
    r"|exceeds? (?:the |model'?s? )?(?:maximum |max )?(?:context (?:length|window)|available context size)"
    r"|exceed the remaining context window|number of input tokens exceeds maximum length"
    r"|greater than the context length|context size has been exceeded|prompt exceeds max(?:imum)? length"
    r"|ran out of room in the model's context window|reduce the length of the (?:messages|prompt|input)"
    r"|request_too_large|request too large \(max|request entity too large|conversation too long"
    r"|exceed_context_size_error|context overflow|tokens_limit_reached"
    r"|prompt ?超长|输入长度超(?:过|出)|上下文(?:长度|窗口)?(?:超|已满)|超(?:过|出).{0,12}上下文",
    re.IGNORECASE,
)
_RATE: Final = re.compile(
    r"tokens per (?:min|day)|\bTPM\b|rate[_ -]limit|quota|wait before trying|too many requests", re.IGNORECASE
)
"""Too many tokens per minute or day: a rate limit, not a context limit."""
