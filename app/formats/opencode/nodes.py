"""One message of an opencode session, with its parts read into blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from app.formats.markers import author_of, holds_user_words
from app.formats.opencode.names import ASKED, CLEARED, INFO, INTERRUPTED, NOT_SENT_FILES, PARTS, RAN
from app.formats.plain.anthropic_blocks import Contents, as_word, path_argument
from app.model import (
    Author,
    Block,
    Boundary,
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
    Usage,
)


class Step(Struct, frozen=True):
    """One call of the model: its reply, and the results of its tools."""

    said: tuple[Block, ...]
    results: tuple[ToolResult, ...] = ()


class Node(Struct, eq=False):
    """The part of a message that is kept in memory."""

    record: int
    ident: str
    key: str
    role: Role
    created: int
    """Milliseconds since 1970; messages are ordered by this, then by id."""
    parent: str = ""
    summary: bool = False
    """A finished summary of what came before its parent."""
    tail: str = ""
    """For a compaction: id of the first message from before that is kept."""
    compacts: bool = False
    """A message that represents a compaction."""
    auto: bool = False
    failed: bool = False
    """The provider refused; the client sends none of it."""
    model: str | None = None
    usage: Usage | None = None
    steps: tuple[Step, ...] = ()
    unsent: tuple[Block, ...] = ()
    """Blocks that the client keeps but does not send."""
    boundary: Boundary | None = None
    """The compaction that it starts, or a marker of ours."""

    @property
    def order(self) -> tuple[int, str]:
        """The client's sort key of messages."""
        return self.created, self.ident

    @property
    def blocks(self) -> Iterator[Block]:
        """All its blocks that can be sent."""
        for step in self.steps:
            yield from step.said
            yield from step.results

    def step_key(self, number: int) -> str:
        """The key of the message for a step; the first has the node's own key."""
        return self.key if number == 0 else f"{self.key}/{number}"


