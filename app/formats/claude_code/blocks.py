"""The blocks of a Claude Code record; their texts stay in the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from app.formats.claude_code.attachments import is_typed, sent_texts
from app.formats.claude_code.words import PATH_ARGUMENTS
from app.formats.markers import author_of, holds_user_words
from app.formats.store import RecordStore, Stored, stored
from app.model import (
    Author,
    Block,
    Held,
    Image,
    JsonPath,
    Opaque,
    Part,
    Place,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
)

_CONTENT: Final[JsonPath] = ("message", "content")
_SERVER_CALLS: Final = frozenset({"server_tool_use", "mcp_tool_use"})
_NOT_SENT: Final = frozenset({"fallback"})
"""Blocks of an assistant record that the client leaves out of a request."""


class _Spot(NamedTuple):
    """A value in a record, and the key of the block that it becomes."""

    store: RecordStore
    record: int
    path: JsonPath
    key: str

    @property
    def place(self) -> Place:
        return Place(self.record, self.path)

    def content(self, value: Any, *steps: str | int) -> Stored:
        """The content that `value` is, which lies at `steps` from here."""
        return stored(self.store, self.record, (*self.path, *steps), value)

    def part(self, number: int, *steps: str | int) -> _Spot:
        """A part of this block."""
        return _Spot(
            self.store, self.record, self.store.shared_path((*self.path, *steps)), f"{self.key}/{number}"
        )


class BlockReader:
    """Makes blocks of records, in file order: a result is judged by the call that was read before it."""

    def __init__(self, store: RecordStore) -> None:
        self._store = store
        self._tools: dict[str, str] = {}

    def of_message(self, index: int, key: str, record: Mapping[str, Any]) -> tuple[Block, ...]:
        """The blocks of a user or assistant record that are sent."""
        content = record["message"]["content"]
        if isinstance(content, str):
            author = _author(record, content)
            spot = _Spot(self._store, index, _CONTENT, f"{key}:0")
            return (
                ()
                if _left_out(content, author)
                else (Text(spot.key, spot.content(content), author, spot.place),)
            )
        blocks = []
        for i, value in enumerate(content):
            spot = _Spot(self._store, index, self._store.shared_path((*_CONTENT, i)), f"{key}:{i}")
            block = self._block(spot, value, record)
            if block is not None:
                blocks.append(block)
        return tuple(blocks)

    def of_attachment(self, index: int, key: str, record: Mapping[str, Any]) -> tuple[Block, ...]:
        """The texts that are sent because of an attachment record."""
        spots = [
            (_Spot(self._store, index, self._store.shared_path(path), f"{key}:{i}"), text)
            for i, (path, text) in enumerate(sent_texts(record))
        ]
        author = Author.USER if spots and is_typed(record["attachment"]) else Author.INJECTED
        return tuple(Text(spot.key, spot.content(text), author, spot.place) for spot, text in spots)

    def _block(self, spot: _Spot, value: Any, record: Mapping[str, Any]) -> Block | None:
        kind = _kind(value)
        match kind:
            case "text" if isinstance(text := value.get("text"), str):
                author = _author(record, text)
                if _left_out(text, author):
                    return None
                return Text(spot.key, spot.content(text, "text"), author, spot.place)
            case "thinking" if isinstance(text := value.get("thinking"), str):
                seal = _length(value.get("signature"))
                return Thinking(spot.key, spot.content(text, "thinking"), seal, place=spot.place)
            case "redacted_thinking":
                return Thinking(
                    spot.key, Held(""), _length(value.get("data")), redacted=True, place=spot.place
                )
            case "tool_use":
                return self._call(spot, value, server=False)
            case "tool_result":
                return self._result(spot, value, server=False)
            case "image":
                return _image(spot, value)
        if kind in _NOT_SENT:
            return None
        if kind in _SERVER_CALLS:
            return self._call(spot, value, server=True)
        if kind.endswith("_tool_result"):
            return self._result(spot, value, server=True)
        return Opaque(spot.key, kind, spot.content(value), spot.place)

    def _call(self, spot: _Spot, value: Mapping[str, Any], *, server: bool) -> ToolUse:
        ident, name, arguments = str(value.get("id", "")), str(value.get("name", "")), value.get("input")
        self._tools[ident] = name
        file = None
        if isinstance(arguments, dict):
            file = next((arguments[k] for k in PATH_ARGUMENTS if isinstance(arguments.get(k), str)), None)
        return ToolUse(spot.key, ident, name, spot.content(arguments, "input"), file, server, spot.place)

    def _result(self, spot: _Spot, value: Mapping[str, Any], *, server: bool) -> ToolResult:
        ident = str(value.get("tool_use_id", ""))
        tool = self._tools.get(ident, "")
        content = value.get("content")
        return ToolResult(
            key=spot.key,
            tool_use_id=ident,
            parts=tuple(_parts(spot, content)),
            is_error=value.get("is_error") is True,
            server=server,
            user_words=any(holds_user_words(tool, text) for text in _texts(content)),
            place=spot.place,
        )


def _author(record: Mapping[str, Any], text: str) -> Author:
    """Who wrote a text of a user or assistant record (anthropics/claude-code#46603)."""
    if record["type"] == "assistant":
        return Author.ASSISTANT
    if record.get("isCompactSummary") is True:
        return Author.SUMMARY
    return author_of(text, Author.INJECTED if record.get("isMeta") is True else Author.USER)


def _left_out(text: str, author: Author) -> bool:
    """The blank text that some models write before thinking; the client does not send it back."""
    return author is Author.ASSISTANT and text != "" and not text.strip()


def _parts(result: _Spot, content: Any) -> Iterator[Part]:
    """The parts of a tool result: a string is one text, an absent content is none."""
    if isinstance(content, str):
        spot = result.part(0, "content")
        yield Text(spot.key, spot.content(content), Author.INJECTED, spot.place)
    elif isinstance(content, list):
        for j, value in enumerate(content):
            spot = result.part(j, "content", j)
            kind = _kind(value)
            if kind == "text" and isinstance(value.get("text"), str):
                yield Text(spot.key, spot.content(value["text"], "text"), Author.INJECTED, spot.place)
            elif kind == "image":
                yield _image(spot, value)
            else:
                yield Opaque(spot.key, kind, spot.content(value), spot.place)
    elif content is not None:
        spot = result.part(0, "content")
        yield Opaque(spot.key, _kind(content), spot.content(content), spot.place)


def _image(spot: _Spot, value: Mapping[str, Any]) -> Image | Opaque:
    source = value.get("source")
    if isinstance(source, dict):
        if isinstance(data := source.get("data"), str):
            media = source.get("media_type")
            content = spot.content(data, "source", "data")
            return Image(spot.key, content, media if isinstance(media, str) else "", spot.place)
        if isinstance(url := source.get("url"), str):
            return Image(spot.key, spot.content(url, "source", "url"), place=spot.place)
    return Opaque(spot.key, "image", spot.content(value), spot.place)


def _texts(content: Any) -> list[str]:
    """The texts in a result's content."""
    if isinstance(content, str):
        return [content]
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    return [text for text in texts if isinstance(text, str)]


def _kind(value: Any) -> str:
    kind = value.get("type") if isinstance(value, dict) else None
    return kind if isinstance(kind, str) else ""


def _length(value: Any) -> int:
    return len(value) if isinstance(value, str) else 0
