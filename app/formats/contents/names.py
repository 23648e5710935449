"""Names of the Gemini API for the parts of a content."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

CALL: Final = "functionCall"
ANSWER: Final = "functionResponse"

ROLES: Final = ("user", "model", "function")
"""`function` is an older role for the user's turn with function responses."""

_KINDS: Final = (
    CALL, ANSWER, "inlineData", "fileData", "executableCode", "codeExecutionResult", "text",
)  # fmt: skip


def kind_of(part: Any) -> str:
    """A part's kind: the name of its content member; empty if there is none."""
    if isinstance(part, str):
        return "text"
    if not isinstance(part, Mapping):
        return ""
    return next((kind for kind in _KINDS if part.get(kind) is not None), "")


def is_thought(part: Any) -> bool:
    """Whether a part is thinking."""
    return isinstance(part, Mapping) and part.get("thought") is True


def call_of(part: Any) -> Mapping[str, Any] | None:
    """The call in a part."""
    return _member(part, CALL)


def answer_of(part: Any) -> Mapping[str, Any] | None:
    """The function response in a part."""
    return _member(part, ANSWER)


def picture_of(part: Any) -> Mapping[str, Any] | None:
    """The inline data of a part that is an image or another medium."""
    return _member(part, "inlineData")


def says_nothing(part: Any) -> bool:
    """Whether the provider refuses a part as empty: one without content, or with only an empty text."""
    if not isinstance(part, Mapping) or kind_of(part) == "":
        return True
    return part.get("text") == "" and set(part) <= {"text", "thought"}


def _member(part: Any, kind: str) -> Mapping[str, Any] | None:
    found = part.get(kind) if isinstance(part, Mapping) else None
    return found if isinstance(found, Mapping) else None
