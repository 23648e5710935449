"""Reading the sent blocks of pi's entries; their texts stay in the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from app.formats.markers import author_of, holds_user_words
from app.formats.pi.rendered import RenderedCommand, command_text
from app.formats.plain.anthropic_blocks import as_word, first_text, kind_of, path_argument
from app.formats.store import RecordStore, stored
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

CONTENT: JsonPath = ("message", "content")


class EntryBlocks:
    """Reads blocks of entries, in file order."""

    def __init__(self, records: RecordStore) -> None:
        self._records = records

    def of_message(self, index: int, key: str, role: str, message: Mapping[str, Any]) -> tuple[Block, ...]:
        """The blocks of a `message` entry."""
        content = message.get("content")
        match role:
            case "user":
                return self.said(index, CONTENT, content, key, Author.USER)
            case "custom":
                return self.said(index, CONTENT, content, key, Author.INJECTED)
            case "assistant":
                return self.said(index, CONTENT, content, key, Author.ASSISTANT)
            case "toolResult":
                return (self.result(index, CONTENT, content, f"{key}:0", message),)
            case "bashExecution":
                text = RenderedCommand(self._records, index, command_text(message))
                return (Text(f"{key}:0", text, Author.INJECTED, self._place(index, ("message",))),)
            case "system":
                return self.prompt(index, ("message",), key, message)
        return ()

    def said(self, index: int, path: JsonPath, content: Any, key: str, author: Author) -> tuple[Block, ...]:
        """The blocks of a content at `path`, without what pi leaves out (blank texts, unknown blocks)."""
        if isinstance(content, str):
            text = self._text(f"{key}:0", index, path, path, content, author)
            return (text,) if content.strip() else ()
        items = enumerate(content if isinstance(content, list) else ())
        found = (self._block(f"{key}:{n}", index, (*path, n), item, author) for n, item in items)
        return tuple([block for block in found if block is not None])

    def result(
        self, index: int, path: JsonPath, content: Any, key: str, message: Mapping[str, Any]
    ) -> ToolResult:
        """A tool result; `path` is the path of its content."""
        return ToolResult(
            key,
            as_word(message.get("toolCallId")),
            tuple(self._parts(key, index, path, content)),
            message.get("isError") is True,
            user_words=holds_user_words(as_word(message.get("toolName")), first_text(content)),
            place=self._place(index, path[:-1]),
        )

    def summary(self, index: int, summary: Any, key: str) -> tuple[Block, ...]:
        """The summary of a compaction or a branch."""
        path: JsonPath = ("summary",)
        content = self._at(index, path, summary) if isinstance(summary, str) else Held("")
        return (Text(f"{key}:0", content, Author.SUMMARY, self._place(index, path)),)

    def prompt(self, index: int, path: JsonPath, key: str, message: Mapping[str, Any]) -> tuple[Block, ...]:
        """The sections of a system prompt, and the tools it declares."""
        blocks: list[Block] = []
        content, sections = message.get("content"), message.get("sections")
        for where, text in _prompt_texts((*path, "content"), content):
            name = f"{key}:{len(blocks)}"
            blocks.append(Text(name, self._at(index, where, text), Author.SYSTEM, self._place(index, where)))
        for name, text in (sections if isinstance(sections, dict) else {}).items():
            if isinstance(text, str) and text:
                where = (*path, "sections", name)
                place = self._place(index, where)
                blocks.append(Text(f"{key}:{name}", self._at(index, where, text), Author.SYSTEM, place))
        if message.get("toolsAdded"):
            where = (*path, "toolsAdded")
            tools = self._at(index, where, message["toolsAdded"])
            blocks.append(Opaque(f"{key}:toolsAdded", "tools", tools, self._place(index, where)))
        return tuple(blocks)

    def _at(self, index: int, path: JsonPath, value: Any) -> Content:
        return stored(self._records, index, path, value)

    def _place(self, index: int, path: JsonPath) -> Place:
        return Place(index, self._records.shared_path(path))

    def _text(self, key: str, index: int, path: JsonPath, where: JsonPath, text: str, author: Author) -> Text:
        """A text at `where`, in the block (or string) at `path`."""
        if author in (Author.USER, Author.INJECTED):
            author = author_of(text, author)
        return Text(key, self._at(index, where, text), author, self._place(index, path))

    def _block(self, key: str, index: int, path: JsonPath, item: Any, author: Author) -> Block | None:
        match kind_of(item):
            case "text" if isinstance(text := item.get("text"), str):
                found = self._text(key, index, path, (*path, "text"), text, author)
                return found if text.strip() else None
            case "image":
                return self._image(key, index, path, item)
            case "thinking" if author is Author.ASSISTANT:
                return self._thinking(key, index, path, item)
            case "toolCall" if author is Author.ASSISTANT:
                return self._call(key, index, path, item)
        return None

    def _call(self, key: str, index: int, path: JsonPath, item: Mapping[str, Any]) -> ToolUse:
        arguments = item.get("arguments")
        given = Held("{}") if arguments is None else self._at(index, (*path, "arguments"), arguments)
        ident, name = as_word(item.get("id")), as_word(item.get("name"))
        return ToolUse(key, ident, name, given, path_argument(arguments), place=self._place(index, path))

    def _thinking(self, key: str, index: int, path: JsonPath, item: Mapping[str, Any]) -> Thinking | None:
        text, seal = as_word(item.get("thinking")), as_word(item.get("thinkingSignature"))
        if not seal.strip() and not text.strip():
            return None
        redacted = item.get("redacted") is True
        words = not redacted and isinstance(item.get("thinking"), str)
        content: Content = self._at(index, (*path, "thinking"), text) if words else Held("")
        return Thinking(key, content, len(seal), redacted, self._place(index, path))

    def _parts(self, key: str, index: int, path: JsonPath, content: Any) -> Iterator[Part]:
        if isinstance(content, str):
            yield Text(f"{key}/0", self._at(index, path, content), Author.INJECTED, self._place(index, path))
            return
        for number, item in enumerate(content if isinstance(content, list) else ()):
            name, where = f"{key}/{number}", (*path, number)
            kind = kind_of(item)
            if kind == "text" and isinstance(text := item.get("text"), str):
                inside = self._at(index, (*where, "text"), text)
                yield Text(name, inside, Author.INJECTED, self._place(index, where))
            elif kind == "image" and (image := self._image(name, index, where, item)) is not None:
                yield image

    def _image(self, key: str, index: int, path: JsonPath, item: Mapping[str, Any]) -> Image | None:
        data = item.get("data")
        if not isinstance(data, str):
            return None
        inside = self._at(index, (*path, "data"), data)
        return Image(key, inside, as_word(item.get("mimeType")), self._place(index, path))


def _prompt_texts(path: JsonPath, content: Any) -> Iterator[tuple[JsonPath, str]]:
    if isinstance(content, str) and content:
        yield path, content
    for number, item in enumerate(content if isinstance(content, list) else ()):
        if kind_of(item) == "text" and isinstance(item.get("text"), str) and item["text"]:
            yield (*path, number, "text"), item["text"]
