"""Clearing the second copies of tool results: events for the display, which are never sent.

Without this a file with every result cleared is as big as before: a copy is whole even if the sent
result was truncated.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from app.formats.codex.rows import Edit, Value
from app.formats.repairs import replaced
from app.formats.store import text_of_value
from app.model import JsonPath

_OUTPUTS: Final = (
    "aggregated_output", "formatted_output", "stdout", "stderr", "output", "result", "chunk", "content_items",
)  # fmt: skip
"""Members of an event that repeat a tool's output; the first one present gets the new text."""

_WORDS: Final = frozenset(
    {"user_message", "agent_message", "agent_reasoning", "task_complete", "UserMessage", "AgentMessage"}
)
"""Types of events, and of the items they show, that repeat words of the person or the model."""
WORD_NAMES: Final = ("message", "text", "last_agent_message")
"""Members of such an event that hold the words."""

SHORT: Final = 200
"""Code points up to which an output is left when only size matters."""


def clearing(text: str) -> Edit:
    """The edit that puts `text` in place of the tool's output in an event."""
    return partial(_cleared, text)


def repeats_output(event: Value) -> bool:
    """Whether an event repeats a tool's output of some length."""
    holder = event["item"] if isinstance(event.get("item"), dict) else event
    return any(_is_long(holder[name]) for name in _OUTPUTS if holder.get(name))


def repeats_words(event: Value) -> bool:
    """Whether an event repeats words of the person or of the model."""
    shown = event.get("item")
    kind = shown.get("type") if isinstance(shown, dict) else event.get("type")
    return isinstance(kind, str) and kind in _WORDS


def _is_long(value: Any) -> bool:
    return len(value if isinstance(value, str) else text_of_value(value)) > SHORT


def _cleared(text: str, record: Value) -> Value:
    payload = record["payload"]
    shown = payload.get("item")
    path: JsonPath = ("payload", "item") if isinstance(shown, dict) else ("payload",)
    holder = shown if isinstance(shown, dict) else payload
    for name in _OUTPUTS:
        value = holder.get(name)
        if value:
            record = replaced(record, (*path, name), _like(value, text))
            text = ""
    return record


def _like(value: Any, text: str) -> Any:
    """`text` in the shape of the value it replaces: for an MCP result, as its only content."""
    if isinstance(value, list):
        return []
    if not isinstance(value, dict):
        return text
    if "content" in value:
        return {**value, "content": [{"type": "text", "text": text}], "structuredContent": None}
    return {key: _like(inner, text) if key in ("Ok", "ok") else inner for key, inner in value.items()}
