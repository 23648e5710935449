"""Names of the Responses API: the types of items, and which belong together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

LIST: Final = "input"
"""The member that holds a request's items."""

ANSWERED_BY: Final = {
    "function_call": "function_call_output",
    "local_shell_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "computer_call": "computer_call_output",
    "shell_call": "shell_call_output",
    "apply_patch_call": "apply_patch_call_output",
    "tool_search_call": "tool_search_output",
}
"""Call type -> type of the item that answers it."""

OUTPUTS: Final = frozenset(ANSWERED_BY.values())

BY_PROVIDER: Final = frozenset(
    {
        "web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call",
        "mcp_list_tools", "mcp_approval_request", "mcp_approval_response", "item_reference", "compaction",
        "compaction_trigger", "context_compaction",
    }
)  # fmt: skip
"""Items that the provider makes and answers itself."""

LOCAL: Final = frozenset({"ghost_snapshot", "other"})
"""Entries that a client records among the items and never sends."""

SEALED: Final = frozenset({"compaction", "context_compaction", "compaction_summary"})
"""Summaries that only the provider can read."""

KNOWN: Final = frozenset({"message", "reasoning", "agent_message", *ANSWERED_BY, *OUTPUTS, *BY_PROVIDER})

ROLES: Final = frozenset({"user", "assistant", "system", "developer"})

SEARCH: Final = frozenset({"tool_search_call", "tool_search_output"})


def kind_of(item: Any) -> str:
    """An item's type, which a message may leave out; empty if there is none."""
    if not isinstance(item, dict):
        return ""
    kind = item.get("type") or ("message" if "role" in item else "")
    return kind if isinstance(kind, str) else ""


def is_by_provider(item: Mapping[str, Any]) -> bool:
    """Whether a tool search, or its result, is the provider's own and has no pair in the request."""
    return kind_of(item) in SEARCH and item.get("execution") != "client"


def is_call(item: Mapping[str, Any]) -> bool:
    """Whether an item waits for an output."""
    return kind_of(item) in ANSWERED_BY and not is_by_provider(item)


def is_output(item: Mapping[str, Any]) -> bool:
    """Whether an item answers a call."""
    return kind_of(item) in OUTPUTS and not is_by_provider(item)


def is_produced(item: Mapping[str, Any]) -> bool:
    """Whether the model makes such an item, so that reasoning can have led to it."""
    kind = kind_of(item)
    return (
        kind == "reasoning" or kind in ANSWERED_BY or kind in BY_PROVIDER or item.get("role") == "assistant"
    )
