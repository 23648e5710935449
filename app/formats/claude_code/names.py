"""Names of types and members in Claude Code's records."""

from __future__ import annotations

from typing import Final

NAME: Final = "claude-code"
"""The format's name."""

TALK: Final = frozenset({"user", "assistant"})
"""Types of records that hold a message."""

REQUEST_LOG: Final = frozenset({"api-request", "api-request-blob", "api-request-shape"})
"""A log of sent requests: a third copy of the texts, which the client does not read back."""

METADATA: Final = REQUEST_LOG | {
    "agent-name", "ai-title", "atis-latch", "bridge-session", "content-replacement", "cost-state",
    "custom-title", "file-history-delta", "file-history-snapshot", "last-prompt", "mode", "permission-mode",
    "pr-link", "queue-operation", "summary", "tag", "tools-used", "worktree-state",
}  # fmt: skip
"""Known types of records outside the tree."""

PROMPT: Final = "last-prompt"
"""The type of records that name the record where a turn ended."""

BOUNDARY: Final = "compact_boundary"
MICRO_BOUNDARY: Final = "microcompact_boundary"

SYNTHETIC_MODEL: Final = "<synthetic>"
"""The model's name in assistant records that the client wrote itself."""

OWN_FIELD: Final = "handcompact"
"""Our member in the metadata of boundaries that we make; the client ignores unknown members."""

WORD_COPIES: Final = {"last-prompt": ("lastPrompt",), "queue-operation": ("content",)}
"""Record type -> members that repeat what a person typed; such records are never sent."""
