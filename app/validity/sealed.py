"""A conversation reduced to what its provider signed; the rest is dummies that need no reading."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, overload

from msgspec.structs import replace

from app.model import Block, Held, Message, Opaque, Text, Thinking, ToolResult, ToolUse

_WORDS: Final = Held("-")
_NOTHING: Final = Held("{}")


def sealed_parts(messages: Sequence[Message]) -> Sequence[Message]:
    """Messages with the same blocks in the same order; only those that can hold signed content are read.

    Empty if no message holds any.
    """
    return _SealedParts(messages) if any(map(_is_sealed, messages)) else ()


class _SealedParts(Sequence[Message]):
    """Makes each message lazily, so that a long conversation is not held twice."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._messages = messages

    def __len__(self) -> int:
        return len(self._messages)

    @overload
    def __getitem__(self, at: int) -> Message: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Message]: ...

    def __getitem__(self, at: int | slice) -> Message | Sequence[Message]:
        if isinstance(at, slice):
            return _SealedParts(self._messages[at])
        message = self._messages[at]
        return message if _is_sealed(message) else _stand_in(message)


def _is_sealed(message: Message) -> bool:
    return any(isinstance(block, Thinking | Opaque) for block in message.blocks)


def _stand_in(message: Message) -> Message:
    return replace(message, blocks=tuple(map(_without_words, message.blocks)))


def _without_words(block: Block) -> Block:
    match block:
        case Text():
            return Text(block.key, _WORDS, block.author)
        case ToolUse():
            return ToolUse(block.key, block.id, block.name, _NOTHING, server=block.server)
        case ToolResult() if not block.server:
            return ToolResult(block.key, block.tool_use_id, ())
    return block
