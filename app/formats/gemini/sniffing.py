"""Detecting Gemini CLI's files by the head of their content."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from app.formats.document import MessageFinder, document_start, may_hold
from app.formats.first_bytes import AROUND, head_of, head_records
from app.formats.gemini.names import GEMINI, MESSAGES, REWIND, SET, SHOWN, USER
from app.formats.plain.anthropic_blocks import as_word
from app.formats.source import Source

_TYPES: Final = SHOWN | {USER, GEMINI}


class Shape(StrEnum):
    """How the messages of a session are laid out in its file."""

    LOG = "log"
    DOCUMENT = "document"


def shape_of(source: Source) -> Shape | None:
    """Which form of Gemini CLI's files the content has; None if it is not one."""
    if _is_document(head_of(source)):
        return Shape.DOCUMENT
    return Shape.LOG if any(map(_is_ours, head_records(source))) else None


def _is_document(head: bytes) -> bool:
    if not may_hold(head, MESSAGES, "sessionId"):
        return False
    finder = MessageFinder(head, document_start(head))
    values = [element.value for element in finder]
    found = finder.found
    if found is None or found.path != (MESSAGES,) or "sessionId" not in found.members:
        return False
    if not found.closing and head[found.stop :].strip(AROUND).startswith(b"{"):
        return False
    messages = [value for value in values if isinstance(value, dict)]
    return "projectHash" in found.members or any(map(_is_message, messages))


def _is_message(record: Mapping[str, Any]) -> bool:
    return (
        isinstance(record.get("id"), str)
        and as_word(record.get("type")) in _TYPES
        and "content" in record
        and "timestamp" in record
        and "parentId" not in record
    )


def _is_ours(record: dict[str, Any]) -> bool:
    if "uuid" in record:
        return False
    if isinstance(record.get("sessionId"), str) and isinstance(record.get("projectHash"), str):
        return True
    return isinstance(record.get(SET), dict) or isinstance(record.get(REWIND), str) or _is_message(record)
