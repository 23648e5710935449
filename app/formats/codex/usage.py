"""Assigning usage to replies of the model: a `token_count` event comes after what it counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.model import Role, Usage

WINDOW = "model_context_window"
_NAMES = ("input_tokens", "output_tokens", "cached_input_tokens", "cache_write_input_tokens")


class UsageMeter:
    """Numbers the replies of the model as their items arrive, and assigns each its usage."""

    def __init__(self) -> None:
        self.usages: dict[int, Usage] = {}
        """By reply number, from 1 on."""
        self.total: Usage | None = None
        """The sum of what all calls reported, each call counted once."""
        self.window: int | None = None
        """Tokens of the model's context window, as last reported."""
        self._reply = 0
        self._open = False
        self._settled = 0
        self._counted: tuple[int, ...] = ()

    def item(self, role: Role) -> int:
        """The number of the reply that the next item belongs to; 0 if it is not the model's."""
        if role is not Role.ASSISTANT:
            self._open = False
            return 0
        if not self._open:
            self._reply += 1
            self._open = True
        return self._reply

    def end_reply(self) -> None:
        """Note that the model's reply is complete."""
        self._open = False

    def compacted(self) -> None:
        """Note a compaction: the next count is the client's estimate, not a reply's usage."""
        self._open = False
        self._settled = self._reply

    def tell_window(self, holder: Any) -> None:
        """Take the window size from an event: the start of a turn, or a `token_count`."""
        if isinstance(holder, dict):
            self.window = _count(holder.get(WINDOW)) or self.window

    def count(self, info: Any) -> bool:
        """Take in a `token_count`; returns whether it holds counts at all.

        One without counts, one that repeats the last and one of zero are ignored.
        """
        if not isinstance(info, dict):
            return False
        last, total = info.get("last_token_usage"), info.get("total_token_usage")
        if not isinstance(last, dict):
            return False
        usage = _usage(last)
        counted = _figures(total if isinstance(total, dict) else last)
        if usage is None or counted == self._counted:
            return True
        self._counted = counted
        self._open = False
        self.total = usage if self.total is None else _sum(self.total, usage)
        if self._reply > self._settled:
            self._settled = self._reply
            self.usages[self._reply] = usage
        return True


def _usage(last: Mapping[str, Any]) -> Usage | None:
    """A call's usage; Codex's input count includes the cached tokens."""
    given, output, cached, written = (_count(last.get(name)) for name in _NAMES)
    if not given:
        return None
    cached = min(cached, given)
    written = min(written, given - cached)
    return Usage(given - cached - written, output, cached, written)


def _figures(usage: Mapping[str, Any]) -> tuple[int, ...]:
    """The numbers that distinguish one count from the next, in all versions."""
    return tuple(_count(usage.get(name)) for name in ("input_tokens", "output_tokens", "total_tokens"))


def _sum(one: Usage, other: Usage) -> Usage:
    return Usage(
        one.input_tokens + other.input_tokens,
        one.output_tokens + other.output_tokens,
        one.cache_read_tokens + other.cache_read_tokens,
        one.cache_creation_tokens + other.cache_creation_tokens,
    )


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0
