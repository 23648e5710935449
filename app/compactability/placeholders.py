"""What a result looks like when somebody has compacted it already: the agents, the seeds, ours.

A result that only quotes such a line (a source file, a log, a search) is not one: a placeholder is
the whole text or begins it, and a cut has its marker where that cut puts it.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from app.model import Held, Text, ToolResult, chars_of, preview_of, text_of

CUT_TAIL: Final = "\n…[tool_result 已截断（compact）]"
"""The end of a result cut by react-agent-mini's budget."""

CUT_MIDDLE: Final = "\n\n[... tool result middle pruned ...]\n\n"
"""Replaces the middle that the 8K gate removed."""


class Form(StrEnum):
    """How a result was compacted."""

    CLEARED = "cleared"
    """Replaced by a placeholder."""
    SAVED = "saved"
    """Saved to a file; a preview or its path is left."""
    STUB = "stub"
    """Replaced by a reference to an identical earlier result."""
    CUT = "cut"
    """Its end or its middle was removed."""


_LINE_LIMIT: Final = 4_400
"""Code points of the longest one-line placeholder: a path may have 4,096 bytes."""

_CLEARED: Final = re.compile(
    r"\[Old tool result content cleared|\[Earlier tool result compacted|\[旧工具结果已清\]"
    r"|\[(?:Superseded (?:read|result)|Failed call|Write result|Old (?:image|listing)|Unchanged file)"
    r" cleared\]"
    r"|\[[^\[\]\n]{0,200}\b(?:cleared|compacted|removed|pruned|elided|superseded)\b[^\[\]\n]{0,200}\]\s*$"
    r"|Old environment output: \("
)
_SAVED: Final = re.compile(
    r"\[Tool result persisted to disk — [^\n]*\n|\[Earlier tool result saved at "
    r"|<persisted-output>\s*(?:Full output: |Output too large)"
    r"|(?:\.\.\.output truncated\.\.\.\s*)Full output saved to: "
)
_SAVED_AT: Final = re.compile(
    r"\[Earlier tool result saved at (?P<a>[^\n]+)\]\s*\Z"
    r"|<persisted-output>\s*(?:Full output: |Output too large[^\n]*Full output saved to: )(?P<b>[^\n]+)"
    r"|\.\.\.output truncated\.\.\.\s*Full output saved to: (?P<c>[^\n]+)"
    r"|\[Tool result persisted to disk — [^\n]*\nTool: [^\n]*\nPath: (?P<d>[^\n]+)"
)
_STUB: Final = re.compile(
    r"\[Read deduplicated: [^\n]*\]|File unchanged since last read\b[^\n]*\b(?:earlier|conversation)\b"
)

_TAIL_CUT_LENGTHS: Final = range(1_900, 4_000 + len(CUT_TAIL) + 1)
_HEAD_CHARS: Final = 4_096
_TAIL_CHARS: Final = 1_024
_MIDDLE_CUT_LENGTHS: Final = range(5_000, _HEAD_CHARS + len(CUT_MIDDLE) + _TAIL_CHARS + 1)


def compacted_form(result: ToolResult) -> Form | None:
    """How `result` was compacted already, or None.

    Placeholders are told by their preview. A cut shows only in the text itself, which is read
    where its length is that of a cut with the seeds' own limits, or where it is in memory anyway;
    a cut to another length that was read from a file is not told.
    """
    if not any(isinstance(part, Text) for part in result.parts):
        return None
    return placeholder_form(result) or (Form.CUT if _is_cut(result, chars_of(result)) else None)


def placeholder_form(result: ToolResult) -> Form | None:
    """How `result` was compacted, if it is a placeholder, a stub or a preview; reads no text."""
    preview = preview_of(result)
    if _STUB.match(preview):
        return Form.STUB
    if _SAVED.match(preview):
        return Form.SAVED
    cleared = chars_of(result) <= _LINE_LIMIT and "\n" not in preview.strip() and _CLEARED.match(preview)
    return Form.CLEARED if cleared else None


def saved_path(text: str) -> str | None:
    """The file named in a saved result's text, as spelled there; None for any other text."""
    found = _SAVED_AT.match(text)
    return next(path for path in found.groups() if path is not None).strip() if found else None


def is_cut(text: str) -> bool:
    """Whether a text of a result was cut by one of the seeds' cuts, at any limit."""
    if text.endswith(CUT_TAIL) and text.count(CUT_TAIL) == 1:
        return True
    head, marker, tail = text.partition(CUT_MIDDLE)
    return bool(head and marker and tail) and CUT_MIDDLE not in tail and len(tail) <= len(head)


def _is_cut(result: ToolResult, chars: int) -> bool:
    texts = [part.content for part in result.parts if isinstance(part, Text)]
    if all(isinstance(content, Held) for content in texts):
        return is_cut(text_of(result))
    outside_ascii = sum(content.size for content in texts) > chars
    if outside_ascii and chars in _TAIL_CUT_LENGTHS:
        return text_of(result).endswith(CUT_TAIL)
    if chars in _MIDDLE_CUT_LENGTHS:
        head, _, tail = text_of(result).partition(CUT_MIDDLE)
        return len(head) <= _HEAD_CHARS and 0 < len(tail) <= _TAIL_CHARS
    return False
