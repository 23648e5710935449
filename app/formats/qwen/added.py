"""Building the records that an export adds, in the client's own form; ids and times are set on writing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from app.formats.qwen.names import COMPRESSION, OWN, SYSTEM, TITLE
from app.model import Boundary

Value = dict[str, Any]

_CARRIED: Final = ("sessionId", "cwd", "version", "gitBranch")
"""Fields that a new record copies from its neighbour."""

_DONE: Final = 1
"""The client's code for a successful compression."""


def carried(neighbour: Mapping[str, Any]) -> Value:
    """The fields that all records of a session share, copied from a neighbour."""
    return {name: neighbour[name] for name in _CARRIED if name in neighbour}


def compression_record(
    boundary: Boundary, history: Sequence[Value], tokens: int | None, neighbour: Mapping[str, Any]
) -> Value:
    """A compression; `tokens` is the size of the context after it."""
    own: Value = {"trigger": boundary.trigger, "strategy": boundary.strategy}
    if boundary.removed is not None:
        own["removed"] = boundary.removed
    if boundary.preserved is not None:
        own["preserved"] = list(boundary.preserved)
    after = tokens if tokens is not None else boundary.tokens_after
    info = {
        "originalTokenCount": boundary.tokens_before or 0,
        "newTokenCount": max(1, after or 0),
        "newTokenCountIsEstimated": True,
        "compressionStatus": _DONE,
    }
    payload = {"info": info, "compressedHistory": list(history), OWN: own}
    return {**_system(neighbour), "subtype": COMPRESSION, "systemPayload": payload}


def message_record(
    role: str, parts: Sequence[Any], neighbour: Mapping[str, Any], *, typed: bool, model: str | None
) -> Value:
    """A message: the person's words, injected text, results, or a reply."""
    message = {"role": role, "parts": list(parts)}
    base = carried(neighbour)
    if role == "model":
        named = {} if model is None else {"model": model}
        return {**base, "type": "assistant", "provenance": "assistant_output", **named, "message": message}
    if any(isinstance(part, dict) and "functionResponse" in part for part in parts):
        return {**base, "type": "tool_result", "provenance": "tool_result", "message": message}
    if typed:
        return {**base, "type": "user", "provenance": "real_user", "message": message}
    return {**base, "type": "user", "subtype": "notification", "provenance": SYSTEM, "message": message}


def title_record(title: str, neighbour: Mapping[str, Any]) -> Value:
    """The record that names a session in the agent's picker."""
    payload = {"customTitle": title, "titleSource": "manual"}
    return {**_system(neighbour), "subtype": TITLE, "systemPayload": payload}


def _system(neighbour: Mapping[str, Any]) -> Value:
    return {**carried(neighbour), "type": SYSTEM, "provenance": SYSTEM}
