"""Determining who wrote the texts of a user message: the person, the client, or a compaction.

Newer clients record the kind of every part beside the message; for older ones it is judged by the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from app.formats.markers import author_of, boundary_of
from app.model import Author, Boundary

SUMMARY_PREFIX: Final = (
    "Another language model started to solve this problem and produced a summary of its thinking process"
)
"""How Codex begins the summary of a compaction."""

SUMMARY_KIND: Final = "compaction.summary"
PASSED: Final = "internal_chat_message_metadata_passthrough"
"""The member in which Codex keeps facts about a message besides its content."""
KINDS: Final = "content_item_kinds"
_UNSURE: Final = ("", "unknown")

_TAGS: Final = (
    "environment_context", "user_instructions", "skill", "user_shell_command", "turn_aborted",
    "subagent_notification", "subagents", "hook_prompt", "context_window",
)  # fmt: skip
"""Tags around texts that Codex itself puts into user messages."""

_injected = re.compile(
    r"\s*+(?:<(?P<tag>" + "|".join(_TAGS) + r")(?:\s[^<>]*+)?>|# AGENTS\.md instructions for )", re.IGNORECASE
)
_picture = re.compile(r"\s*+(?:<image(?: [^<>]*+)?>|</image>)\s*+\Z")


def authors_of(item: Mapping[str, Any], texts: Mapping[int, str]) -> dict[int, Author]:
    """The author of each text of a user message, by its index in the content."""
    kinds = _kinds(item)
    return {number: _author(kinds.get(number, ""), text) for number, text in texts.items()}


def summary_boundary(text: str, key: str, record: int) -> Boundary | None:
    """The boundary of a message whose text is a compaction's, by Codex or by us; None for other texts."""
    if text.startswith(SUMMARY_PREFIX):
        return Boundary(key, trigger="", strategy="client", record=record)
    found = boundary_of(text, key, record)
    return None if found is None else replace(found, record=record)


def is_from_client(item: Mapping[str, Any]) -> bool:
    """Whether a message is recorded as holding nothing of the person's."""
    kinds = _kinds(item)
    return bool(kinds) and not any(kind.startswith("user.") or kind in _UNSURE for kind in kinds.values())


def _kinds(item: Mapping[str, Any]) -> dict[int, str]:
    passed = item.get(PASSED)
    kinds = passed.get(KINDS) if isinstance(passed, dict) else None
    content = item.get("content")
    if not isinstance(kinds, list) or not isinstance(content, list) or len(kinds) != len(content):
        return {}
    return {number: kind for number, kind in enumerate(kinds) if isinstance(kind, str)}


def _author(kind: str, text: str) -> Author:
    if kind.startswith("user."):
        return Author.USER
    if kind == SUMMARY_KIND:
        return Author.SUMMARY
    if kind not in _UNSURE:
        return Author.INJECTED
    if text.startswith(SUMMARY_PREFIX):
        return Author.SUMMARY
    if is_client_text(text) or _picture.match(text):
        return Author.INJECTED
    return author_of(text, Author.USER)


def is_client_text(text: str) -> bool:
    """Whether a text is entirely Codex's own: it begins and ends with one of its tags."""
    start = _injected.match(text)
    if start is None:
        return False
    closing = f"</{start['tag'] or 'INSTRUCTIONS'}>"
    return text[-len(closing) - 64 :].rstrip().lower().endswith(closing.lower())
