"""Finding the texts that the client sends for an attachment record.

From 2.1.3xx on a record holds what was sent, in `rendered`. Older records hold only facts, from which
the client generates the text at every request; those with a text of their own are listed here. Each was
seen in the request that 2.1.332 makes on a resume.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from app.model import JsonPath

EACH: Final = "*"
"""In a path of the table: every item of the list there."""

_TEXTS: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "queued_command": (("prompt",),),
    "hook_additional_context": (("content",),),
    "hook_blocking_error": (("blockingError", "blockingError"),),
    "hook_stopped_continuation": (("message",),),
    "critical_system_reminder": (("content",),),
    "nested_memory": (("content", "content"),),
    "edited_text_file": (("snippet",),),
    "file": (("content", "file", "content"),),
    "selected_lines_in_ide": (("content",),),
    "directory": (("content",),),
    "skill_listing": (("content",),),
    "invoked_skills": (("skills", EACH, "content"),),
    "plan_file_reference": (("planContent",),),
    "mcp_resource": (("content", "contents", EACH, "text"),),
    "task_status": (("description",), ("deltaSummary",)),
}

_HOOK_EVENTS: Final = frozenset({"SessionStart", "UserPromptSubmit"})
"""The output of a successful hook is sent for these events only."""


def is_typed(attachment: Mapping[str, Any]) -> bool:
    """Whether the person typed it: a prompt queued until the agent was free."""
    return attachment.get("type") == "queued_command" and attachment.get("commandMode") == "prompt"


def sent_texts(record: Mapping[str, Any]) -> Iterator[tuple[JsonPath, str]]:
    """(path in the record, text) of every text that is sent for this attachment record."""
    attachment = record.get("attachment")
    if not isinstance(attachment, dict):
        return
    rendered = record.get("rendered")
    if isinstance(rendered, list):
        for i, part in enumerate(rendered):
            if isinstance(part, dict):
                yield from _texts(part.get("content"), ("rendered", i, "content"))
        return
    kind = attachment.get("type")
    patterns = _TEXTS.get(kind, ()) if isinstance(kind, str) else ()
    if kind == "hook_success" and attachment.get("hookEvent") in _HOOK_EVENTS:
        patterns = (("content",),)
    for pattern in patterns:
        for path, value in _matches(attachment, pattern, ("attachment",)):
            yield from _texts(value, path)


def _matches(value: Any, pattern: tuple[str, ...], path: JsonPath) -> Iterator[tuple[JsonPath, Any]]:
    if not pattern:
        yield path, value
    elif pattern[0] == EACH:
        for i, item in enumerate(value if isinstance(value, list) else ()):
            yield from _matches(item, pattern[1:], (*path, i))
    elif isinstance(value, dict) and pattern[0] in value:
        yield from _matches(value[pattern[0]], pattern[1:], (*path, pattern[0]))


def _texts(value: Any, path: JsonPath) -> Iterator[tuple[JsonPath, str]]:
    """The non-blank texts in a content: a string, a list of strings, or blocks."""
    if isinstance(value, str):
        if value.strip():
            yield path, value
    elif isinstance(value, list):
        for i, part in enumerate(value):
            text = part.get("text") if isinstance(part, dict) else part
            if isinstance(text, str) and text.strip():
                yield ((*path, i, "text") if isinstance(part, dict) else (*path, i)), text
