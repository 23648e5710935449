"""The model that every agent's file is read into: a Session of Messages, each made of blocks.

Everything here is frozen. Texts are not kept in memory: a block carries a `Content`, which knows
its length and a short preview and reads the text from the file on demand, so memory does not grow
with the text. A changed block is a `replace` of the old one with `Held` content and the same key
and place; a format's writer finds the changed blocks by comparing identities.

Keys are strings and never positions: pins, refused changes and histories name blocks by key.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any, ClassVar, Final, Protocol, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from app.content import PREVIEW_CHARS as PREVIEW_CHARS
from app.content import Content as Content
from app.content import Held as Held
from app.content import HeldValue as HeldValue
from app.content import JsonPath as JsonPath
from app.content import compact_json as compact_json


class Role(StrEnum):
    """Who a message is from, as the provider sees it. `TOOL` is OpenAI Chat's result message."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class Author(StrEnum):
    """Who wrote a text. The role does not tell: clients put much of their own into user messages."""

    USER = "user"
    """Typed by the person (a queued prompt too)."""
    ASSISTANT = "assistant"
    INJECTED = "injected"
    """Added by the client: reminders, environment, command output, hooks."""
    SUMMARY = "summary"
    """A summary after a boundary."""
    MARKER = "marker"
    """A line that says what was removed (a snip marker)."""
    SYSTEM = "system"


_INJECTED: Final = Author.INJECTED


class SendStatus(StrEnum):
    """Whether a message is sent to the model when the session is resumed, and if not, why."""

    LIVE = "live"
    BEFORE_BOUNDARY = "before-boundary"
    OFF_BRANCH = "off-branch"
    SIDECHAIN = "sidechain"
    NEVER_SENT = "never-sent"


class Place(Struct, frozen=True):
    """Where a block is in the file."""

    record: int
    """Index into `Session.records`."""
    path: JsonPath
    """Path of the block's value inside that record; `()` is the whole record."""


class Text(Struct, frozen=True):
    """Text written by a person, a model or a client."""

    kind: ClassVar[str] = "text"
    key: str
    content: Content
    author: Author
    place: Place | None = None


class Thinking(Struct, frozen=True):
    """A model's thinking. Its text may be empty although its tokens are real: see `signature_chars`."""

    kind: ClassVar[str] = "thinking"
    key: str
    content: Content
    signature_chars: int = 0
    """Length of the provider's signature, in base64 characters; 0 without one."""
    redacted: bool = False
    place: Place | None = None


class Image(Struct, frozen=True):
    """An image; `data` is its base64 text, or a URL when `media_type` is empty."""

    kind: ClassVar[str] = "image"
    key: str
    data: Content
    media_type: str = ""
    place: Place | None = None


class Opaque(Struct, frozen=True):
    """A block of a type that is unknown or not interpreted; kept as it is."""

    kind: ClassVar[str] = "opaque"
    key: str
    type: str
    content: Content
    place: Place | None = None


class ToolUse(Struct, frozen=True):
    """A tool call; its result has the same id."""

    kind: ClassVar[str] = "tool_use"
    key: str
    id: str
    name: str
    input: Content
    """The arguments: `value()` is the object, `read()` its JSON text."""
    path: str | None = None
    """The file that the call works on, when its input names one."""
    server: bool = False
    """Run by the provider: its result is in the same message."""
    place: Place | None = None


Part: TypeAlias = Text | Image | Opaque


class ToolResult(Struct, frozen=True):
    """The result of a tool call. String content is one Text part; absent content is no part."""

    kind: ClassVar[str] = "tool_result"
    key: str
    tool_use_id: str
    parts: tuple[Part, ...]
    is_error: bool = False
    server: bool = False
    cleared_live: bool = False
    """The agent's micro-compaction hid it during the run; a resume sends it whole again."""
    user_words: bool = False
    """The record says that the person wrote part of it (a reason given when refusing a permission)."""
    place: Place | None = None


Block: TypeAlias = Text | Thinking | ToolUse | ToolResult | Image | Opaque


def text_of(block: Block) -> str:
    """The whole text of a block: a result's text parts joined, a call's input as JSON, "" for an image."""
    match block:
        case ToolResult():
            return "".join([part.content.read() for part in block.parts if isinstance(part, Text)])
        case ToolUse():
            return block.input.read()
        case Image():
            return ""
        case _:
            return block.content.read()


def contents_of(block: Block) -> Iterator[Content]:
    """The contents whose texts are `text_of(block)`."""
    match block:
        case ToolResult():
            yield from (part.content for part in block.parts if isinstance(part, Text))
        case ToolUse():
            yield block.input
        case Image():
            pass
        case _:
            yield block.content


def chars_of(block: Block) -> int:
    """Code points of `text_of(block)`, without reading it."""
    match block:
        case ToolResult():
            return sum([part.content.chars for part in block.parts if isinstance(part, Text)])
        case ToolUse():
            return block.input.chars
        case Image():
            return 0
        case _:
            return block.content.chars


def preview_of(block: Block) -> str:
    """A short prefix of the block's text, or a call's path; session text, not safe for a terminal."""
    match block:
        case ToolResult():
            for part in block.parts:
                if isinstance(part, Text):
                    return part.content.preview
            return ""
        case ToolUse():
            return block.path if block.path is not None else block.input.preview
        case Image():
            return ""
        case _:
            return block.content.preview


