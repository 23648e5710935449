"""Telling pi's files from others, by a head of the content."""

from __future__ import annotations

from typing import Any, Final

from app.formats.lines import parse_record
from app.formats.pi.words import HEADER, MESSAGE
from app.formats.source import Source

HEAD: Final = 1 << 20
"""Bytes that are looked at."""

LINES: Final = 50

_AROUND: Final = b" \t\r\n\0\xef\xbb\xbf"


def looks_like(source: Source) -> bool:
    """Whether a session header, or messages as pi has them, stand in the head of the file."""
    for line in source.read(0, HEAD).split(b"\n", LINES)[:LINES]:
        text = line.strip(_AROUND)
        if text.startswith(b"{") and _is_ours(_parsed(text)):
            return True
    return False


def _parsed(line: bytes) -> Any:
    try:
        return parse_record(line)
    except ValueError:
        return None


def _is_ours(entry: Any) -> bool:
    if not isinstance(entry, dict):
        return False
    if entry.get("type") == HEADER:
        return isinstance(entry.get("id"), str) and "cwd" in entry and "payload" not in entry
    message = entry.get("message")
    return entry.get("type") == MESSAGE and "parentId" in entry and isinstance(message, dict)
