"""The sizes of a session's prompts: as reported by the provider, else estimated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from app.model import Message, Role
from app.tokens.base import Estimator


class PromptSize(NamedTuple):
    """The prompt of one model call."""

    after: int
    """Number of messages in the prompt."""
    tokens: int | None
    """Size of the prompt; None if unknown, in which case a replay does nothing at this call."""
    recorded: bool = False
    reply: str | None = None
    """Key of the reply."""
    restarted: bool = False
    """Whether the agent was restarted just before, which resets the latch and the frozen set."""


def readings_of(messages: Sequence[Message], measure: Estimator) -> Iterator[PromptSize]:
    """The prompts of every model call, and of the next one.

    A prompt's size is what the provider reported for its call. If it reported nothing, it is the newest
    reported size plus what was added since, by `measure` (called only then).
    """
    known = since = 0
    for i, message in enumerate(messages):
        if message.role is not Role.ASSISTANT:
            continue
        usage = message.usage
        if usage is not None and usage.context > 0:
            yield PromptSize(i, usage.context, recorded=True, reply=message.key)
            known = usage.context + (usage.output_tokens or measure.message(message))
            since = i + 1
        else:
            known += measure.total(messages[since:i])
            yield PromptSize(i, known, reply=message.key)
            since = i
    yield PromptSize(len(messages), known + measure.total(messages[since:]))
