"""Reading compactions from the file, and building those that an export adds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from app.formats.codex.names import HISTORY, OWN_FIELD
from app.formats.codex.nodes import Node
from app.formats.markers import boundary_of
from app.model import Author, Boundary, Record, Text


def compaction_of(payload: Mapping[str, Any], record: Record, time: float | None) -> Boundary:
    """The boundary of a `compacted` record; facts that Codex has no member for are in one of ours."""
    own = payload.get(OWN_FIELD)
    own = own if isinstance(own, dict) else {}
    kept = own.get("preserved")
    return Boundary(
        key=record.key,
        trigger=_word(own, "trigger"),
        strategy=_word(own, "strategy"),
        time=time,
        tokens_before=_count(own.get("tokens_before")),
        tokens_after=_count(own.get("tokens_after")),
        removed=_count(own.get("removed")),
        preserved=(str(kept[0]), str(kept[1])) if isinstance(kept, list) and len(kept) == 2 else None,
        record=record.index,
    )


def marker_of(block: Text, node: Node) -> Boundary | None:
    """The boundary of a message that marks a removal at its place; such a marker hides nothing."""
    if block.author is not Author.MARKER:
        return None
    found = boundary_of(block.content.preview, node.key, node.record)
    return replace(found, time=node.time, hides=False) if found else None


def compacted_payload(boundary: Boundary, message: str, history: list[Any]) -> dict[str, Any]:
    """The payload of a `compacted` record with `history` as its result; `message` is its summary."""
    own: dict[str, Any] = {"trigger": boundary.trigger, "strategy": boundary.strategy}
    for name in ("tokens_before", "tokens_after", "removed"):
        if getattr(boundary, name) is not None:
            own[name] = getattr(boundary, name)
    if boundary.preserved is not None:
        own["preserved"] = list(boundary.preserved)
    return {"message": message, HISTORY: history, OWN_FIELD: own}


def _word(holder: Mapping[str, Any], name: str) -> str:
    value = holder.get(name)
    return value if isinstance(value, str) else ""


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