def with_text(result: ToolResult, text: str) -> ToolResult:
    """The same result with `text` as its only part."""
    place = result.parts[0].place if result.parts else None
    return replace(result, parts=(Text(f"{result.key}/text", Held(text), _INJECTED, place),))


class Placeholder(Struct, frozen=True):
    """The text that replaces a cleared result; thousands of results can share one object."""

    text: str
    parts: tuple[Part]

    @classmethod
    def of(cls, text: str) -> Placeholder:
        """The placeholder with that text. It is not in the file, so it has no place."""
        return cls(text, (Text("placeholder", Held(text), _INJECTED),))


class Usage(Struct, frozen=True):
    """Tokens that the provider reported for one call."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_creation_tokens: int = 0
    cache_hour_tokens: int = 0
    """The part of `cache_creation_tokens` that is cached for an hour instead of minutes."""

    @property
    def context(self) -> int:
        """All input tokens, cached or not."""
        return self.input_tokens + self.cache_read_tokens + self.cache_creation_tokens


class Boundary(Struct, frozen=True):
    """A compaction, by the agent or by us. If it `hides`, what came before it is no longer sent."""

    key: str
    trigger: str
    """manual, auto, reactive or time; the agent's own word where it differs."""
    strategy: str = ""
    time: float | None = None
    tokens_before: int | None = None
    tokens_after: int | None = None
    removed: int | None = None
    """Messages removed: the true count, carried over from earlier compactions."""
    preserved: tuple[str, str] | None = None
    """Keys of the first and last message kept from before."""
    hides: bool = True
    record: int | None = None


class Message(Struct, frozen=True):
    """One API message after joining (one `message.id`, one run of user records)."""

    key: str
    role: Role
    blocks: tuple[Block, ...]
    standing: SendStatus = SendStatus.LIVE
    time: float | None = None
    """Seconds since 1970 of its first record."""
    model: str | None = None
    usage: Usage | None = None
    boundary: Boundary | None = None
    """Set on the first message after a boundary: its summary or its marker."""
    records: tuple[int, ...] = ()
    """Indexes of the records it was joined from, in file order; empty for a made message."""


def blocks_of(messages: Sequence[Message]) -> Iterator[tuple[Message, Block]]:
    """Every block with its message, in order."""
    for message in messages:
        for block in message.blocks:
            yield message, block


class Notice(Struct, frozen=True):
    """Something about a file that a person should know; `word` is its code from the documented list."""

    word: str
    line: int | None = None
    """1-based physical line, where there is one."""
    detail: str = ""


class Record(Struct, frozen=True):
    """The position of one JSON value in the file, or of one line that is not JSON."""

    index: int
    offset: int
    """Bytes from the start of the file."""
    length: int
    """Bytes, without the line end."""
    line: int
    """1-based number of its first physical line."""
    kind: str
    """The format's own type (`user`, `progress` ...), or `unreadable`."""
    key: str
    """The record's own id, else `@offset`."""
    damage: tuple[str, ...] = ()


class Leaf(Struct, frozen=True):
    """The end of one branch of a session."""

    key: str
    """Key of its last conversation record."""
    messages: int
    time: float | None
    preview: str


class Records(Protocol):
    """The file's records, read on demand."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int) -> Record: ...

    def raw(self, index: int) -> bytes:
        """The exact bytes of a record, without its line end."""

    def value(self, index: int) -> Any:
        """The parsed record; None if it is unreadable."""


class Facts(Struct, frozen=True):
    """Counts that only the format can tell (`report --json` has them under these names)."""

    records: int = 0
    bad_lines: tuple[int, ...] = ()
    conversation: int = 0
    """User and assistant records (or messages) of the live branch."""
    messages: int = 0
    """API messages on a strict walk: what the agent itself would send."""
    strict_pairs: int | None = None
    """Tool pairs on that walk, when it reaches fewer messages than are shown."""
    missing_parents: tuple[str, ...] = ()
    """Parent ids named by records of the live branch that are not in the file."""
    branches: int = 1
    sidechain_records: int = 0
    hidden_bytes: int = 0
    """Bytes of records that are never sent (progress records and the like)."""


@dataclass(frozen=True)
class Session:
    """One conversation, as read from one file."""

    format: str
    """`claude-code`, `anthropic`, `openai-chat` ..."""
    name: str
    """The file's path as given, or `-`. Not safe for a terminal."""
    records: Records
    messages: tuple[Message, ...]
    """All messages; those that are not live are in file position."""
    boundaries: tuple[Boundary, ...] = ()
    """Every compaction on the live branch, oldest first."""
    facts: Facts = field(default_factory=Facts)
    notices: tuple[Notice, ...] = ()
    leaves: tuple[Leaf, ...] = ()
    live_leaf: str | None = None
    session_id: str | None = None
    title: str | None = None
    model: str | None = None
    cwd: str | None = None
    usage: Usage | None = None
    """The sum of what all calls reported, each call counted once."""
    last_usage: Usage | None = None
    """The newest usable usage of a live call."""
    window: int | None = None
    """Tokens of the model's context window, where the file records it."""

    @cached_property
    def live(self) -> tuple[Message, ...]:
        """The messages that are sent when the session is resumed, in sending order."""
        found = tuple(message for message in self.messages if message.standing is SendStatus.LIVE)
        return self.messages if len(found) == len(self.messages) else found
