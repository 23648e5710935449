"""Detecting which of the two plain JSON dialects a file is in, by its content alone.

The dialects share most member names, so evidence is gathered until it is conclusive: first from the head
of the file, then from more of it. A conversation of only roles and strings is valid in both and is read
as Chat Completions, the form that most programs write.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from typing import Any, Final

from app.formats.document import MESSAGES, MessageFinder, MessageList, document_start, may_hold
from app.formats.first_bytes import once
from app.formats.lines import UNREADABLE, LineReader, parse_record
from app.formats.source import BytesSource, Source
from app.model import JsonPath

ANTHROPIC: Final = "anthropic"
OPENAI_CHAT: Final = "openai-chat"

ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool", "function"})

_HEADS: Final = (64 << 10, 1 << 20, 8 << 20)
"""Head sizes in bytes that are tried in turn until a message is found."""
_SEARCHED: Final = 8 << 20
"""Bytes searched for members that only one of the dialects has."""
_ROWS: Final = 300
"""Lines that are examined."""
_SMALL: Final = 256 << 10
"""Bytes of a value besides the messages up to which it is parsed."""

_OTHER_PARTS: Final = frozenset(
    {"input_text", "output_text", "input_image", "output_audio", "reasoning_text", "summary_text"}
)
"""Part types of OpenAI's Responses, which no chat message has."""
_ANTHROPIC_BLOCKS: Final = frozenset(
    {
        "tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "mcp_tool_use",
        "document", "image", "search_result", "container_upload", "compaction",
    }
)  # fmt: skip
_CHAT_PARTS: Final = frozenset({"image_url", "input_audio", "file", "refusal"})
_CHAT_ROLES: Final = ROLES - {"user", "assistant", "system"}
_CHAT_KEYS: Final = ("tool_calls", "function_call", "refusal", "reasoning_content", "audio", "tool_call_id")
_ANTHROPIC_BESIDE: Final = ("system", "thinking", "anthropic_version", "stop_sequences", "mcp_servers")
_CHAT_BESIDE: Final = ("choices", "response_format", "functions", "trajectory_format", "tool_resources")
_words_of_one = re.compile(
    rb'"(?:(?P<anthropic>tool_use|tool_result|redacted_thinking|tool_use_id|input_schema)'
    rb'|(?P<chat>tool_calls|function_call|tool_call_id|image_url))"'
)


class Shape(StrEnum):
    """How messages are laid out in a file."""

    DOCUMENT = "document"
    """One JSON document with a list of messages."""
    LINES = "lines"
    """One message a line."""
    CONVERSATIONS = "conversations"
    """One document a line; the last one is the newest."""


@dataclass(frozen=True)
class HeadFacts:
    """Facts about the head of a file."""

    shape: Shape | None = None
    """None if no message was found."""
    values: tuple[Any, ...] = ()
    """The first messages, or whatever is in their place."""
    beside: Mapping[str, Any] = field(default_factory=dict)
    """Small sibling values of the list of messages, by key."""
    begun: bool = False
    """Whether something was begun that may turn out to be a message in a longer head."""
    path: JsonPath = ()
    """Path of the list in its document."""


def kind_of(source: Source) -> str | None:
    """`anthropic`, `openai-chat`, or None if the content is neither."""
    look = first_look(source)
    if look.shape is None or not are_messages(look.values):
        return None
    return _judged(look) or _searched(source) or _by_hints(look) or OPENAI_CHAT


def shape_of(source: Source, member: str = MESSAGES) -> Shape:
    """The layout of a file in one of the dialects; `member` names the list if it is not at the root."""
    return first_look(source, member).shape or Shape.DOCUMENT


def first_look(source: Source, member: str = MESSAGES) -> HeadFacts:
    """Facts from the smallest head of the file that shows a message; see `MessageFinder`."""
    return once(source, ("look", member), lambda: _first_look(source, member))


def _first_look(source: Source, member: str) -> HeadFacts:
    look = HeadFacts()
    for size in (*_HEADS, source.size):
        look = _look(source, size, member)
        if look.values or size >= source.size or not (look.begun or size < _HEADS[1]):
            break
    return look


def _look(source: Source, size: int, member: str) -> HeadFacts:
    """Facts from the first `size` bytes; those that do not depend on the list's name are cached."""
    head, whole = source.read(0, size), size >= source.size
    start = document_start(head)
    if head[start : start + 1] == b"[":
        return once(source, ("list", size), lambda: look_at(head, whole=whole, member=member))
    if not may_hold(head, member):
        salvage = member == MESSAGES
        return once(source, ("rows", size, salvage), lambda: _rows(head, whole=whole, salvage=salvage))
    return look_at(head, whole=whole, member=member)


