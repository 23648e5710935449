"""Reading metadata that plain JSON messages may have: time, model and usage."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from app.model import Usage

_TIME_KEYS: Final = ("timestamp", "created_at", "time", "created")
_MILLISECONDS: Final = 1e11
"""A number from here on counts milliseconds: as seconds it would be after the year 5000."""


def time_of(message: Mapping[str, Any]) -> float | None:
    """A message's time in seconds since 1970; trajectories have it in `extra`."""
    extra = message.get("extra")
    for holder in (message, extra) if isinstance(extra, dict) else (message,):
        for key in _TIME_KEYS:
            if key in holder and (seconds := _seconds(holder[key])) is not None:
                return seconds
    return None


def _seconds(value: Any) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        number = float(value) if abs(value) < 1e18 else math.inf
        if not math.isfinite(number) or number <= 0:
            return None
        return number / 1000 if number >= _MILLISECONDS else number
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            return None
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return None


def model_of(message: Mapping[str, Any]) -> str | None:
    """The model that a message names."""
    model = message.get("model", response_of(message).get("model"))
    return model if isinstance(model, str) and model else None


def usage_of(message: Mapping[str, Any]) -> Usage | None:
    """The usage reported with a message, in either provider's form."""
    usage = message.get("usage", response_of(message).get("usage"))
    if not isinstance(usage, dict):
        return None
    if "prompt_tokens" in usage:
        details = usage.get("prompt_tokens_details")
        cached = _count(details.get("cached_tokens")) if isinstance(details, dict) else 0
        return Usage(
            max(0, _count(usage["prompt_tokens"]) - cached), _count(usage.get("completion_tokens")), cached
        )
    if "input_tokens" not in usage:
        return None
    return Usage(
        _count(usage["input_tokens"]),
        _count(usage.get("output_tokens")),
        _count(usage.get("cache_read_input_tokens")),
        _count(usage.get("cache_creation_input_tokens")),
    )


def response_of(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """The raw reply that a trajectory keeps beside a message."""
    extra = message.get("extra")
    response = extra.get("response") if isinstance(extra, dict) else None
    return response if isinstance(response, dict) else {}


def total(usages: Iterable[Usage | None]) -> Usage | None:
    """The sum of all usages; None if there is none."""
    known = [usage for usage in usages if usage is not None]
    if not known:
        return None
    return Usage(
        sum(usage.input_tokens for usage in known),
        sum(usage.output_tokens for usage in known),
        sum(usage.cache_read_tokens for usage in known),
        sum(usage.cache_creation_tokens for usage in known),
    )


def _count(value: Any) -> int:
    """A token count; 0 for any other value."""
    is_count = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e15
    return int(value) if is_count else 0
