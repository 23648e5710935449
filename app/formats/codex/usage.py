"""Which call of the model reported which usage: `token_count` events stand behind what they count."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.model import Role, Usage

WINDOW = "model_context_window"
_NAMES = ("input_tokens", "output_tokens", "cached_input_tokens", "cache_write_input_tokens")


class UsageMeter:
    """Numbers the replies of the model as their items come, and gives each its usage."""

    def __init__(self) -> None:
        self.usages: dict[int, Usage] = {}
        """By number of the reply; numbers begin at 1."""
        self.total: Usage | None = None
        """What all calls report together, each once."""
        self.window: int | None = None
        """Tokens of the model's window, as the client said last."""
        self._reply = 0
        self._open = False
        self._settled = 0
        self._counted: tuple[int, ...] = ()

    def item(self, role: Role) -> int:
        """The number of the reply that the next item belongs to; 0 for what no model made."""
        if role is not Role.ASSISTANT:
            self._open = False
            return 0
        if not self._open:
            self._reply += 1
            self._open = True
        return self._reply

    def end_reply(self) -> None:
        """The model's reply is complete."""
        self._open = False

    def compacted(self) -> None:
        """What is counted next is no reply: a client writes a guess behind a compaction."""
        self._open = False
        self._settled = self._reply

    def tell_window(self, holder: Any) -> None:
        """What an event says of the window: the start of a turn, and each `token_count`."""
        if isinstance(holder, dict):
            self.window = _count(holder.get(WINDOW)) or self.window

    def count(self, info: Any) -> bool:
        """A `token_count`; says whether it holds figures at all.

        One without figures, one that repeats the last and one of zero are passed over.
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
    """A call's usage; what Codex calls input holds the cached part."""
    given, output, cached, written = (_count(last.get(name)) for name in _NAMES)
    if not given:
        return None
    cached = min(cached, given)
    written = min(written, given - cached)
    return Usage(given - cached - written, output, cached, written)


def _figures(usage: Mapping[str, Any]) -> tuple[int, ...]:
    """What tells one count from the next, whichever version wrote it."""
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
