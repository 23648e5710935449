"""Checking a conversation against the providers' rules: every violation, with its place."""

from __future__ import annotations

from collections.abc import Mapping

from app.validity.anthropic import check_anthropic
from app.validity.base import (
    DEFAULTS,
    Checker,
    Comparison,
    Options,
    Pairs,
    Violation,
    compare,
    errors,
)
from app.validity.gemini import check_gemini
from app.validity.openai_chat import check_openai_chat
from app.validity.openai_responses import check_openai_responses
from app.validity.pairs import PairIndex
from app.validity.rules import RULES, Certainty, Rule, is_near

CHECKERS: Mapping[str, Checker] = {
    "anthropic": check_anthropic,
    "gemini": check_gemini,
    "openai-chat": check_openai_chat,
    "openai-responses": check_openai_responses,
}
"""Checkers by the value of a format's `validity`."""


def check(validity: str, pairs: Pairs, options: Options = DEFAULTS) -> list[Violation]:
    """The violations of the rules named `validity`, in message order.

    Raises ValueError if there is no checker with that name; never because of the messages' content.
    """
    if validity not in CHECKERS:
        raise ValueError(f"no rules named {validity!r}; available: {', '.join(CHECKERS)}")
    return CHECKERS[validity](pairs, options)


__all__ = [
    "CHECKERS",
    "DEFAULTS",
    "RULES",
    "Certainty",
    "Checker",
    "Comparison",
    "Options",
    "PairIndex",
    "Pairs",
    "Rule",
    "Violation",
    "check",
    "check_anthropic",
    "check_gemini",
    "check_openai_chat",
    "check_openai_responses",
    "compare",
    "errors",
    "is_near",
]
