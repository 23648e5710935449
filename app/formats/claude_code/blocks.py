"""Reading the blocks of a Claude Code record: Messages API blocks, without those that are never sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from app.formats.claude_code.attachments import is_typed, sent_texts
from app.formats.plain.anthropic_blocks import BlockReader, Contents
from app.model import Author, Block, JsonPath, Opaque, Place, Text, Usage

_CONTENT: Final[JsonPath] = ("message", "content")

_NOT_SENT: Final = frozenset({"fallback"})
"""Blocks of an assistant record that the client leaves out of a request."""


class RecordBlocks:
    """Reads the blocks of records in file order: a result is judged by the call read before it."""

    def __init__(self, records: Contents) -> None:
        self._records = records
        self._reader = BlockReader(records)
        self._usage: Usage | None = None

    def shared(self, usage: Usage | None) -> Usage | None:
        """The same object for consecutive equal usages: each record of a message repeats the usage."""
        if usage == self._usage:
            return self._usage
        self._usage = usage
        return usage

    def of_message(self, index: int, key: str, record: Mapping[str, Any]) -> tuple[Block, ...]:
        """The sent blocks of a user or assistant record."""
        content = record["message"]["content"]
        if record["type"] == "assistant":
            blocks = self._reader.blocks(index, _CONTENT, content, key, Author.ASSISTANT)
            return tuple([block for block in blocks if not _left_out(block)])
        if record.get("isCompactSummary") is True:
            return self._reader.blocks(index, _CONTENT, content, key, Author.SUMMARY)
        blocks = self._reader.blocks(index, _CONTENT, content, key, Author.USER)
        return tuple([_by_client(block) for block in blocks]) if record.get("isMeta") is True else blocks

    def of_attachment(self, index: int, key: str, record: Mapping[str, Any]) -> tuple[Block, ...]:
        """The texts that are sent for an attachment record."""
        texts = list(sent_texts(record))
        author = Author.USER if texts and is_typed(record["attachment"]) else Author.INJECTED
        return tuple(
            [
                Text(
                    f"{key}:{i}",
                    self._records.content(index, path, text),
                    author,
                    Place(index, self._records.shared_path(path)),
                )
                for i, (path, text) in enumerate(texts)
            ]
        )


def _by_client(block: Block) -> Block:
    """The block with the client as author: its record says that it is not the person's."""
    typed = isinstance(block, Text) and block.author is Author.USER
    return replace(block, author=Author.INJECTED) if typed and isinstance(block, Text) else block


def _left_out(block: Block) -> bool:
    """Whether the client does not send the block: a blank text that some models write before thinking."""
    if isinstance(block, Text):
        return (
            block.content.chars > 0 and not block.content.preview.strip() and not block.content.read().strip()
        )
    return isinstance(block, Opaque) and block.type in _NOT_SENT