class NodeReader:
    """Reads nodes from records in file order: a result is judged by the call it is stored with."""

    def __init__(self, records: Contents) -> None:
        self._records = records

    def node(self, record: int, key: str, value: Mapping[str, Any]) -> Node | None:
        """The message in a record, with its id as key if usable; None if the record is not a message.

        A message without an id is not one: the client refuses it.
        """
        info, parts = value.get(INFO), value.get(PARTS)
        role = _ROLES.get(as_word(info.get("role"))) if isinstance(info, dict) else None
        if role is None or not isinstance(info, dict) or not isinstance(parts, list):
            return None
        ident = as_word(info.get("id"))
        if not ident:
            return None
        key = ident if ident[0] != "@" and len(ident) <= _LONGEST_KEY else key
        node = Node(record, ident, key, role, _created(info))
        node.parent = as_word(info.get("parentID"))
        if role is Role.ASSISTANT:
            node.model = as_word(info.get("modelID")) or None
            node.usage = usage_of(info.get("tokens"))
            node.failed = _is_failed(info, parts)
            finished = bool(info.get("finish")) and not info.get("error")
            node.summary = info.get("summary") is True and finished
            node.steps = tuple(self._steps(node, parts))
        else:
            self._take_compaction(node, parts)
            node.steps = (Step(tuple(self._prompt(node, parts))),)
        node.unsent = tuple(self._unsent(node, parts))
        return node

    def _take_compaction(self, node: Node, parts: list[Any]) -> None:
        for part in parts:
            if kind_of(part) == "compaction":
                node.compacts, node.auto = True, part.get("auto") is True
                node.tail = as_word(part.get("tail_start_id"))

    def _prompt(self, node: Node, parts: list[Any]) -> Iterator[Block]:
        for number, part in in_order(parts):
            key, path = f"{node.key}:{number}", (PARTS, number)
            match kind_of(part):
                case "text" if isinstance(text := part.get("text"), str):
                    if text and part.get("ignored") is not True:
                        typed = Author.INJECTED if part.get("synthetic") is True else Author.USER
                        yield self._text(node, key, path, "text", text, author_of(text, typed))
                case "file" if as_word(part.get("mime")) not in NOT_SENT_FILES:
                    yield self._file(node, key, path, part)
                case "compaction":
                    yield Text(key, Held(ASKED), Author.INJECTED, self._place(node, path))
                case "subtask":
                    yield Text(key, Held(RAN), Author.INJECTED, self._place(node, path))

    def _unsent(self, node: Node, parts: list[Any]) -> Iterator[Block]:
        for number, part in in_order(parts):
            key, path = f"{node.key}/unsent:{number}", (PARTS, number)
            if kind_of(part) == "text" and part.get("ignored") is True and isinstance(part.get("text"), str):
                yield self._text(node, key, path, "text", part["text"], Author.INJECTED)

    def _steps(self, node: Node, parts: list[Any]) -> Iterator[Step]:
        said: list[Block] = []
        results: list[ToolResult] = []
        author = Author.SUMMARY if node.summary else Author.ASSISTANT
        for number, part in in_order(parts):
            key, path = f"{node.key}:{number}", (PARTS, number)
            match kind_of(part):
                case "step-start" if said:
                    yield Step(tuple(said), tuple(results))
                    said, results = [], []
                case "text" if isinstance(text := part.get("text"), str) and text:
                    said.append(self._text(node, key, path, "text", text, author))
                case "reasoning" if isinstance(text := part.get("text"), str):
                    said.append(self._thinking(node, key, path, part))
                case "tool":
                    call, result = self._tool(node, key, path, part)
                    said.append(call)
                    results.append(result)
        if said:
            yield Step(tuple(said), tuple(results))

    def _thinking(self, node: Node, key: str, path: JsonPath, part: Mapping[str, Any]) -> Thinking:
        sealed = seal_of(part)
        content = self._at(node, (*path, "text"), part["text"])
        return Thinking(key, content, len(sealed or ""), place=self._place(node, path))

    def _tool(
        self, node: Node, key: str, path: JsonPath, part: Mapping[str, Any]
    ) -> tuple[ToolUse, ToolResult]:
        state = state_of(part)
        ident, name = as_word(part.get("callID")), as_word(part.get("tool"))
        given = state.get("input")
        arguments = self._at(node, (*path, "state", "input"), given) if "input" in state else Held("{}")
        place = self._place(node, path)
        call = ToolUse(key, ident, name, arguments, path_argument(given), place=place)
        parts, failed = self._answer(node, key, path, state)
        told = parts[0].content.preview if parts and isinstance(parts[0], Text) else ""
        said = holds_user_words(name, told)
        return call, ToolResult(f"{key}/r", ident, parts, failed, user_words=said, place=place)

    def _answer(
        self, node: Node, key: str, path: JsonPath, state: Mapping[str, Any]
    ) -> tuple[tuple[Part, ...], bool]:
        """The sent parts of a result, and whether it failed."""
        where = (*path, "state")
        status = state.get("status")
        if status == "error":
            member = "error" if interrupted_output(state) is None else "metadata"
            text = interrupted_output(state) or as_word(state.get("error"))
            spot = (*where, "metadata", "output") if member == "metadata" else (*where, "error")
            content = self._at(node, spot, text) if text else Held("")
            failed = member == "error"
            return (Text(f"{key}/0", content, Author.INJECTED, self._place(node, where)),), failed
        if status != "completed":
            return (Text(f"{key}/0", Held(INTERRUPTED), Author.INJECTED, self._place(node, where)),), True
        if is_hidden(state):
            return (Text(f"{key}/0", Held(CLEARED), Author.INJECTED, self._place(node, where)),), False
        output = as_word(state.get("output"))
        said = self._text(node, f"{key}/0", where, "output", output, Author.INJECTED)
        attached = state.get("attachments")
        files = [
            self._file(node, f"{key}/a{n}", (*where, "attachments", n), file)
            for n, file in enumerate(attached if isinstance(attached, list) else ())
            if isinstance(file, dict)
        ]
        return (said, *files), False

    def _file(self, node: Node, key: str, path: JsonPath, part: Mapping[str, Any]) -> Image | Opaque:
        url, media = part.get("url"), as_word(part.get("mime"))
        place = self._place(node, path)
        if isinstance(url, str) and media.startswith("image/"):
            return Image(key, self._at(node, (*path, "url"), url), media if url[:5] == "data:" else "", place)
        return Opaque(key, "file", self._at(node, path, part), place)

    def _text(self, node: Node, key: str, path: JsonPath, member: str, text: str, author: Author) -> Text:
        # A missing value, or one that is not a string, was read as empty.
        content = self._at(node, (*path, member), text) if text else Held("")
        return Text(key, content, author, self._place(node, path))

    def _at(self, node: Node, path: JsonPath, value: Any) -> Content:
        return self._records.content(node.record, path, value)

    def _place(self, node: Node, path: JsonPath) -> Place:
        return Place(node.record, self._records.shared_path(path))


