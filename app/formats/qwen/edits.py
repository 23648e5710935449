"""The changes that an export makes to records of the file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from app.formats.contents.names import answer_of
from app.formats.contents.outgoing import OutgoingPart
from app.formats.qwen.names import HISTORY
from app.formats.repairs import replaced
from app.formats.result_copies import without_copies
from app.formats.tree_rows import Edit
from app.model import JsonPath, ToolResult, text_of

Value = dict[str, Any]

_SHOWN: Final[tuple[JsonPath, ...]] = (
    ("resultDisplay",), ("resultDisplay", "output"), ("resultDisplay", "text"),
    ("resultDisplay", "originalContent"), ("resultDisplay", "newContent"), ("resultDisplay", "fileDiff"),
)  # fmt: skip
"""Paths of a result's copies for the display: as sent, or whole if the sent one was truncated."""


def with_parts(parts: Sequence[Any]) -> Edit:
    """A message with other parts."""
    return partial(_set, ("message", "parts"), list(parts))


def with_role(role: str) -> Edit:
    """A message with another role."""
    return partial(_set, ("message", "role"), role)


def with_history(contents: Sequence[Value]) -> Edit:
    """A compression with another history."""
    return partial(_set, HISTORY, list(contents))


def with_usage(tokens: int, record: Value) -> Value:
    """A reply whose call has `tokens` input tokens; the client adds its output."""
    old = record["usageMetadata"]
    new = {**old, "promptTokenCount": tokens}
    prompt, total = old.get("promptTokenCount"), old.get("totalTokenCount")
    if isinstance(total, int):
        output = total - prompt if isinstance(prompt, int) else 0
        new["totalTokenCount"] = tokens + max(0, output)
    if "cachedContentTokenCount" in old:
        new["cachedContentTokenCount"] = 0
    return {**record, "usageMetadata": new}


def with_new_count(tokens: int, record: Value) -> Value:
    """A compression after which the context has `tokens` tokens."""
    return replaced(record, ("systemPayload", "info", "newTokenCount"), tokens)  # type: ignore[no-any-return]


def without_shown(pieces: Sequence[OutgoingPart], record: Value) -> Value:
    """A result's record without the display copies of a changed result."""
    shown = record.get("toolCallResult")
    for piece in pieces:
        answers = [part for part in piece.parts if answer_of(part) is not None]
        if not isinstance(piece.block, ToolResult) or not isinstance(shown, dict) or not answers:
            continue
        before = _words(record, piece)
        after = text_of(piece.block)
        if before != after:
            known = [path for path in _SHOWN if _is_long(shown, path)]
            shown = without_copies(shown, before, after, known)
    return {**record, "toolCallResult": shown} if "toolCallResult" in record else record


def _is_long(shown: Value, path: JsonPath) -> bool:
    value: Any = shown
    for step in path:
        value = value.get(step) if isinstance(value, dict) else None
    return isinstance(value, str) and value != ""


def _words(record: Value, piece: OutgoingPart) -> str:
    """The text of a result in the file."""
    assert piece.block is not None and piece.block.place is not None
    value: Any = record
    for step in piece.block.place.path:
        value = value[step]
    answer = answer_of(value) or {}
    response = answer.get("response")
    texts = response.values() if isinstance(response, dict) else ()
    return "".join(text for text in texts if isinstance(text, str))


def _set(path: JsonPath, value: Any, record: Value) -> Value:
    return replaced(record, path, value)  # type: ignore[no-any-return]
