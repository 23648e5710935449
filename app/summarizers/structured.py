"""A summary by rules alone: topics, tools, files and errors of a conversation (MiniCode)."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from app.model import Author, Text, ToolResult, ToolUse, blocks_of, text_of
from app.summarizers.base import Job, Messages, Outcome, Tail

TOPICS: Final = 8
TOPIC_CHARS: Final = 100
SHORT_TEXT: Final = 10
"""Code points up to which a text is no topic."""
FILES: Final = 10
ERRORS: Final = 3
ERROR_CHARS: Final = 80


class Structured(Struct, frozen=True):
    """Rules that need nobody: what was asked for, which tools and files, which errors."""

    name: str = "structured"
    strategy: str = "full"
    tail: Tail = Tail.SHARE
    holds_earlier: bool = False

    def __call__(self, job: Job) -> Outcome:
        return Outcome(
            f"[Context compacted at {job.clock} — Full Compact]\n"
            f"Original: ~{job.tokens} tokens, {job.total} messages\n\n"
            f"## Conversation Summary\n\n{structured_summary(job.messages)}"
        )


def structured_summary(messages: Messages) -> str:
    """What the rules find in a conversation; reads the words of the user and of failed results."""
    parts = ["### Summary of conversation so far:\n"]
    if topics := _topics(messages):
        parts += ["**Topics discussed:**\n", *(f"- {topic}" for topic in topics), ""]
    calls, failed = _calls_and_failures(messages)
    if tools := sorted({call.name for call in calls}):
        parts += [f"**Tools used:** {', '.join(tools)}", ""]
    if files := sorted({path for call in calls if (path := _file_of(call))})[:FILES]:
        parts += [f"**Files touched:** {', '.join(files)}", ""]
    if failed:
        errors = (text_of(result)[:ERROR_CHARS] for result in failed)
        parts += ["**Errors encountered:**\n", *(f"- {error}" for error in errors), ""]
    return "\n".join([*parts, "\n*Continue from where we left off.*"])


def _topics(messages: Messages) -> list[str]:
    topics: list[str] = []
    for _, block in blocks_of(messages):
        if isinstance(block, Text) and block.author is Author.USER and block.content.chars > SHORT_TEXT:
            topics.append(block.content.preview[:TOPIC_CHARS].replace("\n", " "))
            if len(topics) == TOPICS:
                break
    return topics


def _file_of(call: ToolUse) -> str:
    try:
        arguments = call.input.value()
    except (ValueError, RecursionError):
        return ""
    path = arguments.get("file_path") if isinstance(arguments, dict) else None
    return path if isinstance(path, str) else ""


def _calls_and_failures(messages: Messages) -> tuple[list[ToolUse], list[ToolResult]]:
    """Every call, and the first results that failed."""
    calls: list[ToolUse] = []
    failed: list[ToolResult] = []
    for message in messages:
        for block in message.blocks:
            if isinstance(block, ToolUse):
                calls.append(block)
            elif isinstance(block, ToolResult) and block.is_error and len(failed) < ERRORS:
                failed.append(block)
    return calls, failed
