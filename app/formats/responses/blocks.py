"""Reading the blocks of an item; their texts stay in the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from sys import intern
from typing import Any, Final, NamedTuple

from app.formats.markers import author_of, holds_user_words
from app.formats.plain.chat_blocks import Arguments, parsed_arguments
from app.formats.responses.authors import authors_of
from app.formats.responses.names import ANSWERED_BY, OUTPUTS, SEALED, is_by_provider, kind_of
from app.formats.store import RecordStore, Stored, stored
from app.model import (
    PREVIEW_CHARS,
    Author,
    Block,
    Content,
    Held,
    Image,
    JsonPath,
    Opaque,
    Part,
    Place,
    Role,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
)

_TEXT_KEYS: Final = {"refusal": "refusal"}
"""Part types whose text is not under `text`."""
_GIVEN: Final = {
    "function_call": "arguments",
    "tool_search_call": "arguments",
    "custom_tool_call": "input",
    "local_shell_call": "action",
    "computer_call": "action",
    "shell_call": "action",
    "apply_patch_call": "operation",
}
"""Call type -> member that holds its input."""
_PATHS: Final = ("file_path", "path", "filePath", "target_file")


def role_of(item: Mapping[str, Any]) -> Role:
    """Who an item is from, as the model sees it."""
    kind = kind_of(item)
    if kind == "message":
        role = item.get("role")
        if role in ("developer", "system"):
            return Role.SYSTEM
        return Role.ASSISTANT if role == "assistant" else Role.USER
    if kind in OUTPUTS:
        return Role.TOOL
    return Role.USER if kind in SEALED or kind == "agent_message" else Role.ASSISTANT


def given_of(kind: str) -> str:
    """The member that holds the input of a call of this type."""
    return _GIVEN[kind]


def answer_of(kind: str) -> str:
    """The member that holds the result in an output of this type."""
    return "tools" if kind == "tool_search_output" else "output"


class JoinedTexts:
    """Several texts of one item that are read as one."""

    __slots__ = ("_parts", "chars", "preview", "size")

    def __init__(self, parts: tuple[Stored, ...]) -> None:
        self._parts = parts
        gaps = 2 * max(0, len(parts) - 1)
        self.chars = sum(part.chars for part in parts) + gaps
        self.size = sum(part.size for part in parts) + gaps
        self.preview = "\n\n".join(part.preview for part in parts)[:PREVIEW_CHARS]

    def read(self) -> str:
        """The texts joined by empty lines."""
        return "\n\n".join(part.read() for part in self._parts)

    def value(self) -> Any:
        """The same."""
        return self.read()


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
        """The content for `value`, which is at the relative path `steps`."""
        return stored(self.store, self.record, (*self.path, *steps), value)

    def inside(self, key: str, *steps: str | int) -> _Spot:
        """A value inside this one."""
        return _Spot(self.store, self.record, self.store.shared_path((*self.path, *steps)), key)


class ItemReader:
    """Reads blocks of items in file order: an output is judged by the call read before it."""

    def __init__(self, store: RecordStore) -> None:
        self._store = store
        self._tools: dict[str, str] = {}

    def blocks(self, record: int, path: JsonPath, key: str, item: Mapping[str, Any]) -> tuple[Block, ...]:
        """The blocks of the item at `path` of a record; at least one, so that every item has a key."""
        spot = _Spot(self._store, record, self._store.shared_path(path), f"{key}:0")
        kind = kind_of(item)
        if kind in ("message", "agent_message"):
            found = tuple(self._message(spot, key, item, kind))
            return found or (_opaque(spot, kind, item),)
        if kind in ANSWERED_BY:
            return (self._call(spot, kind, item),)
        if kind in OUTPUTS:
            return (self._output(spot, kind, item),)
        return (_other(spot, kind, item),)

    def _message(self, spot: _Spot, key: str, item: Mapping[str, Any], kind: str) -> Iterator[Part]:
        content = item.get("content")
        role = item.get("role") if kind == "message" else None
        if isinstance(content, str):
            yield self._text(spot.inside(spot.key, "content"), content, _author(role, item, 0, {0: content}))
        elif isinstance(content, list):
            texts = {
                number: text for number, part in enumerate(content) if (text := text_in(part)) is not None
            }
            for number, part in enumerate(content):
                inner = spot.inside(f"{key}:{number}", "content", number)
                yield _part(inner, part, _author(role, item, number, texts))

    @staticmethod
    def _text(spot: _Spot, text: str, author: Author) -> Text:
        return Text(spot.key, spot.content(text), author, spot.place)

    def _call(self, spot: _Spot, kind: str, item: Mapping[str, Any]) -> ToolUse:
        ident, name = _call_id(item), _name(kind, item)
        self._tools[ident] = name
        member = _GIVEN[kind]
        given = item.get(member)
        content: Content = Held("{}") if given is None else spot.content(given, member)
        file = None
        if kind == "function_call":
            content = Arguments(content)
            arguments = parsed_arguments(given)
            file = next((arguments[n] for n in _PATHS if isinstance(arguments.get(n), str)), None)
        return ToolUse(spot.key, ident, name, content, file, is_by_provider(item), spot.place)

    def _output(self, spot: _Spot, kind: str, item: Mapping[str, Any]) -> ToolResult:
        ident, member = _call_id(item), answer_of(kind)
        content = item.get(member)
        failed = isinstance(content, dict) and content.get("success") is False
        parts = tuple(_parts(spot, member, content))
        tool = self._tools.get(ident, "")
        return ToolResult(
            key=spot.key,
            tool_use_id=ident,
            parts=parts,
            is_error=failed,
            server=is_by_provider(item),
            user_words=any(holds_user_words(tool, text) for text in _texts(content)),
            place=spot.place,
        )


def text_in(part: Any) -> str | None:
    """The text of a part of a message or an output; None for one of another kind."""
    if not isinstance(part, dict):
        return None
    text = part.get(_TEXT_KEYS.get(str(part.get("type")), "text"))
    return text if isinstance(text, str) else None


def text_key(part: Mapping[str, Any]) -> str:
    """The member that holds a part's text."""
    return _TEXT_KEYS.get(str(part.get("type")), "text")


