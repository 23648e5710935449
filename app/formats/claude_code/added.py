"""Building the records that an export adds, in the client's own form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from app.formats.claude_code.names import BOUNDARY, OWN_FIELD, SYNTHETIC_MODEL
from app.model import Author, Block, Boundary, Text

Value = dict[str, Any]

_CARRIED: Final = (
    "isSidechain", "agentId", "userType", "entrypoint", "cwd", "sessionId", "version", "gitBranch", "slug",
)  # fmt: skip
"""Fields that a new record copies from its neighbour."""

_TRIGGERS: Final = ("manual", "auto")
"""The triggers that the client itself writes."""


def carried(neighbour: Mapping[str, Any]) -> Value:
    """The fields that all records of a session share, copied from a neighbour."""
    fields = {name: neighbour[name] for name in _CARRIED if name in neighbour}
    return {"parentUuid": None, "isSidechain": False, **fields}


def boundary_record(boundary: Boundary, logical_parent: str | None, neighbour: Mapping[str, Any]) -> Value:
    """The system record of a compaction (trigger and counts as `compactMetadata`)."""
    trigger = boundary.trigger if boundary.trigger in _TRIGGERS else "auto"
    metadata: Value = {"trigger": trigger}
    if boundary.tokens_before is not None:
        metadata["preTokens"] = boundary.tokens_before
    if boundary.tokens_after is not None:
        metadata["postTokens"] = boundary.tokens_after
    own: Value = {"trigger": boundary.trigger, "strategy": boundary.strategy}
    if boundary.removed is not None:
        own["removed"] = boundary.removed
    if boundary.preserved is not None:
        own["preserved"] = list(boundary.preserved)
    return {
        **carried(neighbour),
        "logicalParentUuid": logical_parent,
        "type": "system",
        "subtype": BOUNDARY,
        "content": "Conversation compacted",
        "isMeta": False,
        "level": "info",
        "compactMetadata": {**metadata, OWN_FIELD: own},
    }


def user_record(
    blocks: Sequence[Block], values: Sequence[Any], neighbour: Mapping[str, Any], *, behind_boundary: bool
) -> Value:
    """A user record of new blocks: a summary, a marker, the person's words, or results."""
    authors = {block.author for block in blocks if isinstance(block, Text)}
    record = {**carried(neighbour), "type": "user", "message": {"role": "user", "content": _content(values)}}
    if behind_boundary:
        record |= {"isVisibleInTranscriptOnly": True, "isCompactSummary": True}
    elif Author.SUMMARY in authors:
        record["isCompactSummary"] = True
    elif values[0].get("type") != "tool_result" and Author.USER not in authors:
        record["isMeta"] = True
    return record


def assistant_record(
    values: Sequence[Any], sibling: Mapping[str, Any] | None, neighbour: Mapping[str, Any], ident: str
) -> Value:
    """An assistant record of new blocks; `sibling` is a record of the same API message, if there is one."""
    message = sibling.get("message") if sibling else None
    own = {"id": f"msg_{ident}", "type": "message", "role": "assistant", "model": SYNTHETIC_MODEL,
           "stop_reason": "end_turn", "stop_sequence": None,
           "usage": {"input_tokens": 0, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
                     "output_tokens": 0}}  # fmt: skip
    base = message if isinstance(message, dict) else own
    return {
        **carried(sibling or neighbour),
        "type": "assistant",
        "message": {**base, "content": list(values)},
    }


def title_record(title: str, session: str | None) -> Value:
    """The record that names a session in the agent's picker."""
    record = {"type": "custom-title", "customTitle": title}
    return record if session is None else {**record, "sessionId": session}


def _content(values: Sequence[Any]) -> Any:
    only = values[0] if len(values) == 1 else None
    if isinstance(only, dict) and set(only) == {"type", "text"} and only["type"] == "text":
        return only["text"]
    return list(values)
