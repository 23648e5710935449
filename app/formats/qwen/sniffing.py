"""Detecting Qwen Code's files by the head of their content."""

from __future__ import annotations

from typing import Any, Final

from app.formats.first_bytes import head_records
from app.formats.qwen.names import SYSTEM, TALK
from app.formats.source import Source

_LINES: Final = 50
"""Lines that are examined."""


def looks_like(source: Source) -> bool:
    """Whether records of the client's tree are in the head of the file."""
    return any(map(_is_ours, head_records(source, _LINES)))


def _is_ours(record: dict[str, Any]) -> bool:
    if "uuid" not in record or "parentUuid" not in record:
        return False
    message = record.get("message")
    if record.get("type") in TALK and isinstance(message, dict):
        return "parts" in message and "content" not in message
    return record.get("type") == SYSTEM and isinstance(record.get("systemPayload"), dict)
