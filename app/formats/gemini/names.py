"""Names of types and texts in Gemini CLI's session files."""

from __future__ import annotations

from typing import Final

NAME: Final = "gemini-cli"

USER: Final = "user"
GEMINI: Final = "gemini"
SHOWN: Final = frozenset({"info", "warning", "error"})
"""Types of messages that are displayed and never sent."""

SET: Final = "$set"
REWIND: Final = "$rewindTo"
HEADER: Final = "header"

MESSAGES: Final = "messages"
CALLS: Final = "toolCalls"
RESULT: Final = "result"

OWN_FIELD: Final = "handcompact"
"""Our member of a `$set`; the client ignores unknown members."""

IGNORED: Final = ("/", "?", "<session_context>", "<hook_context>")
"""How texts of the user begin that the client leaves out when a session is resumed."""

SNAPSHOTS: Final = ("<state_snapshot>", "<scratchpad>")
"""How the summary of a compression begins."""

THANKS: Final = "Got it. Thanks for the additional context!"
"""The model message that the client adds after a summary."""

FILES_BEGIN: Final = "\n--- Content from referenced files ---"
FILES_END: Final = "\n--- End of content ---"
"""Parts of a prompt between which the client puts the files that the person referenced."""

EDITOR: Final = ("Here is the user's editor context", "Here is a summary of changes in the user's editor")
"""How texts begin that the client adds to a prompt when connected to an editor."""
