"""Names and texts in opencode's sessions."""

from __future__ import annotations

import re
from typing import Final

NAME: Final = "opencode"

INFO: Final = "info"
PARTS: Final = "parts"
MESSAGES: Final = "messages"

CLEARED: Final = "[Old tool result content cleared]"
"""What the client sends for a result it has hidden (`state.time.compacted`), which the file still holds."""

INTERRUPTED: Final = "[Tool execution was interrupted]"
"""What the client sends as the result of a call that has none."""

ASKED: Final = "What did we do so far?"
"""What the client sends before a summary."""

RAN: Final = "The following tool was executed by the user"
"""What the client sends for a subtask that the person started."""

NOT_SENT_FILES: Final = frozenset({"text/plain", "application/x-directory"})
"""Types of attached files that are not sent, since their text is a part of its own."""

OWN_FIELD: Final = "handcompact"
"""Our member in the metadata of a summary's text; neither the client nor a provider interprets it."""

ID: Final = re.compile(r"(?P<kind>ses|msg|prt)_(?P<time>[0-9a-f]{12})(?P<rest>[0-9A-Za-z]+)")

PREFIX: Final = "opencode:"
"""Prefix of the name of a session in the client's own store: `opencode:<session id>`."""
