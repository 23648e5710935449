"""The words that pi's session files use for their types."""

from __future__ import annotations

from typing import Final

FORMAT: Final = "pi"
"""Of the format."""

HEADER: Final = "session"
MESSAGE: Final = "message"
COMPACTION: Final = "compaction"
CONTEXT_EDIT: Final = "context_edit"
BRANCH_SUMMARY: Final = "branch_summary"
CUSTOM_MESSAGE: Final = "custom_message"
MODEL_CHANGE: Final = "model_change"
NAME: Final = "session_info"

SETTINGS: Final = (MODEL_CHANGE, "thinking_level_change", NAME, "custom")
"""Entries that hold for the session as a whole: the last of each is kept when old ones go."""

TYPES: Final = frozenset(
    {HEADER, MESSAGE, COMPACTION, CONTEXT_EDIT, BRANCH_SUMMARY, CUSTOM_MESSAGE, *SETTINGS, "label", "usage"}
)
"""Types that are known of entries."""

BROKEN_OFF: Final = frozenset({"error", "aborted"})
"""Stop reasons of replies that pi does not send back."""

SUMMARY: Final = (
    "The conversation history before this point was compacted into the following summary:\n\n<summary>\n",
    "\n</summary>",
)
"""What pi sends around the summary of a compaction."""

BRANCH: Final = (
    "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n",
    "</summary>",
)
"""What pi sends around the summary of a branch that was left."""

MOVED_IMAGE: Final = "(image attached after the tool results)"
"""What pi sends for a picture in an error result; the picture itself follows the results."""

SEE_IMAGE: Final = "(see attached image)"
"""What pi sends before the pictures of a result that holds nothing else."""

OWN: Final = "handcompact"
"""Our name in entries that we make: a `customType`, and a member of a compaction's `details`."""

VERSION: Final = 3
"""The newest version of the file's form that is known here."""
