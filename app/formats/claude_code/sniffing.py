"""Telling Claude Code's files from others, by a head of the content."""

from __future__ import annotations

from typing import Any, Final

from app.formats.claude_code.words import METADATA
from app.formats.lines import parse_record
from app.formats.source import Source

HEAD: Final = 1 << 20
"""Bytes that are looked at."""

LINES: Final = 200

_AROUND: Final = b" \t\r\n\0\xef\xbb\xbf"

_IN_TREE: Final = frozenset({"user", "assistant", "attachment", "system", "progress"})


def looks_like(source: Source) -> bool:
    """Whether a record of the tree, or metadata of this client, stands in the head of the file."""
    head = source.read(0, HEAD)
    for line in head.split(b"\n", LINES)[:LINES]:
        if _is_ours(_parsed(line.strip(_AROUND))):
            return True
    # A first record that is longer than the head. Inside its texts every quote has a backslash before it.
    return b"\n" not in head and head.lstrip(_AROUND).startswith(b"{") and b'"isSidechain":' in head


def _parsed(line: bytes) -> Any:
    try:
        return parse_record(line) if line.startswith(b"{") else None
    except ValueError:
        return None


def _is_ours(record: Any) -> bool:
    kind = record.get("type") if isinstance(record, dict) else None
    if not isinstance(kind, str):
        return False
    if kind in METADATA:
        return any(name in record for name in ("sessionId", "leafUuid", "messageId"))
    message = record.get("message")
    of_another = "provenance" in record or (isinstance(message, dict) and "parts" in message)
    return kind in _IN_TREE and "uuid" in record and "parentUuid" in record and not of_another
