"""One message of a Gemini CLI session: the newest record with its id, read into blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from app.formats.contents.names import answer_of, call_of, is_thought, kind_of
from app.formats.contents.parts import PartReader
from app.formats.gemini.names import (
    CALLS,
    EDITOR,
    FILES_BEGIN,
    FILES_END,
    GEMINI,
    IGNORED,
    RESULT,
    SNAPSHOTS,
    USER,
)
from app.formats.plain.anthropic_blocks import Contents, as_word
from app.formats.times import seconds
from app.model import (
    Author,
    Block,
    Boundary,
    Image,
    JsonPath,
    Opaque,
    Part,
    Place,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
    Usage,
)


class Entry(Struct, eq=False):
    """The part of a message that is kept in memory."""

    key: str
    ident: str
    kind: str = ""
    """The record's type."""
    record: int = 0
    path: JsonPath = ()
    """Path of the message inside its record: `()`, or an item of a list of messages."""
    time: float | None = None
    model: str | None = None
    usage: Usage | None = None
    said: tuple[Block, ...] = ()
    """The text of the person or the model, and the calls."""
    answers: tuple[ToolResult, ...] = ()
    """The results of the calls, if the message holds them itself."""
    thoughts: tuple[Thinking, ...] = ()
    """Never sent."""
    ignored: bool = False
    """Text by or for the client, which is not sent when the session is resumed."""
    boundary: Boundary | None = None
    """The compression whose summary it is, or a marker of ours."""
    listed: frozenset[str] = frozenset()
    """Ids of the calls that it lists outside its content."""
    copies: frozenset[str] = frozenset()
    """Keys of results in `said` that repeat those of an earlier message: the client writes both."""

    @property
    def sent(self) -> bool:
        """Whether any of it is sent when the session is resumed."""
        return self.kind in (USER, GEMINI) and not self.ignored

    @property
    def words(self) -> tuple[Block, ...]:
        """Its blocks without copies."""
        if not self.copies:
            return self.said
        return tuple(block for block in self.said if block.key not in self.copies)

    @property
    def results_key(self) -> str:
        """The key of the message that its results form."""
        return f"{self.key}/results"


class EntryReader:
    """Reads messages into entries, in file order."""

    def __init__(self, records: Contents) -> None:
        self._records = records
        self._parts = PartReader(records)

    def fill(self, entry: Entry, record: int, path: JsonPath, value: Mapping[str, Any]) -> None:
        """Fill an entry from the message at `path` of a record."""
        entry.kind = as_word(value.get("type"))
        entry.record, entry.path = record, path
        entry.time = seconds(value.get("timestamp"))
        entry.said, entry.answers, entry.thoughts = (), (), ()
        entry.ignored, entry.listed = False, frozenset()
        if entry.kind == GEMINI:
            entry.model = as_word(value.get("model")) or None
            entry.usage = usage_of(value.get("tokens"))
            self._fill_model(entry, value)
            return
        author = Author.USER if entry.kind == USER else Author.INJECTED
        content = value.get("content")
        blocks = self._parts.blocks(record, (*path, "content"), content, entry.key, author)
        text = as_text(content).strip()
        entry.ignored = entry.kind == USER and (not text or text.startswith(IGNORED))
        entry.said = tuple(_by_client(blocks, whole=entry.ignored))

    def _fill_model(self, entry: Entry, value: Mapping[str, Any]) -> None:
        record, path, key = entry.record, entry.path, entry.key
        content = value.get("content")
        parts = content if isinstance(content, list) else [content] if isinstance(content, dict) else []
        for part in parts:
            if (call := call_of(part)) is not None:
                self._parts.tool_named(as_word(call.get("id")), as_word(call.get("name")))
        blocks = self._parts.blocks(record, (*path, "content"), content, key, Author.ASSISTANT)
        said = [b for b in blocks if not _is_blank(b) and not isinstance(b, Thinking | ToolResult)]
        calls = list(self._calls(entry, value))
        if not any(call_of(part) is not None for part in parts):
            said += calls
        entry.said = tuple(said)
        entry.thoughts = tuple(b for b in blocks if isinstance(b, Thinking)) or tuple(
            self._thoughts(entry, value)
        )
        entry.listed = frozenset(as_word(call.get("id")) for _, call in calls_of(value))
        known = {block.id for block in said if isinstance(block, ToolUse)}
        entry.answers = tuple(a for a in self._answers(entry, value) if a.tool_use_id in known)

    def _calls(self, entry: Entry, value: Mapping[str, Any]) -> Iterator[ToolUse]:
        for number, call in calls_of(value):
            spot = (*entry.path, CALLS, number)
            yield self._parts.call(f"{entry.key}:call{number}", entry.record, spot, call, ())

    def _thoughts(self, entry: Entry, value: Mapping[str, Any]) -> Iterator[Thinking]:
        thoughts = value.get("thoughts")
        for number, thought in enumerate(thoughts if isinstance(thoughts, list) else ()):
            text = thought.get("description") if isinstance(thought, dict) else None
            if isinstance(text, str):
                spot = (*entry.path, "thoughts", number)
                content = self._records.content(entry.record, (*spot, "description"), text)
                place = Place(entry.record, self._records.shared_path(spot))
                yield Thinking(f"{entry.key}/thoughts:{number}", content, place=place)

    def _answers(self, entry: Entry, value: Mapping[str, Any]) -> Iterator[ToolResult]:
        for number, call in calls_of(value):
            key = f"{entry.results_key}:{number}"
            answer = self._answer(key, entry.record, (*entry.path, CALLS, number, RESULT), call)
            if answer is not None:
                failed = answer.is_error or call.get("status") == "error"
                yield replace(answer, tool_use_id=as_word(call.get("id")), is_error=failed)

    def _answer(self, key: str, record: int, path: JsonPath, call: Mapping[str, Any]) -> ToolResult | None:
        result, ident = call.get(RESULT), as_word(call.get("id"))
        own = own_numbers(result, ident)
        if own and isinstance(result, list):
            return self._parts.answer(key, record, path, result, own)
        if not result or not isinstance(result, str | list) or any(map(answer_of, result)):
            return None
        place = Place(record, self._records.shared_path(path))
        blocks = self._parts.blocks(record, path, result, f"{key}/r", Author.INJECTED)
        parts: tuple[Part, ...] = tuple(b for b in blocks if isinstance(b, Text | Image | Opaque))
        return ToolResult(key, ident, parts, place=place)


