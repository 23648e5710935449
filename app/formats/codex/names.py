"""Names of types and members in Codex's records."""

from __future__ import annotations

from typing import Final

NAME: Final = "codex-rollout"
"""The format's name."""

META: Final = "session_meta"
ITEM: Final = "response_item"
EVENT: Final = "event_msg"
COMPACTED: Final = "compacted"
TURN: Final = "turn_context"

TYPES: Final = frozenset(
    {
        META, ITEM, EVENT, COMPACTED, TURN, "world_state", "token_usage_record", "retained_context",
        "inter_agent_communication", "inter_agent_communication_metadata", "security_risk_score",
        "realtime_item", "ghost_snapshot",
    }
)  # fmt: skip
"""Known types of records."""

ROLLED_BACK: Final = "thread_rolled_back"
TOKEN_COUNT: Final = "token_count"
NAMED: Final = "thread_name_updated"
SETTINGS: Final = "thread_settings_applied"

HISTORY: Final = "replacement_history"
HISTORY_METADATA: Final = "replacement_history_metadata"
"""A list parallel to the history, with one entry for each item."""
RETAINED: Final = "retained_context"
"""Texts besides the history that the next compaction is to keep."""

OWN_FIELD: Final = "handcompact"
"""Our member in the compactions that we make; the client ignores unknown members."""
