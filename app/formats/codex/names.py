"""The words that Codex's records use for their types."""

from __future__ import annotations

from typing import Final

NAME: Final = "codex-rollout"
"""Of the format."""

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
"""Types of records that were seen."""

ROLLED_BACK: Final = "thread_rolled_back"
TOKEN_COUNT: Final = "token_count"
NAMED: Final = "thread_name_updated"
SETTINGS: Final = "thread_settings_applied"

HISTORY: Final = "replacement_history"
HISTORY_METADATA: Final = "replacement_history_metadata"
"""A list beside the history, entry by entry."""
RETAINED: Final = "retained_context"
"""Words that the next compaction is to keep, beside the history."""

OWN_FIELD: Final = "handcompact"
"""Our member in the compactions that we make; the client lets members pass that it does not know."""
