"""Names of types and texts in pi's session files."""

from __future__ import annotations

from typing import Final

FORMAT: Final = "pi"
"""The format's name."""

HEADER: Final = "session"
MESSAGE: Final = "message"
COMPACTION: Final = "compaction"
CONTEXT_EDIT: Final = "context_edit"
BRANCH_SUMMARY: Final = "branch_summary"
CUSTOM_MESSAGE: Final = "custom_message"
MODEL_CHANGE: Final = "model_change"
NAME: Final = "session_info"

SETTINGS: Final = (MODEL_CHANGE, "thinking_level_change", NAME, "custom")
"""Entries that apply to the session as a whole: the last of each is kept when old entries are removed."""

TYPES: Final = frozenset(
    {HEADER, MESSAGE, COMPACTION, CONTEXT_EDIT, BRANCH_SUMMARY, CUSTOM_MESSAGE, *SETTINGS, "label", "usage"}
)
"""Known types of entries."""

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
"""What pi sends around the summary of an abandoned branch."""

MOVED_IMAGE: Final = "(image attached after the tool results)"
"""What pi sends for an image in an error result; the image itself follows the results."""

SEE_IMAGE: Final = "(see attached image)"
"""What pi sends before the images of a result that holds nothing else."""

OWN: Final = "handcompact"
"""Our name in entries that we make: a `customType`, and a member of a compaction's `details`."""

VERSION: Final = 3
"""The newest known version of the file format."""
