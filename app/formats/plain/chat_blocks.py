"""Reading the blocks of a Chat Completions message from a record.

A message's parts are under several keys. Its blocks are numbered in the order reasoning, content,
refusal, calls, function call.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from sys import intern
from typing import Any

from app.formats.lenient_json import DOUBTS, decode_fast
from app.formats.markers import author_of, holds_user_words
from app.formats.plain.anthropic_blocks import as_word, first_text, kind_of, path_argument
from app.formats.plain.layout import PlainRecords
from app.model import (
    Author,
    Block,
    Content,
    Held,
    Image,
    JsonPath,
    Opaque,
    Part,
    Place,
    Record,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
)

_AUTHORS = {
    "system": Author.SYSTEM,
    "developer": Author.SYSTEM,
    "assistant": Author.ASSISTANT,
    "user": Author.USER,
}


class Arguments:
    """The arguments of a call, which are JSON in a string: `read()` is that text, `value()` the object."""

    __slots__ = ("_text",)

    def __init__(self, text: Content) -> None:
        self._text = text

    @property
    def chars(self) -> int:
        return self._text.chars

    @property
    def size(self) -> int:
        return self._text.size

    @property
    def preview(self) -> str:
        return self._text.preview

    def read(self) -> str:
        """The string as it is."""
        return self._text.read()

    def value(self) -> Any:
        """The parsed object; an empty one if the text is not an object."""
        return parsed_arguments(self._text.value())


def parsed_arguments(given: Any) -> dict[str, Any]:
    """A call's parsed arguments; empty if the model wrote invalid JSON."""
    if isinstance(given, str):
        given = _spelled(given)
    return given if isinstance(given, dict) else {}


def _spelled(text: str) -> Any:
    with suppress(*DOUBTS, UnicodeEncodeError):
        return decode_fast(text)
    with suppress(ValueError, RecursionError):
        return json.loads(text, strict=False)
    return None


class ChatBlockReader:
    """Reads blocks of messages in file order: a result is judged by the call read before it."""

    def __init__(self, store: PlainRecords) -> None:
        self._store = store
        self._tools: dict[str, str] = {}
        self._function = ("", "")

    def text_of(self, message: Mapping[str, Any]) -> str:
        """The first text of a message's content."""
        return first_text(message.get("content"))

    def blocks(self, record: Record, path: JsonPath, message: Mapping[str, Any]) -> tuple[Block, ...]:
        """All blocks of the message at `path` of a record."""
        role = as_word(message.get("role"))
        spot = _Spot(self._store, record, path)
        if role in ("tool", "function"):
            return (self._result(spot, message, role),)
        author = _AUTHORS.get(role, Author.INJECTED)
        spot.add_thinking(message.get("reasoning_content"), "reasoning_content")
        spot.add_content(message.get("content"), author)
        spot.add_text(message.get("refusal"), author, "refusal")
        calls = message.get("tool_calls")
        for number, call in enumerate(calls if isinstance(calls, list) else ()):
            self._add_call(spot, call, number)
        self._add_function_call(spot, message.get("function_call"))
        return tuple(spot.blocks)

    def _add_call(self, spot: _Spot, call: Any, number: int) -> None:
        kind = "custom" if kind_of(call) == "custom" else "function"
        body = call.get(kind) if isinstance(call, dict) else None
        if not isinstance(body, dict):
            spot.add_opaque(call, "tool_calls", number)
            return
        ident, name = intern(as_word(call.get("id"))), intern(as_word(body.get("name")))
        self._tools[ident] = name
        given = "input" if kind == "custom" else "arguments"
        spot.add_call(ident, name, body.get(given), ("tool_calls", number), (kind, given))

    def _add_function_call(self, spot: _Spot, call: Any) -> None:
        if not isinstance(call, dict):
            return
        name = as_word(call.get("name"))
        # The old form has no ids: such a call is answered by the next function message with its name.
        self._function = (name, f"function:{spot.record.key}")
        self._tools[self._function[1]] = name
        spot.add_call(self._function[1], name, call.get("arguments"), ("function_call",), ("arguments",))

    def _result(self, spot: _Spot, message: Mapping[str, Any], role: str) -> ToolResult:
        ident = intern(as_word(message.get("tool_call_id")))
        if role == "function":
            called, call_id = self._function
            name = as_word(message.get("name"))
            ident = call_id if call_id and name == called else f"function:{spot.record.key}"
            self._function = ("", "")
        content = message.get("content")
        said = holds_user_words(self._tools.get(ident, ""), first_text(content))
        key = f"{spot.record.key}:0"
        return ToolResult(key, ident, spot.parts(content, key), user_words=said, place=spot.place())