def calls_of(value: Mapping[str, Any]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The valid calls that a model's message lists outside its content, with their indexes."""
    calls = value.get(CALLS)
    for number, call in enumerate(calls if isinstance(calls, list) else ()):
        if isinstance(call, dict) and as_word(call.get("id")) and as_word(call.get("name")):
            yield number, call


def own_numbers(result: Any, ident: str) -> list[int]:
    """Indexes of a result's parts that answer this call; the client may list those of its whole batch."""
    if not isinstance(result, list):
        return []
    answers = [number for number, part in enumerate(result) if answer_of(part) is not None]
    own = [number for number in answers if (answer_of(result[number]) or {}).get("id") == ident]
    if not own and len(answers) == 1 and not (answer_of(result[answers[0]]) or {}).get("id"):
        own = answers
    if not own:
        return []
    end = own[0] + 1
    while end < len(result) and answer_of(result[end]) is None and kind_of(result[end]) == "inlineData":
        end += 1
    return list(range(own[0], end))


def as_text(content: Any) -> str:
    """A content as the text by which the client decides who wrote it."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(map(as_text, content))
    if not isinstance(content, dict):
        return ""
    kind = kind_of(content)
    if is_thought(content) or kind not in ("text", ""):
        return f"[{kind}]"
    return as_word(content.get("text"))


def usage_of(tokens: Any) -> Usage | None:
    """The usage that a message reports for its call; None if it holds no count."""
    if not isinstance(tokens, Mapping):
        return None
    sent, said, cached, thought = (
        value if isinstance(value := tokens.get(name), int) and 0 <= value < 10**15 else 0
        for name in ("input", "output", "cached", "thoughts")
    )
    return Usage(max(0, sent - cached), said + thought, min(cached, sent)) if sent or said else None


def _by_client(blocks: Iterable[Block], *, whole: bool) -> Iterator[Block]:
    """The blocks of a prompt with their authors: the client adds files and the editor's state."""
    within = False
    for block in blocks:
        if not isinstance(block, Text) or block.author is not Author.USER:
            yield block
            continue
        preview = block.content.preview
        within = within or preview == FILES_BEGIN
        if whole or within or preview.startswith(EDITOR):
            block = replace(block, author=Author.INJECTED)
        elif preview.lstrip().startswith(SNAPSHOTS):
            block = replace(block, author=Author.SUMMARY)
        within = within and preview != FILES_END
        yield block


def _is_blank(block: Block) -> bool:
    return isinstance(block, Text) and block.content.chars == 0


def is_said(blocks: Sequence[Block], text: str) -> bool:
    """Whether `text` is all that a message says."""
    only = blocks[0] if len(blocks) == 1 else None
    return isinstance(only, Text) and only.content.chars == len(text) and only.content.read() == text
