"""Blocks of Anthropic's content: reading them from a record, and writing them in the provider's form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from sys import intern
from typing import Any, Final, Protocol

from app.formats.markers import author_of, holds_user_words
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

PATH_ARGUMENTS: Final = ("file_path", "path", "notebook_path", "filePath", "absolute_path", "target_file")
"""Arguments of a call that name the file it works on."""

SERVER_CALLS: Final = frozenset({"server_tool_use", "mcp_tool_use"})


def path_argument(arguments: Any) -> str | None:
    """The file that a call works on, if its arguments name one."""
    if not isinstance(arguments, dict):
        return None
    return next((arguments[name] for name in PATH_ARGUMENTS if isinstance(arguments.get(name), str)), None)


class Contents(Protocol):
    """Records that hold texts."""

    def content(self, record: int, path: JsonPath, value: Any) -> Content:
        """The content at `path` of a record; `value` is the value there, from which it is measured."""

    def shared_path(self, path: JsonPath) -> JsonPath:
        """An equal path object that all contents share."""


class BlockReader:
    """Reads blocks of content in file order: a result is judged by the call read before it."""

    def __init__(self, store: Contents) -> None:
        self._store = store
        self._tools: dict[str, str] = {}

    def blocks(
        self, record: int, path: JsonPath, content: Any, key: str, author: Author
    ) -> tuple[Block, ...]:
        """The blocks of the content at `path` of a record: one for each item or a string, none for null."""
        if isinstance(content, str):
            return (self._text(f"{key}:0", record, path, path, content, author),)
        if not isinstance(content, list):
            return () if content is None else (self._opaque(f"{key}:0", record, path, content),)
        return tuple(
            [
                self._block(f"{key}:{number}", record, (*path, number), item, author)
                for number, item in enumerate(content)
            ]
        )

    def _at(self, record: int, path: JsonPath, value: Any) -> Content:
        return self._store.content(record, path, value)

    def _place(self, record: int, path: JsonPath) -> Place:
        return Place(record, self._store.shared_path(path))

    def _text(
        self, key: str, record: int, path: JsonPath, where: JsonPath, text: str, author: Author
    ) -> Text:
        """A text at `where`, in the block (or string) at `path`."""
        if author is Author.USER:
            author = author_of(text, author)
        return Text(key, self._at(record, where, text), author, self._place(record, path))

    def _opaque(self, key: str, record: int, path: JsonPath, value: Any) -> Opaque:
        return Opaque(key, kind_of(value), self._at(record, path, value), self._place(record, path))

    def _block(self, key: str, record: int, path: JsonPath, item: Any, author: Author) -> Block:
        kind = kind_of(item)
        match kind:
            case "text" if isinstance(text := item.get("text"), str):
                return self._text(key, record, path, (*path, "text"), text, author)
            case "thinking" if isinstance(text := item.get("thinking"), str):
                seal = _length(item.get("signature"))
                content = self._at(record, (*path, "thinking"), text)
                return Thinking(key, content, seal, place=self._place(record, path))
            case "redacted_thinking":
                seal = _length(item.get("data"))
                return Thinking(key, Held(""), seal, redacted=True, place=self._place(record, path))
            case "image":
                return self._image(key, record, path, item)
            case "tool_use" | "server_tool_use" | "mcp_tool_use":
                return self._call(key, record, path, item)
            case _ if kind.endswith("tool_result"):
                return self._result(key, record, path, item)
        return self._opaque(key, record, path, item)

    def _call(self, key: str, record: int, path: JsonPath, item: Mapping[str, Any]) -> ToolUse:
        ident, name = intern(as_word(item.get("id"))), intern(as_word(item.get("name")))
        self._tools[ident] = name
        arguments = item.get("input")
        return ToolUse(
            key,
            ident,
            name,
            self._at(record, (*path, "input"), arguments) if "input" in item else Held("{}"),
            path_argument(arguments),
            kind_of(item) in SERVER_CALLS,
            self._place(record, path),
        )

    def _result(self, key: str, record: int, path: JsonPath, item: Mapping[str, Any]) -> ToolResult:
        ident = intern(as_word(item.get("tool_use_id")))
        content = item.get("content")
        parts = self.parts(key, record, (*path, "content"), content)
        return ToolResult(
            key,
            ident,
            parts,
            item.get("is_error") is True,
            kind_of(item) != "tool_result",
            user_words=holds_user_words(self._tools.get(ident, ""), first_text(content)),
            place=self._place(record, path),
        )

    def parts(self, key: str, record: int, path: JsonPath, content: Any) -> tuple[Part, ...]:
        """The parts of a result whose content is at `path`."""
        if isinstance(content, str):
            return (self._text(f"{key}/0", record, path, path, content, Author.INJECTED),)
        if isinstance(content, list):
            return tuple(
                self._part(f"{key}/{number}", record, (*path, number), item)
                for number, item in enumerate(content)
            )
        return () if content is None else (self._opaque(f"{key}/0", record, path, content),)

    def _part(self, key: str, record: int, path: JsonPath, item: Any) -> Part:
        kind = kind_of(item)
        if kind == "text" and isinstance(item.get("text"), str):
            return self._text(key, record, path, (*path, "text"), item["text"], Author.INJECTED)
        return (
            self._image(key, record, path, item) if kind == "image" else self._opaque(key, record, path, item)
        )

    def _image(self, key: str, record: int, path: JsonPath, item: Mapping[str, Any]) -> Image | Opaque:
        source = item.get("source")
        place = self._place(record, path)
        if isinstance(source, dict):
            if isinstance(data := source.get("data"), str):
                content = self._at(record, (*path, "source", "data"), data)
                return Image(key, content, as_word(source.get("media_type")), place)
            if isinstance(url := source.get("url"), str):
                return Image(key, self._at(record, (*path, "source", "url"), url), place=place)
        return self._opaque(key, record, path, item)


def kind_of(item: Any) -> str:
    """A block's type; empty if it has none."""
    return as_word(item.get("type")) if isinstance(item, dict) else ""


