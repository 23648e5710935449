"""Notices about the items of a session, from the index alone: no text is read."""

from __future__ import annotations

from collections.abc import Sequence

from app.formats.notices import Notices
from app.formats.responses.entries import Entry
from app.formats.responses.names import BY_PROVIDER, KNOWN, SEALED
from app.model import Role, Thinking, ToolResult, ToolUse


def tell_items(entries: Sequence[Entry], told: Notices) -> None:
    """Add notices about the sent items."""
    _tell_pairs(entries, told)
    _tell_reasoning(entries, told)
    sealed = [entry for entry in entries if _is_sealed(entry)]
    if sealed:
        some = "1 item has" if len(sealed) == 1 else f"{len(sealed)} items have"
        detail = f"{some} content that only the provider can read: it is kept as it is, or dropped whole"
        told.add("sealed-content", sealed[0].record, detail)
    for entry in entries:
        if entry.kind not in KNOWN and entry.kind not in SEALED:
            told.add("unknown-record-type", entry.record, entry.kind or "an item without a type")
    if not entries:
        told.add("no-conversation", None, "no item that is sent to a model")


def _tell_pairs(entries: Sequence[Entry], told: Notices) -> None:
    calls: dict[str, Entry] = {}
    answered: set[str] = set()
    for entry in entries:
        for block in entry.blocks:
            if isinstance(block, ToolUse) and not block.server:
                if block.id in calls:
                    told.add("duplicate-call-id", entry.record, f"call {block.id} is there twice")
                calls[block.id] = entry
            elif isinstance(block, ToolResult) and not block.server:
                if block.tool_use_id not in calls:
                    told.add("orphan-result", entry.record, f"no call {block.tool_use_id}")
                answered.add(block.tool_use_id)
    for ident, entry in calls.items():
        if ident not in answered:
            told.add("open-call", entry.record, f"call {ident} has no result")


def _tell_reasoning(entries: Sequence[Entry], told: Notices) -> None:
    for entry, follower in zip(entries, (*entries[1:], None), strict=False):
        if entry.kind != "reasoning" or not entry.named:
            continue
        if not any(isinstance(block, Thinking) and block.signature_chars for block in entry.blocks):
            told.add("reasoning-lost", entry.record, "reasoning of which only the id is left")
        elif follower is None or not (follower.role is Role.ASSISTANT or follower.kind in BY_PROVIDER):
            told.add("reasoning-alone", entry.record, "reasoning without the item it led to")


def _is_sealed(entry: Entry) -> bool:
    return entry.kind in SEALED or any(
        isinstance(block, Thinking) and block.signature_chars for block in entry.blocks
    )
