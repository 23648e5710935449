"""Reading blocks from the Gemini API's parts in a record."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Final

from app.formats.contents.names import CALL, answer_of, call_of, is_thought, kind_of, picture_of
from app.formats.markers import author_of, holds_user_words
from app.formats.plain.anthropic_blocks import Contents, as_word, path_argument
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
    Text,
    Thinking,
    ToolResult,
    ToolUse,
)

ANSWER_KEYS: Final = ("output", "error")
"""Members of a function response that hold its text, if it has one."""


class PartReader:
    """Reads blocks of parts in file order: a response is judged by the call read before it.

    Ids are optional in this form. A call without one is named after its function, numbered if that is
    taken; a response without one belongs to the oldest unanswered call of its function.
    """

    def __init__(self, records: Contents) -> None:
        self._records = records
        self._tools: dict[str, str] = {}
        self._waiting: dict[str, deque[str]] = {}

    def blocks(self, record: int, path: JsonPath, parts: Any, key: str, author: Author) -> tuple[Block, ...]:
        """The blocks of the parts (or the string, or the one part) at `path` of a record.

        An image after a function response is part of the result.
        """
        if isinstance(parts, str):
            return (self._text(f"{key}:0", record, path, path, parts, author),)
        if not isinstance(parts, list):
            return () if parts is None else (self._block(f"{key}:0", record, path, parts, author),)
        found: list[Block] = []
        number = 0
        while number < len(parts):
            end = _end_of(parts, number)
            name = f"{key}:{len(found)}"
            if end > number + 1:
                found.append(self.answer(name, record, path, parts, range(number, end)))
            else:
                found.append(self._block(name, record, (*path, number), parts[number], author))
            number = end
        return tuple(found)

    def answer(
        self, key: str, record: int, path: JsonPath, parts: Sequence[Any], numbers: Sequence[int]
    ) -> ToolResult:
        """The result of the function response at the first of `numbers`, and the images after it."""
        first, *pictures = numbers
        behind = [self._medium(f"{key}/{n}", record, (*path, n), parts[n]) for n in pictures]
        return self._result(key, record, (*path, first), answer_of(parts[first]) or {}, behind)

    def call(
        self, key: str, record: int, path: JsonPath, call: Mapping[str, Any], inside: JsonPath
    ) -> ToolUse:
        """The call in the value at `path`, whose name and arguments are at `inside` in it."""
        name = as_word(call.get("name"))
        ident = as_word(call.get("id")) or self._made_id(name)
        self._tools[ident] = name
        arguments = call.get("args")
        given = self._at(record, (*path, *inside, "args"), arguments) if "args" in call else Held("{}")
        return ToolUse(key, ident, name, given, path_argument(arguments), place=self._place(record, path))

    def tool_named(self, ident: str, name: str) -> None:
        """Register a call that is elsewhere, so that its response is judged by the tool's name."""
        self._tools[ident] = name

    def text(self, key: str, record: int, path: JsonPath, text: str, author: Author) -> Text:
        """A bare string at `path`."""
        return self._text(key, record, path, path, text, author)

    def _made_id(self, name: str) -> str:
        ident, number = name, 1
        while ident in self._tools:
            number += 1
            ident = f"{name}#{number}"
        self._waiting.setdefault(name, deque()).append(ident)
        return ident

    def _at(self, record: int, path: JsonPath, value: Any) -> Content:
        return self._records.content(record, path, value)

    def _place(self, record: int, path: JsonPath) -> Place:
        return Place(record, self._records.shared_path(path))

    def _text(
        self, key: str, record: int, path: JsonPath, where: JsonPath, text: str, author: Author
    ) -> Text:
        """A text at `where`, in the part (or string) at `path`."""
        if author is Author.USER:
            author = author_of(text, author)
        return Text(key, self._at(record, where, text), author, self._place(record, path))

    def _block(self, key: str, record: int, path: JsonPath, part: Any, author: Author) -> Block:
        kind = kind_of(part)
        if isinstance(part, str):
            return self._text(key, record, path, path, part, author)
        if kind == "text" and isinstance(text := part.get("text"), str):
            if is_thought(part):
                return self._thinking(key, record, path, part)
            return self._text(key, record, path, (*path, "text"), text, author)
        if (call := call_of(part)) is not None:
            return self.call(key, record, path, call, (CALL,))
        if (answer := answer_of(part)) is not None:
            return self._result(key, record, path, answer, ())
        return self._medium(key, record, path, part)

    def _thinking(self, key: str, record: int, path: JsonPath, part: Mapping[str, Any]) -> Thinking:
        seal = len(as_word(part.get("thoughtSignature")))
        content = self._at(record, (*path, "text"), part["text"])
        return Thinking(key, content, seal, place=self._place(record, path))

    def _medium(self, key: str, record: int, path: JsonPath, part: Any) -> Image | Opaque:
        picture = picture_of(part)
        if picture is not None and isinstance(data := picture.get("data"), str):
            media = as_word(picture.get("mimeType"))
            if media.startswith("image/"):
                content = self._at(record, (*path, "inlineData", "data"), data)
                return Image(key, content, media, self._place(record, path))
        return Opaque(key, kind_of(part), self._at(record, path, part), self._place(record, path))

    def _result(
        self, key: str, record: int, path: JsonPath, answer: Mapping[str, Any], behind: Sequence[Part]
    ) -> ToolResult:
        ident = self._answered(as_word(answer.get("id")), as_word(answer.get("name")))
        where = (*path, "functionResponse", "response")
        response = answer.get("response")
        parts: list[Part] = []
        member = answer_key(response)
        if response is not None:
            text = response if member is None else response[member]
            content = self._at(record, where if member is None else (*where, member), text)
            parts.append(Text(f"{key}/0", content, Author.INJECTED, self._place(record, path)))
        inner = answer.get("parts")
        for number, part in enumerate(inner if isinstance(inner, list) else ()):
            spot = (*path, "functionResponse", "parts", number)
            parts.append(self._medium(f"{key}/p{number}", record, spot, part))
        return ToolResult(
            key,
            ident,
            (*parts, *behind),
            member == "error",
            user_words=holds_user_words(self._tools.get(ident, ""), first_text(response)),
            place=self._place(record, path),
        )

    def _answered(self, ident: str, name: str) -> str:
        if ident:
            return ident
        waiting = self._waiting.get(name)
        return waiting.popleft() if waiting else name


def answer_key(response: Any) -> str | None:
    """The member that holds a function response's whole text; None for a response of another shape."""
    if not isinstance(response, Mapping) or len(response) != 1:
        return None
    return next((key for key in ANSWER_KEYS if isinstance(response.get(key), str)), None)


def first_text(response: Any) -> str:
    """The text of a function response, if it has one."""
    member = answer_key(response)
    return "" if member is None else str(response[member])


def _end_of(parts: Sequence[Any], start: int) -> int:
    """The end index of the part at `start` and, if it is a response, the images that belong to it."""
    end = start + 1
    if answer_of(parts[start]) is not None:
        while end < len(parts) and picture_of(parts[end]) is not None:
            end += 1
    return end
