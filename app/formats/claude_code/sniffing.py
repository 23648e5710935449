"""Detecting Claude Code's files by the head of their content."""

from __future__ import annotations

from typing import Any, Final

from app.formats.claude_code.names import METADATA
from app.formats.first_bytes import AROUND, head_of, head_records
from app.formats.source import Source

_IN_TREE: Final = frozenset({"user", "assistant", "attachment", "system", "progress"})


def looks_like(source: Source) -> bool:
    """Whether a record of the tree, or metadata of this client, is in the head of the file."""
    if any(map(_is_ours, head_records(source))):
        return True
    # A first record longer than the head. Quotes inside its texts are escaped, so these are keys.
    head = head_of(source)
    return b"\n" not in head and head.lstrip(AROUND).startswith(b"{") and b'"isSidechain":' in head


def _is_ours(record: dict[str, Any]) -> bool:
    kind = record.get("type")
    if not isinstance(kind, str):
        return False
    if kind in METADATA:
        return any(name in record for name in ("sessionId", "leafUuid", "messageId"))
    message = record.get("message")
    of_another = any(name in record for name in ("provenance", "systemPayload")) or (
        isinstance(message, dict) and "parts" in message
    )
    return kind in _IN_TREE and "uuid" in record and "parentUuid" in record and not of_another
