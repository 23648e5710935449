"""The words of opencode's sessions."""

from __future__ import annotations

import re
from typing import Final

NAME: Final = "opencode"

INFO: Final = "info"
PARTS: Final = "parts"
MESSAGES: Final = "messages"

CLEARED: Final = "[Old tool result content cleared]"
"""What the client sends of a result that it has hidden (`state.time.compacted`); the file still holds it."""

INTERRUPTED: Final = "[Tool execution was interrupted]"
"""What the client sends of a call that has no result."""

ASKED: Final = "What did we do so far?"
"""What the client sends in front of a summary."""

RAN: Final = "The following tool was executed by the user"
"""What the client sends of a subtask that the person started."""

NOT_SENT_FILES: Final = frozenset({"text/plain", "application/x-directory"})
"""Types of attached files that are not sent: their text is a part of its own."""

OWN_FIELD: Final = "handcompact"
"""Our member in the metadata of a summary's text; the client passes it on to nobody that knows it."""

ID: Final = re.compile(r"(?P<kind>ses|msg|prt)_(?P<time>[0-9a-f]{12})(?P<rest>[0-9A-Za-z]+)")

PREFIX: Final = "opencode:"
"""How the name of a session begins that lies in the client's own store: `opencode:<session id>`."""
