"""Telling rollouts of Codex from other files, by a head of the content."""

from __future__ import annotations

from typing import Any, Final

from app.formats.codex.names import COMPACTED, EVENT, ITEM, META, TURN
from app.formats.first_bytes import AROUND, head_of, head_records
from app.formats.source import Source

_TELLING: Final = frozenset({META, ITEM, EVENT, COMPACTED, TURN})


def looks_like(source: Source) -> bool:
    """Whether a record of a rollout stands in the head of the file."""
    if any(map(_is_ours, head_records(source))):
        return True
    # A first record that is longer than the head. Inside its texts every quote has a backslash before it.
    head = head_of(source)
    return b"\n" not in head and head.lstrip(AROUND).startswith(b"{") and b'"payload":' in head[:4096]


def _is_ours(record: dict[str, Any]) -> bool:
    return (
        isinstance(record.get("payload"), dict)
        and isinstance(kind := record.get("type"), str)
        and kind in _TELLING
    )
