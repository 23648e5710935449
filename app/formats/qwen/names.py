"""Names of types in Qwen Code's session files."""

from __future__ import annotations

from typing import Final

NAME: Final = "qwen-code"

TALK: Final = ("user", "assistant", "tool_result")
SYSTEM: Final = "system"

COMPRESSION: Final = "chat_compression"
TITLE: Final = "custom_title"
TELEMETRY: Final = "ui_telemetry"
COMMAND: Final = "slash_command"
SPOKEN: Final = "realtime_message"
"""Subtype of records of a spoken conversation, which is not sent."""

BESIDE: Final = frozenset(
    {
        "session_artifact_event", "session_artifact_snapshot", "session_sources_snapshot",
        "managed_session_header_v1", "managed_session_event_v1", "managed_session_commit_v1",
    }
)  # fmt: skip
"""Subtypes of system records that are not part of the tree, although they name a parent."""

SUBTYPES: Final = BESIDE | {
    "agent_bootstrap", "agent_launch_prompt", "agent_retry", "agent_session_ready", "at_command",
    "attribution_snapshot", "background_task_completed", "branch_checkpoint", COMPRESSION, "cron", TITLE,
    "file_history_snapshot", "goal_runtime", "goal_state", "goal_turn_end", "mid_turn_user_message",
    "notification", "omni_recall", "parent_session", SPOKEN, "rewind", "session_model", "session_source",
    COMMAND, "turn_result", TELEMETRY, "user_text_elements",
}  # fmt: skip
"""Known subtypes of records."""

TYPED: Final = (None, "mid_turn_user_message")
"""Subtypes of user records that hold the person's own words."""

SETTINGS: Final = (
    TITLE, "session_model", "session_source", "parent_session", "goal_state", "attribution_snapshot",
    "file_history_snapshot",
)  # fmt: skip
"""System records that apply to the whole session: the last of each is kept when old ones are removed."""

TIMED_OUT: Final = "(request timeout)"
"""The text of a reply made by a failing server, which is not sent back."""

HISTORY: Final = ("systemPayload", "compressedHistory")

OWN: Final = "handcompact"
"""Our member in the payload of a compression that we make."""

WORD_COPIES: Final = ("response_text",)
"""Members of never-sent records that repeat the model's text."""
