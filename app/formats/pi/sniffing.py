"""Detecting pi's files by the head of their content."""

from __future__ import annotations

from typing import Any, Final

from app.formats.first_bytes import head_records
from app.formats.pi.names import HEADER, MESSAGE
from app.formats.source import Source

_LINES: Final = 50
"""Lines that are examined."""


def looks_like(source: Source) -> bool:
    """Whether a session header, or messages in pi's form, are in the head of the file."""
    return any(map(_is_ours, head_records(source, _LINES)))


def _is_ours(entry: dict[str, Any]) -> bool:
    if entry.get("type") == HEADER:
        return isinstance(entry.get("id"), str) and "cwd" in entry and "payload" not in entry
    message = entry.get("message")
    return entry.get("type") == MESSAGE and "parentId" in entry and isinstance(message, dict)
