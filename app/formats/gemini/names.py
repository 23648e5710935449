"""The words of Gemini CLI's session files."""

from __future__ import annotations

from typing import Final

NAME: Final = "gemini-cli"

USER: Final = "user"
GEMINI: Final = "gemini"
SHOWN: Final = frozenset({"info", "warning", "error"})
"""Types of messages that are shown and never sent."""

SET: Final = "$set"
REWIND: Final = "$rewindTo"
HEADER: Final = "header"

MESSAGES: Final = "messages"
CALLS: Final = "toolCalls"
RESULT: Final = "result"

OWN_FIELD: Final = "handcompact"
"""Our member of a `$set`; the client lets members pass that it does not know."""

IGNORED: Final = ("/", "?", "<session_context>", "<hook_context>")
"""How texts of the user begin that the client leaves out when a session goes on."""

SNAPSHOTS: Final = ("<state_snapshot>", "<scratchpad>")
"""How the summary of a compression begins."""

THANKS: Final = "Got it. Thanks for the additional context!"
"""What the client puts into the model's mouth behind a summary."""

FILES_BEGIN: Final = "\n--- Content from referenced files ---"
FILES_END: Final = "\n--- End of content ---"
"""Parts of a prompt between which the client puts the files that the person named."""

EDITOR: Final = ("Here is the user's editor context", "Here is a summary of changes in the user's editor")
"""How texts begin that the client adds to a prompt when it runs beside an editor."""
