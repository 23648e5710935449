"""The texts of messages for searching; of a call's arguments, the strings they contain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from app.model import Block, Text, Thinking, ToolResult, ToolUse, blocks_of, text_of
from app.summarizers.base import Messages


def texts_of(messages: Messages) -> Iterator[str]:
    """Every text of the messages."""
    for _, block in blocks_of(messages):
        yield from block_texts(block)


def block_texts(block: Block) -> Iterator[str]:
    """Every text of a block; nothing for a picture."""
    match block:
        case ToolUse():
            yield block.name
            yield from _strings(_arguments(block))
        case Text() | Thinking() | ToolResult():
            yield text_of(block)
        case _:
            return


def _arguments(call: ToolUse) -> Any:
    try:
        return call.input.value()
    except (ValueError, RecursionError):
        return call.input.read()


def _strings(value: Any) -> Iterator[str]:
    """Keys and values of a JSON value as texts, whatever its depth."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            yield from (key for key in value if isinstance(key, str))
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
        elif value is not None:
            yield str(value)
