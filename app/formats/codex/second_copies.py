"""The second copy of what a tool gave: events for the display, which are never sent.

Without this a file with every result cleared is as big as before: the copies are whole where what was
sent was cut already.
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
"""Members of an event that repeat what a tool gave; the first that is there takes the new text."""

_WORDS: Final = frozenset(
    {"user_message", "agent_message", "agent_reasoning", "task_complete", "UserMessage", "AgentMessage"}
)
"""Types of events, and of the items that they show, that repeat words."""
WORD_NAMES: Final = ("message", "text", "last_agent_message")
"""Members of such an event that hold them."""

SHORT: Final = 200
"""Code points of an output that is left where only size is asked for."""


def clearing(text: str) -> Edit:
    """The edit that lets an event say `text` where it repeats a tool's output."""
    return partial(_cleared, text)


def repeats_output(event: Value) -> bool:
    """Whether an event repeats a tool's output at some length."""
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
    """`text` in the place of a value: inside what an MCP server gave, as its only content."""
    if isinstance(value, list):
        return []
    if not isinstance(value, dict):
        return text
    if "content" in value:
        return {**value, "content": [{"type": "text", "text": text}], "structuredContent": None}
    return {key: _like(inner, text) if key in ("Ok", "ok") else inner for key, inner in value.items()}