_ROLES: Final = {"user": Role.USER, "assistant": Role.ASSISTANT}
_LONGEST_KEY: Final = 200


def kind_of(part: Any) -> str:
    """A part's type; empty if it has none."""
    return as_word(part.get("type")) if isinstance(part, dict) else ""


def in_order(parts: list[Any]) -> list[tuple[int, Any]]:
    """The parts in the client's order, by id, each with its index in the file."""
    numbered = [(number, part) for number, part in enumerate(parts) if isinstance(part, dict)]
    if all(isinstance(part.get("id"), str) for _, part in numbered):
        numbered.sort(key=lambda pair: str(pair[1]["id"]))
    return numbered


def state_of(part: Mapping[str, Any]) -> Mapping[str, Any]:
    """A tool call's state, which includes its result."""
    state = part.get("state")
    return state if isinstance(state, dict) else {}


def is_hidden(state: Mapping[str, Any]) -> bool:
    """Whether the client hid a result that the file still holds."""
    time = state.get("time")
    return isinstance(time, dict) and bool(time.get("compacted"))


def interrupted_output(state: Mapping[str, Any]) -> str | None:
    """The output of a call before it was interrupted; the client sends that instead of an error."""
    metadata = state.get("metadata")
    if not isinstance(metadata, dict) or metadata.get("interrupted") is not True:
        return None
    output = metadata.get("output")
    return output if isinstance(output, str) else None


def seal_of(part: Mapping[str, Any]) -> str | None:
    """The provider's signature of a reasoning part, if it has one."""
    metadata = part.get("metadata")
    for provider in metadata.values() if isinstance(metadata, dict) else ():
        for name in ("signature", "redactedData", "reasoningEncryptedContent", "thoughtSignature"):
            if isinstance(provider, dict) and isinstance(provider.get(name), str):
                return str(provider[name])
    return None


def usage_of(tokens: Any) -> Usage | None:
    """The usage that a message reports for its call; None if it holds no count."""
    if not isinstance(tokens, Mapping):
        return None
    cache = tokens.get("cache")
    cache = cache if isinstance(cache, Mapping) else {}
    sent, said, thought = (_count(tokens.get(name)) for name in ("input", "output", "reasoning"))
    usage = Usage(sent, said + thought, _count(cache.get("read")), _count(cache.get("write")))
    return usage if usage.context or usage.output_tokens else None


def _count(value: Any) -> int:
    is_count = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e15
    return int(value) if is_count else 0


def _created(info: Mapping[str, Any]) -> int:
    time = info.get("time")
    return _count(time.get("created")) if isinstance(time, dict) else 0


def _is_failed(info: Mapping[str, Any], parts: list[Any]) -> bool:
    """Whether the client leaves a reply out: a failed one, except an aborted one that said something."""
    error = info.get("error")
    if not error:
        return False
    aborted = isinstance(error, dict) and error.get("name") == "MessageAbortedError"
    return not (aborted and any(kind_of(part) not in ("step-start", "reasoning", "") for part in parts))


def with_author(node: Node, author: Author) -> None:
    """Set the author of a message's texts."""
    node.steps = tuple(
        Step(tuple(replace(b, author=author) if isinstance(b, Text) else b for b in step.said), step.results)
        for step in node.steps
    )