def look_at(head: bytes, *, whole: bool, member: str = MESSAGES) -> HeadFacts:
    """Facts from a file's first bytes; `whole`: they are the whole file."""
    finder = MessageFinder(head, document_start(head), member)
    values = tuple(element.value for element in finder if element.value is not UNREADABLE)
    found = finder.found
    if found is not None:
        more = not found.closing and head[found.stop : found.stop + 1] in (b"{", b"[")
        more = more and head[found.stop - 1 : found.stop] == b"\n"
        shape = Shape.CONVERSATIONS if more else Shape.DOCUMENT
        return HeadFacts(shape, values, _beside(head, found), begun=True, path=found.path)
    return _rows(head, whole=whole, salvage=member == MESSAGES)


def _rows(head: bytes, *, whole: bool, salvage: bool) -> HeadFacts:
    """Facts from the lines; `salvage`: also from the lines of what may be a broken document."""
    lines = head if whole else head[: head.rfind(b"\n") + 1]
    first, _, others = lines.partition(b"\n")
    if first.rstrip().endswith((b"[", b"{")):
        # A pretty-printed document begins here: its lines are parts of values, or messages if it is too
        # broken to be recognised. This line is not a torn JSONL record.
        if not salvage or first.strip() in (b"[", b"{"):
            return HeadFacts()
        lines = others
    read = islice(LineReader(BytesSource(lines), is_message), _ROWS)
    rows = [row.value for row in read if row.value is not UNREADABLE]
    messages = any(isinstance(row, dict) and isinstance(row.get("role"), str) for row in rows)
    return HeadFacts(Shape.LINES if messages else None, tuple(rows), begun=not lines)


def are_messages(values: Iterable[Any]) -> bool:
    """Whether most of the objects among `values` are chat messages."""
    objects = [value for value in values if isinstance(value, dict)]
    good = sum(map(is_message, objects))
    return good > 0 and good * 2 >= len(objects)


def is_message(value: Mapping[str, Any]) -> bool:
    """Whether an object is a message of either dialect."""
    role = value.get("role")
    if not _is_word(role) or role not in ROLES or "parts" in value:
        return False
    content = value.get("content")
    if any(part.get("type") in _OTHER_PARTS for part in _objects(content) if _is_word(part.get("type"))):
        return False
    return "content" in value or any(value.get(key) for key in _CHAT_KEYS)


def _parsed(head: bytes, spans: Iterable[tuple[int, int]]) -> Iterator[Any]:
    for start, end in spans:
        try:
            yield parse_record(head[start:end])
        except ValueError:
            continue


def _beside(head: bytes, found: MessageList) -> dict[str, Any]:
    small = {key: span for key, span in found.members.items() if span[1] - span[0] <= _SMALL}
    return dict(zip(small, _parsed(head, small.values()), strict=False))


def _judged(look: HeadFacts) -> str | None:
    """The dialect that the messages in the head prove; None if they could be in either."""
    messages = [value for value in look.values if isinstance(value, dict) and is_message(value)]
    return _the_larger(sum(map(_is_anthropic, messages)), sum(map(_is_chat, messages)))


def _searched(source: Source) -> str | None:
    """The dialect whose member names occur later in the file; inside a string their quotes are escaped."""
    data = source.read(0, _SEARCHED)
    found = {match.lastgroup for match in islice(_words_of_one.finditer(data), 100)}
    return _the_larger("anthropic" in found, "chat" in found)


def _by_hints(look: HeadFacts) -> str | None:
    """The more likely dialect, without proof."""
    tools = _objects(look.beside.get("tools"))
    messages = [value for value in look.values if isinstance(value, dict)]
    anthropic = sum(key in look.beside for key in _ANTHROPIC_BESIDE)
    anthropic += any("input_schema" in tool for tool in tools)
    anthropic += any(_objects(message.get("content")) for message in messages)
    chat = sum(key in look.beside for key in _CHAT_BESIDE) + any("function" in tool for tool in tools)
    chat += any(message.get("role") == "system" for message in messages)
    return _the_larger(anthropic, chat)


def _the_larger(anthropic: int, chat: int) -> str | None:
    if anthropic == chat:
        return None
    return ANTHROPIC if anthropic > chat else OPENAI_CHAT


def _is_anthropic(message: Mapping[str, Any]) -> bool:
    return any(
        (kind in _ANTHROPIC_BLOCKS or str(kind).endswith("_tool_result")) or "cache_control" in block
        for block in _objects(message.get("content"))
        if _is_word(kind := block.get("type"))
    )


def _is_chat(message: Mapping[str, Any]) -> bool:
    role = message.get("role")
    if (_is_word(role) and role in _CHAT_ROLES) or any(key in message for key in _CHAT_KEYS):
        return True
    return any(
        part["type"] in _CHAT_PARTS for part in _objects(message.get("content")) if _is_word(part.get("type"))
    )


def _objects(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _is_word(value: Any) -> bool:
    return isinstance(value, str)
