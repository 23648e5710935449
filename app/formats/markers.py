"""Recognising texts that no person typed by how they begin: injected texts, and marks of compactions.

A role does not tell who wrote a text: clients put reminders and command output into user messages, and
a compaction leaves a summary or a marker there. Formats without a record type for these recognise them
here, so that a session that this program compacted once is understood the second time.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from app.model import Author, Boundary

CONTINUED: Final = "This session is being continued from a previous conversation that ran out of context"
"""How Claude Code begins the summary after its own boundary."""

ORPHAN_TEXT: Final = "[Result of a tool call that is no longer here]"
UNANSWERED_TEXT: Final = "[No result was recorded for this call]"
EMPTY_TEXT: Final = "[Empty message]"
EARLIER_TEXT: Final = "[What came before is no longer here]"
MADE_TEXTS: Final = (ORPHAN_TEXT, UNANSWERED_TEXT, EMPTY_TEXT, EARLIER_TEXT)
"""Texts that repairs write where a provider's rule requires one."""

_INJECTED_TAGS = (
    "system-reminder", "environment_context", "user_instructions", "session_context", "command-name",
    "command-message", "command-args", "command-contents", "local-command-stdout", "local-command-stderr",
    "local-command-caveat", "bash-input", "bash-stdout", "bash-stderr", "teammate-message",
    "task-notification", "ide_opened_file", "ide_selection", "ide_diagnostics", "user-prompt-submit-hook",
    "post-tool-use-hook", "turn_aborted",
)  # fmt: skip
_INTERRUPTED = ("[Request interrupted by user]", "[Request interrupted by user for tool use]")

_tags = "|".join(map(re.escape, _INJECTED_TAGS))
_opening_tag = re.compile(rf"\s*+<({_tags})(?:\s[^<>]*+)?>")


class _Kind(Struct, frozen=True):
    """One kind of text that a compaction leaves at the start of its message."""

    start: re.Pattern[str]
    author: Author
    trigger: str
    strategy: str
    hides: bool
    """Whether it replaces everything before it."""


_KINDS: Final = (
    _Kind(re.compile(r"\[Compacted\]\n\n"), Author.SUMMARY, "auto", "summarize", True),
    _Kind(re.compile(r"\[Reactive compact\]\n\n"), Author.SUMMARY, "reactive", "recover", True),
    _Kind(
        re.compile(r"\[Context compacted at \d{1,2}:\d\d:\d\d via Session Memory\]"),
        Author.SUMMARY, "auto", "session-memory", True,
    ),
    _Kind(re.compile(r"\[Context compacted at \d{1,2}:\d\d:\d\d"), Author.SUMMARY, "auto", "full", True),
    _Kind(
        re.compile(r"\[Context aggressively truncated for recovery"),
        Author.MARKER, "reactive", "recover", True,
    ),
    _Kind(re.compile(re.escape(CONTINUED)), Author.SUMMARY, "auto", "client", True),
    _Kind(
        re.compile(r"\[(?P<removed>\d{1,9}) earlier messages? dropped\]\s*\Z"),
        Author.MARKER, "manual", "drop-before", True,
    ),
    _Kind(
        re.compile(r"\[Summary of (?P<removed>\d{1,9}) messages?\]\n\n"),
        Author.SUMMARY, "manual", "range", False,
    ),
    _Kind(
        re.compile(r"\[snipped (?P<removed>\d{1,9}) messages?\]\s*\Z"),
        Author.MARKER, "auto", "snip", False,
    ),
    _Kind(
        re.compile(r"\[(?P<removed>\d{1,9}) messages? archived at [^\n\]]{1,4096}\]\s*\Z"),
        Author.MARKER, "auto", "snip", False,
    ),
)  # fmt: skip

_HEAD_CHARS = 400
_removed = re.compile(r"Messages removed: (\d{1,9})\b|Original: ~[\d,]{1,15} tokens, (\d{1,9}) messages")
_tokens_before = re.compile(r"(?:Tokens before|Original): ~([\d,]{1,15})")


def author_of(text: str, default: Author) -> Author:
    """Who wrote a text of a user message: `default`, unless all of it is known to be injected or made.

    A text with both injected and typed words counts as typed.
    """
    kind = _kind_of(text)
    if kind is not None:
        return kind.author
    if is_injected(text):
        return Author.INJECTED
    return default


def boundary_of(text: str, key: str, record: int | None) -> Boundary | None:
    """The boundary that a message beginning with `text` marks; None for any other text.

    `key` is the boundary's key, `record` the index of its record. Counts are those that the text states.
    """
    kind = _kind_of(text)
    if kind is None:
        return None
    head = text[:_HEAD_CHARS]
    start = kind.start.match(head)
    removed = start["removed"] if start and "removed" in start.re.groupindex else _first(_removed, head)
    tokens = _first(_tokens_before, head)
    return Boundary(
        key=key,
        trigger=kind.trigger,
        strategy=kind.strategy,
        tokens_before=None if tokens is None else int(tokens.replace(",", "") or 0),
        removed=None if removed is None else int(removed),
        hides=kind.hides,
        record=record,
    )


def is_injected(text: str) -> bool:
    """Whether a text consists only of what clients are known to put into user messages."""
    if text in _INTERRUPTED or text.startswith(MADE_TEXTS):
        return True
    pos = 0
    while opening := _opening_tag.match(text, pos):
        closing = f"</{opening[1]}>"
        end = text.find(closing, opening.end())
        if end < 0:
            return False
        pos = end + len(closing)
    return pos > 0 and not text[pos:].strip()


def _kind_of(text: str) -> _Kind | None:
    if not text.startswith(("[", "This session")):
        return None
    return next((kind for kind in _KINDS if kind.start.match(text)), None)


def _first(pattern: re.Pattern[str], text: str) -> str | None:
    found = pattern.search(text)
    return None if found is None else next((group for group in found.groups() if group is not None), None)


_QUESTION_TOOLS: Final = frozenset(
    {
        "askuserquestion", "askuser", "askquestion", "askfollowupquestion", "question", "questions",
        "requestuserinput", "userinput", "exitplanmode", "presentplan",
    }
)  # fmt: skip

_refused = re.compile(
    r"The user (?:doesn't|does not) want to|User (?:rejected|refused|declined|denied)|Permission denied by"
)
_reason = re.compile(
    r"the user said:|reason(?: given)?(?: by the user)?:|user's (?:feedback|reason|words|message)|instead:",
    re.IGNORECASE,
)
_REASON_WITHIN = 1000


def holds_user_words(tool: str, text: str) -> bool:
    """Whether a tool's result holds the person's words: an answer, or a reason given for a refusal."""
    if re.sub(r"[^a-z]", "", tool.lower()) in _QUESTION_TOOLS:
        return True
    return _refused.match(text) is not None and _reason.search(text, 0, _REASON_WITHIN) is not None
