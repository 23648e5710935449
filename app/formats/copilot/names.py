"""Names of types in Copilot CLI's event log (1.0, measured with the client itself)."""

from __future__ import annotations

from typing import Any, Final

NAME: Final = "copilot"

START: Final = "session.start"
USER: Final = "user.message"
ASSISTANT: Final = "assistant.message"
RESULT: Final = "tool.execution_complete"
CALLED: Final = "tool.execution_start"
COMPACTED: Final = "session.compaction_complete"
USAGE: Final = "session.usage_record"
LOG: Final = "model."
"""Type prefix of events that repeat whole requests and replies; the client does not read them."""

TELLING: Final = frozenset({START, USER, ASSISTANT, RESULT, CALLED, COMPACTED, "session.resume"})
"""Types by which a log is recognised."""


def data_of(event: Any) -> dict[str, Any]:
    """An event's `data`; empty if it has none."""
    data = event.get("data") if isinstance(event, dict) else None
    return data if isinstance(data, dict) else {}


def text_at(holder: Any, key: str) -> str:
    """A text in an object; empty if there is none."""
    text = holder.get(key) if isinstance(holder, dict) else None
    return text if isinstance(text, str) else ""


def kind_of(event: Any) -> str:
    """The type of an event; empty if it has none."""
    return text_at(event, "type")
