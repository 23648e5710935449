"""Writing new plain JSON files: a request's messages, and its system prompt if there is one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from app.formats.new_file import SessionHeader
from app.formats.plain.anthropic_blocks import form_of
from app.formats.plain.chat_forms import made_message
from app.formats.splice import encode
from app.model import Message, Role, Text, ToolResult


def fresh_anthropic(messages: Sequence[Message], heading: SessionHeader) -> Iterator[bytes]:
    """An object with `system` and `messages`, as in a request to the Messages API."""
    prompts = [m for m in messages if m.role is Role.SYSTEM]
    system = [form_of(block) for message in prompts for block in message.blocks]
    members = [(b'"system":', encode(system))] if system else []
    yield b"{" + b"".join(name + value + b"," for name, value in members) + b'"messages":[\n'
    talk = (_anthropic(message) for message in messages if message.role is not Role.SYSTEM)
    yield from _listed(talk)
    yield b"\n]}\n"


def fresh_openai_chat(messages: Sequence[Message], heading: SessionHeader) -> Iterator[bytes]:
    """An object with `messages`, as in a Chat Completions request: each result is its own message."""
    yield b'{"messages":[\n'
    yield from _listed(form for message in messages for form in _chat(message))
    yield b"\n]}\n"


def _listed(values: Iterator[dict[str, Any]]) -> Iterator[bytes]:
    for number, value in enumerate(values):
        yield (b",\n" if number else b"") + encode(value)


def _anthropic(message: Message) -> dict[str, Any]:
    only = message.blocks[0] if len(message.blocks) == 1 else None
    content = only.content.read() if isinstance(only, Text) else [form_of(b) for b in message.blocks]
    return {"role": str(message.role), "content": content}


def _chat(message: Message) -> Iterator[dict[str, Any]]:
    results = [block for block in message.blocks if isinstance(block, ToolResult)]
    for result in results:
        yield made_message(replace(message, role=Role.TOOL, blocks=(result,)))
    rest = tuple(block for block in message.blocks if not isinstance(block, ToolResult))
    if rest:
        yield made_message(replace(message, blocks=rest))
