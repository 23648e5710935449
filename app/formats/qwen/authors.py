"""Determining who wrote the texts of Qwen Code's user records: by the record, or by how the text begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from app.formats.markers import author_of
from app.formats.qwen.names import SYSTEM, TYPED
from app.model import Author, Block, Text

_INJECTED: Final = (
    "<qwen:user-prompt-submit-context>",
    "<qwen:session-start-context",
    "Recently accessed file (full current content embedded):",
)
"""How texts begin that the client adds to the person's words."""


def author_for(record: Mapping[str, Any]) -> Author:
    """Who wrote a record's texts, as far as the record tells."""
    if record.get("type") == "assistant":
        return Author.ASSISTANT
    typed = record.get("subtype") in TYPED and record.get("provenance") != SYSTEM
    return Author.USER if typed else Author.INJECTED


def history_authors(contents: Sequence[Any]) -> list[Author]:
    """The same for the contents of a compressed history, whose first one is the summary."""
    authors = []
    for number, content in enumerate(contents):
        model = isinstance(content, dict) and content.get("role") == "model"
        authors.append(Author.ASSISTANT if model else Author.SUMMARY if number == 0 else Author.USER)
    return authors


def with_author(block: Block, author: Author) -> Block:
    """The block with `author`, unless its text shows another one."""
    if not isinstance(block, Text) or author is Author.ASSISTANT:
        return block
    if block.content.preview.startswith(_INJECTED):
        return replace(block, author=Author.INJECTED)
    if author is not Author.INJECTED:
        return block
    return replace(block, author=author_of(block.content.preview, author))
