"""Telling rollouts of Codex from other files, by a head of the content."""

from __future__ import annotations

from typing import Any, Final

from app.formats.codex.words import COMPACTED, EVENT, ITEM, META, TURN
from app.formats.lines import parse_record
from app.formats.source import Source

HEAD: Final = 1 << 20
"""Bytes that are looked at."""

LINES: Final = 200

_AROUND: Final = b" \t\r\n\0\xef\xbb\xbf"
_TELLING: Final = frozenset({META, ITEM, EVENT, COMPACTED, TURN})


def looks_like(source: Source) -> bool:
    """Whether a record of a rollout stands in the head of the file."""
    head = source.read(0, HEAD)
    for line in head.split(b"\n", LINES)[:LINES]:
        if _is_ours(_parsed(line.strip(_AROUND))):
            return True
    # A first record that is longer than the head. Inside its texts every quote has a backslash before it.
    return b"\n" not in head and head.lstrip(_AROUND).startswith(b"{") and b'"payload":' in head[:4096]


def _parsed(line: bytes) -> Any:
    try:
        return parse_record(line) if line.startswith(b"{") else None
    except ValueError:
        return None


def _is_ours(record: Any) -> bool:
    return (
        isinstance(record, dict)
        and isinstance(record.get("payload"), dict)
        and isinstance(kind := record.get("type"), str)
        and kind in _TELLING
    )
