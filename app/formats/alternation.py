"""Joining consecutive messages of one role, for targets that require strict alternation.

The large providers accept such runs; the chat templates of other servers refuse them
(FoundationAgents/OpenManus#580, infiniflow/ragflow#6880).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from msgspec.structs import replace

from app.formats.repairs import Mended, Mender, Message, Pairs, Repair

_ROLES: Final = ("user", "assistant")


class Alternating:
    """A mender that joins consecutive messages of another mender's output."""

    def __init__(self, inner: Mender) -> None:
        self._inner = inner
        self.repairs: list[Repair] = inner.repairs

    def run(self, pairs: Pairs) -> Iterator[Mended]:
        """The messages, each run of one role joined into its first; the others are removed."""
        held: Mended | None = None
        for mended in self._inner.run(pairs):
            if mended.message is None:
                yield mended
            elif held is None or held.message is None or not _belong(held.message, mended.message):
                if held is not None:
                    yield held
                held = mended
            else:
                key = mended.key or held.key or ""
                self.repairs.append(
                    Repair("alternation", key, "consecutive messages of one role were joined")
                )
                held = replace(
                    held, message=_joined(held.message, mended.message), touched=True, origins=None
                )
                if mended.key is not None:
                    yield Mended(mended.key, None, True)
        if held is not None:
            yield held


def _belong(one: Message, other: Message) -> bool:
    return one.get("role") in _ROLES and one.get("role") == other.get("role")


def _joined(one: Message, other: Message) -> Message:
    said = {key: value for key, value in one.items() if value is not None}
    joined = {**other, **said, "content": _contents(one.get("content"), other.get("content"))}
    calls = [*(one.get("tool_calls") or ()), *(other.get("tool_calls") or ())]
    return {**joined, "tool_calls": calls} if calls else joined


def _contents(one: Any, other: Any) -> Any:
    if not one or not other:
        return one or other
    if isinstance(one, str) and isinstance(other, str):
        return f"{one}\n\n{other}"
    return [*_parts(one), *_parts(other)]


def _parts(content: Any) -> list[Any]:
    return content if isinstance(content, list) else [{"type": "text", "text": content}]
