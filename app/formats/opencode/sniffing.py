"""Detecting opencode's exports by the head of their content."""

from __future__ import annotations

from typing import Any, Final

from app.formats.document import MessageFinder, document_start, may_hold
from app.formats.opencode.names import INFO, MESSAGES, PARTS
from app.formats.source import Source

_HEADS: Final = (256 << 10, 8 << 20)
"""Head sizes in bytes that are tried in turn until a message is found."""


def looks_like(source: Source) -> bool:
    """Whether the content is a document with the `info` of a session and its messages."""
    for size in _HEADS:
        head = source.read(0, size)
        if not may_hold(head, MESSAGES, INFO):
            return False
        finder = MessageFinder(head, document_start(head))
        values = [element.value for element in finder]
        found = finder.found
        if found is not None and found.path == (MESSAGES,):
            messages = [value for value in values if isinstance(value, dict)]
            if messages:
                return sum(map(_is_message, messages)) * 2 >= len(messages)
            span = found.members.get(INFO)
            if span is not None and b'"ses_' in head[span[0] : span[1]]:
                return True
        if size >= source.size:
            break
    return False


def _is_message(value: dict[str, Any]) -> bool:
    return isinstance(value.get(INFO), dict) and isinstance(value.get(PARTS), list)
