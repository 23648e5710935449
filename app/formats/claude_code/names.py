"""The words that Claude Code's records use for their types."""

from __future__ import annotations

from typing import Final

NAME: Final = "claude-code"
"""Of the format."""

TALK: Final = frozenset({"user", "assistant"})
"""Types of the records that hold a message."""

REQUEST_LOG: Final = frozenset({"api-request", "api-request-blob", "api-request-shape"})
"""A log of what was sent: a third copy of the texts, from which the client rebuilds nothing."""

METADATA: Final = REQUEST_LOG | {
    "agent-name", "ai-title", "atis-latch", "bridge-session", "content-replacement", "cost-state",
    "custom-title", "file-history-delta", "file-history-snapshot", "last-prompt", "mode", "permission-mode",
    "pr-link", "queue-operation", "summary", "tag", "tools-used", "worktree-state",
}  # fmt: skip
"""Types that were seen of records outside the tree."""

PROMPT: Final = "last-prompt"
"""The type of the rows that name the record where a turn ended."""

BOUNDARY: Final = "compact_boundary"
MICRO_BOUNDARY: Final = "microcompact_boundary"

SYNTHETIC_MODEL: Final = "<synthetic>"
"""The model's name in assistant records that the client wrote itself."""

OWN_FIELD: Final = "handcompact"
"""Our field in the metadata of boundaries that we make; the client lets fields pass that it does not know."""

WORD_COPIES: Final = {"last-prompt": ("lastPrompt",), "queue-operation": ("content",)}
"""Records that are never sent and repeat what a person typed: by type, the members that hold it."""
