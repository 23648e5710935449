"""Detecting rollouts of Codex by the head of their content."""

from __future__ import annotations

from typing import Any, Final

from app.formats.codex.names import COMPACTED, EVENT, ITEM, META, TURN
from app.formats.first_bytes import AROUND, head_of, head_records
from app.formats.source import Source

_TELLING: Final = frozenset({META, ITEM, EVENT, COMPACTED, TURN})


def looks_like(source: Source) -> bool:
    """Whether a record of a rollout is in the head of the file."""
    if any(map(_is_ours, head_records(source))):
        return True
    # A first record longer than the head. Quotes inside its texts are escaped, so these are keys.
    head = head_of(source)
    return b"\n" not in head and head.lstrip(AROUND).startswith(b"{") and b'"payload":' in head[:4096]


def _is_ours(record: dict[str, Any]) -> bool:
    return (
        isinstance(record.get("payload"), dict)
        and isinstance(kind := record.get("type"), str)
        and kind in _TELLING
    )
