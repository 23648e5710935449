"""Telling Claude Code's files from others, by a head of the content."""

from __future__ import annotations

from typing import Any, Final

from app.formats.claude_code.names import METADATA
from app.formats.first_bytes import AROUND, head_of, head_records
from app.formats.source import Source

_IN_TREE: Final = frozenset({"user", "assistant", "attachment", "system", "progress"})


def looks_like(source: Source) -> bool:
    """Whether a record of the tree, or metadata of this client, stands in the head of the file."""
    if any(map(_is_ours, head_records(source))):
        return True
    # A first record that is longer than the head. Inside its texts every quote has a backslash before it.
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