def as_word(value: Any) -> str:
    """A string as it is; empty for anything else."""
    return value if isinstance(value, str) else ""


def first_text(content: Any) -> str:
    """The text that a result's content begins with."""
    if isinstance(content, list):
        texts = (part.get("text") for part in content if isinstance(part, dict))
        return next((text for text in texts if isinstance(text, str)), "")
    return as_word(content)


def _length(value: Any) -> int:
    return len(value) if isinstance(value, str) else 0


def form_of(block: Block) -> dict[str, Any] | None:
    """A block in the provider's form; None for what cannot be made: thinking, whose signature is lost."""
    match block:
        case Text():
            return {"type": "text", "text": block.content.read()}
        case ToolUse():
            kind = "server_tool_use" if block.server else "tool_use"
            return {"type": kind, "id": block.id, "name": block.name, "input": as_object(block.input)}
        case ToolResult():
            form = {
                "type": "tool_result",
                "tool_use_id": block.tool_use_id,
                "content": _parts_form(block.parts),
            }
            return {**form, "is_error": True} if block.is_error else form
        case Image():
            return {"type": "image", "source": _source_form(block)}
        case Opaque():
            value = block.content.value()
            return value if isinstance(value, dict) else {"type": "text", "text": block.content.read()}
        case Thinking():
            return None


def _source_form(image: Image) -> dict[str, Any]:
    if not image.media_type:
        return {"type": "url", "url": image.data.read()}
    return {"type": "base64", "media_type": image.media_type, "data": image.data.read()}


def _parts_form(parts: Sequence[Part]) -> str | list[dict[str, Any]]:
    if len(parts) == 1 and isinstance(parts[0], Text):
        return parts[0].content.read()
    return [form for part in parts if (form := form_of(part)) is not None] or ""


def as_object(content: Content) -> dict[str, Any]:
    """A call's input as an object, which the provider requires."""
    try:
        value = content.value()
    except (ValueError, RecursionError):
        value = content.read()
    if isinstance(value, dict):
        return value
    return {"value": value} if value else {}


def revised_content(content: Any, old: Sequence[Block], new: Sequence[Block]) -> Any:
    """A message's content with the blocks `new` instead of `old`; unchanged items are the same objects."""
    only = new[0] if len(new) == 1 else None
    if isinstance(content, str) and isinstance(only, Text):
        return content if only in old else only.content.read()
    items = content if isinstance(content, list) else [content]
    return [form for form in _revised_items(items, old, new) if form is not None]


def _revised_items(items: Sequence[Any], old: Sequence[Block], new: Sequence[Block]) -> list[Any]:
    places = {block.key: number for number, block in enumerate(old)}
    forms: list[Any] = []
    for block in new:
        number = places.get(block.key)
        if number is None or isinstance(items[number], str):
            forms.append(form_of(block))
        elif block is old[number] or block == old[number]:
            forms.append(items[number])
        else:
            forms.append(revised(items[number], old[number], block))
    return forms


def revised(item: Any, old: Block, new: Block) -> Any:
    """A block's value with the content of `new`; thinking is never changed."""
    match old, new:
        case Thinking(), Thinking():
            return item
        case Text(), Text():
            return {**item, "text": new.content.read()}
        case ToolUse(), ToolUse():
            return {**item, "id": new.id, "name": new.name, "input": as_object(new.input)}
        case ToolResult(), ToolResult():
            return _revised_result(item, old, new)
    return form_of(new)


def _revised_result(item: dict[str, Any], old: ToolResult, new: ToolResult) -> dict[str, Any]:
    form = {**item, "tool_use_id": new.tool_use_id}
    if new.parts != old.parts:
        form["content"] = _revised_parts(item.get("content"), old.parts, new.parts)
    if new.is_error != old.is_error:
        form["is_error"] = new.is_error
    return form


def _revised_parts(content: Any, old: Sequence[Part], new: Sequence[Part]) -> Any:
    only = new[0] if len(new) == 1 else None
    if isinstance(only, Text) and (isinstance(content, str) or only.key not in {part.key for part in old}):
        return only.content.read()
    items = content if isinstance(content, list) else [content]
    return [form for form in _revised_items(items, old, new) if form is not None] or ""