def _author(role: Any, item: Mapping[str, Any], number: int, texts: Mapping[int, str]) -> Author:
    if role == "assistant":
        return Author.ASSISTANT
    text = texts.get(number, "")
    if role == "user":
        return authors_of(item, {number: text})[number]
    return Author.MARKER if author_of(text, Author.INJECTED) is Author.MARKER else Author.INJECTED


def _part(spot: _Spot, part: Any, author: Author) -> Part:
    text = text_in(part)
    if text is not None:
        return Text(spot.key, spot.content(text, text_key(part)), author, spot.place)
    url = part.get("image_url") if isinstance(part, dict) else None
    if isinstance(url, str):
        media = url[5:].partition(";")[0] if url.startswith("data:") else ""
        return Image(spot.key, spot.content(url, "image_url"), media, spot.place)
    return _opaque(spot, kind_of(part), part)


def _parts(spot: _Spot, member: str, content: Any) -> Iterator[Part]:
    """The parts of an output: a string is one text, an absent one is none."""
    if isinstance(content, str):
        inner = spot.inside(f"{spot.key}/0", member)
        yield Text(inner.key, inner.content(content), Author.INJECTED, inner.place)
    elif isinstance(content, dict) and isinstance(content.get("content"), str):
        inner = spot.inside(f"{spot.key}/0", member, "content")
        yield Text(inner.key, inner.content(content["content"]), Author.INJECTED, inner.place)
    elif isinstance(content, list) and member == "output":
        for number, part in enumerate(content):
            yield _part(spot.inside(f"{spot.key}/{number}", member, number), part, Author.INJECTED)
    elif content is not None:
        yield _opaque(spot.inside(f"{spot.key}/0", member), "", content)


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        yield from (text for part in content if (text := text_in(part)) is not None)


def _other(spot: _Spot, kind: str, item: Mapping[str, Any]) -> Block:
    """The block of any other item: reasoning, encrypted summaries, images, the provider's own tools."""
    seal = item.get("encrypted_content")
    length = len(seal) if isinstance(seal, str) else 0
    if kind == "reasoning":
        return Thinking(spot.key, _shown(spot, item), length, place=spot.place)
    if kind in SEALED and length:
        words = f"[Sealed summary of {length:,} characters, which only the provider can read]"
        return Text(spot.key, Held(words), Author.SUMMARY, spot.place)
    if kind == "image_generation_call" and isinstance(item.get("result"), str):
        return Image(spot.key, spot.content(item["result"], "result"), "image/png", spot.place)
    return _opaque(spot, kind, item)


def _shown(spot: _Spot, item: Mapping[str, Any]) -> Content:
    """The visible part of a reasoning item: its summary, and for open models the text itself."""
    found = [
        spot.content(text, member, number, text_key(part))
        for member in ("summary", "content")
        for number, part in enumerate(_list(item.get(member)))
        if (text := text_in(part)) is not None
    ]
    return found[0] if len(found) == 1 else JoinedTexts(tuple(found))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _opaque(spot: _Spot, kind: str, value: Any) -> Opaque:
    return Opaque(spot.key, kind, spot.content(value), spot.place)


def _call_id(item: Mapping[str, Any]) -> str:
    ident = item.get("call_id")
    return intern(ident) if isinstance(ident, str) else ""


def _name(kind: str, item: Mapping[str, Any]) -> str:
    name, space = item.get("name"), item.get("namespace")
    if not isinstance(name, str):
        return kind.removesuffix("_call") if kind not in ("function_call", "custom_tool_call") else ""
    if not isinstance(space, str) or not space:
        return name
    return f"{space}{name}" if space.endswith("__") else f"{space}.{name}"
