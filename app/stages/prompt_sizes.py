"""How large a session's prompts were: as the provider reported it, else by estimate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from app.model import Message, Role
from app.tokens.base import Estimator


class PromptSize(NamedTuple):
    """The moment before one model call."""

    after: int
    """Messages that are there."""
    tokens: int | None
    """What the prompt measures; None where that is not known, which changes nothing."""
    recorded: bool = False
    reply: str | None = None
    """Key of the message that the call gave."""
    restarted: bool = False
    """Whether the program was started anew just before, so that latch and frozen set are forgotten."""


def readings_of(messages: Sequence[Message], measure: Estimator) -> Iterator[PromptSize]:
    """The moments before every model call, and before the one that comes next.

    A prompt measures what the provider reported for its call. Where it reported nothing, it measures
    the newest report and what came since, by `measure` (which is asked only then).
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