class _Spot:
    """A message being read: knows where its values are and numbers its blocks."""

    def __init__(self, store: PlainRecords, record: Record, path: JsonPath) -> None:
        self.record = record
        self.blocks: list[Block] = []
        self._store = store
        self._path = path

    def place(self, *steps: str | int) -> Place:
        return Place(self.record.index, self._store.shared_path((*self._path, *steps)))

    def _at(self, value: Any, *steps: str | int) -> Content:
        return self._store.content(self.record.index, (*self._path, *steps), value)

    @property
    def _key(self) -> str:
        return f"{self.record.key}:{len(self.blocks)}"

    def add_thinking(self, text: Any, *steps: str | int) -> None:
        if isinstance(text, str) and text:
            self.blocks.append(Thinking(self._key, self._at(text, *steps), place=self.place(*steps)))

    def add_text(self, text: Any, author: Author, *steps: str | int) -> None:
        if isinstance(text, str):
            self.blocks.append(self._text(self._key, text, author, steps, steps))

    def add_opaque(self, value: Any, *steps: str | int) -> None:
        self.blocks.append(self._opaque(self._key, value, steps))

    def add_call(self, ident: str, name: str, given: Any, where: JsonPath, inside: JsonPath) -> None:
        text = Held("{}") if given is None else self._at(given, *where, *inside)
        file = path_argument(parsed_arguments(given))
        self.blocks.append(ToolUse(self._key, ident, name, Arguments(text), file, place=self.place(*where)))

    def add_content(self, content: Any, author: Author) -> None:
        if isinstance(content, list):
            for number, part in enumerate(content):
                self.blocks.append(self._part(self._key, part, author, ("content", number)))
        elif isinstance(content, str):
            self.add_text(content, author, "content")
        elif content is not None:
            self.add_opaque(content, "content")

    def parts(self, content: Any, key: str) -> tuple[Part, ...]:
        """The parts of a result."""
        if isinstance(content, str):
            return (self._text(f"{key}/0", content, Author.INJECTED, ("content",), ("content",)),)
        if isinstance(content, list):
            return tuple(
                self._part(f"{key}/{number}", part, Author.INJECTED, ("content", number))
                for number, part in enumerate(content)
            )
        return () if content is None else (self._opaque(f"{key}/0", content, ("content",)),)

    def _part(self, key: str, part: Any, author: Author, steps: JsonPath) -> Part:
        match kind_of(part):
            case "text" if isinstance(part.get("text"), str):
                return self._text(key, part["text"], author, steps, (*steps, "text"))
            case "refusal" if isinstance(part.get("refusal"), str):
                return self._text(key, part["refusal"], author, steps, (*steps, "refusal"))
            case "image_url":
                image = part.get("image_url")
                url = image.get("url") if isinstance(image, dict) else None
                if isinstance(url, str):
                    return self._image(key, url, steps)
        return self._opaque(key, part, steps)

    def _image(self, key: str, url: str, steps: JsonPath) -> Image:
        media = url[5:].partition(";")[0] if url.startswith("data:") else ""
        return Image(key, self._at(url, *steps, "image_url", "url"), media, self.place(*steps))

    def _text(self, key: str, text: str, author: Author, steps: JsonPath, where: JsonPath) -> Text:
        if author is Author.USER:
            author = author_of(text, author)
        return Text(key, self._at(text, *where), author, self.place(*steps))

    def _opaque(self, key: str, value: Any, steps: JsonPath) -> Opaque:
        return Opaque(key, kind_of(value), self._at(value, *steps), self.place(*steps))
