"""Telling Qwen Code's files from others, by a head of the content."""

from __future__ import annotations

from typing import Any, Final

from app.formats.lines import parse_record
from app.formats.qwen.words import SYSTEM, TALK
from app.formats.source import Source

HEAD: Final = 1 << 20
"""Bytes that are looked at."""

LINES: Final = 50

_AROUND: Final = b" \t\r\n\0\xef\xbb\xbf"


def looks_like(source: Source) -> bool:
    """Whether records of the client's tree stand in the head of the file."""
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


def _is_ours(record: Any) -> bool:
    if not isinstance(record, dict) or "uuid" not in record or "parentUuid" not in record:
        return False
    message = record.get("message")
    if record.get("type") in TALK and isinstance(message, dict):
        return "parts" in message and "content" not in message
    return record.get("type") == SYSTEM and isinstance(record.get("systemPayload"), dict)
