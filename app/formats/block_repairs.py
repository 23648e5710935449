"""Repairing Anthropic content blocks one by one: violations that do not depend on neighbours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from app.formats.pictures import (
    MANY,
    MAX_CHARS,
    MAX_PICTURES,
    MAX_SIDE,
    MAX_SIDE_OF_MANY,
    MEDIA_TYPES,
    Picture,
    picture_of,
)
from app.formats.repairs import Message, safe_name
from app.model import compact_json

MAX_CACHE_MARKS: Final = 4
LONGEST_NAME: Final = 128

_ASSISTANT_ONLY: Final = (
    "thinking", "redacted_thinking", "tool_use", "server_tool_use", "mcp_tool_use", "compaction",
)  # fmt: skip
_USER_ONLY: Final = ("tool_result", "image", "document", "search_result")
_NOT_IN_RESULTS: Final = (*_ASSISTANT_ONLY, "tool_result")

Note: TypeAlias = Callable[[str, str, str], None]
"""(warning word, message key, detail)"""


def kind_of(block: Any) -> str:
    """A block's type; empty if it has none."""
    kind = block.get("type") if isinstance(block, dict) else None
    return kind if isinstance(kind, str) else ""


def is_server_result(kind: str) -> bool:
    """Whether a block is a server tool's result, unknown types included (anthropics/claude-code#64026)."""
    return kind.endswith("_tool_result")


def text_block(text: str) -> Message:
    """A text block."""
    return {"type": "text", "text": text}


@dataclass(frozen=True)
class Decisions:
    """Repairs that can only be decided after seeing the whole conversation."""

    pictures: Mapping[int, str] = field(default_factory=dict)
    """0-based number of an image in the conversation -> why it has to be removed."""
    marks: int = 0
    """How many `cache_control` marks have to be removed, counted from the first."""


class BlockMender:
    """Repairs single blocks; must see each block of a conversation once, in order."""

    def __init__(self, note: Note, decisions: Decisions) -> None:
        self._note = note
        self._decisions = decisions
        self._pictures = 0
        self._large: dict[int, Picture] = {}
        self._marks = 0

    def decide(self, outer_marks: int) -> Decisions:
        """The decisions for the whole conversation, after all its blocks were seen."""
        reasons: dict[int, str] = {}
        if self._pictures > MANY:
            for number, picture in self._large.items():
                reasons[number] = f"{picture.width} x {picture.height} pixels beside many other images"
        for number in range(self._pictures - MAX_PICTURES):
            reasons[number] = f"one of more than {MAX_PICTURES} images"
        return Decisions(reasons, max(0, self._marks + outer_marks - MAX_CACHE_MARKS))

    def mended(self, block: Any, role: str, key: str) -> Any:
        """The block in a form valid for its role, the same object if it already is; None to remove it."""
        if not isinstance(block, dict):
            self._note("not-a-record", key, "something other than a block was in its place")
            return text_block(block) if isinstance(block, str) and block.strip() else None
        block = self._unmarked(block, key)
        kind = kind_of(block)
        if role in ("user", "assistant") and not _allowed(kind, role):
            self._note("block-order", key, f"a block not allowed in a {role} message")
            return text_block(f"[{kind}] {_words_of(block)}".rstrip())
        match kind:
            case "text":
                return self._text(block, key)
            case "thinking" | "redacted_thinking":
                return self._thinking(block, key)
            case "tool_use" | "server_tool_use" | "mcp_tool_use":
                return self._call(block, key)
            case "tool_result":
                return self._result(block, key)
            case "image":
                return self._picture(block, key)
        return block

    def _unmarked(self, block: Message, key: str) -> Message:
        if block.get("cache_control") is None:
            return block
        empty = kind_of(block) == "text" and not block.get("text")
        misplaced = empty or kind_of(block) in ("thinking", "redacted_thinking")
        number = self._marks
        self._marks += not misplaced
        if not misplaced and number >= self._decisions.marks:
            return block
        self._note("cache-marks", key, "one cache_control too many, or on a block that cannot have one")
        return {name: value for name, value in block.items() if name != "cache_control"}

    def _text(self, block: Message, key: str) -> Message | None:
        text = block.get("text")
        if isinstance(text, str) and text.strip():
            return block
        self._note("empty-text", key, "a text block without text")
        return None

    def _thinking(self, block: Message, key: str) -> Message | None:
        seal = block.get("data" if kind_of(block) == "redacted_thinking" else "signature")
        if isinstance(seal, str) and seal:
            return block
        self._note("thinking-unsigned", key, "thinking without its signature")
        return None

    def _call(self, block: Message, key: str) -> Message:
        name, arguments = block.get("name"), block.get("input")
        safe = safe_name(name, LONGEST_NAME)
        if safe != name:
            self._note("bad-tool-name", key, "a tool name that the provider refuses")
            block = {**block, "name": safe}
        if not isinstance(arguments, dict):
            self._note("input-not-object", key, "the input of a tool call was not an object")
            block = {**block, "input": {} if arguments is None else {"value": arguments}}
        return block

    def _result(self, block: Message, key: str) -> Message:
        content = block.get("content", "")
        if isinstance(content, str):
            return block
        if isinstance(content, list):
            parts = [mended for part in content if (mended := self._part(part, key)) is not None]
            if len(parts) == len(content) and all(a is b for a, b in zip(parts, content, strict=True)):
                return block
            return {**block, "content": parts or ""}
        self._note("empty-content", key, "the content of a tool result was neither text nor blocks")
        return {**block, "content": "" if content is None else compact_json(content)}

    def _part(self, part: Any, key: str) -> Any:
        kind = kind_of(part)
        if isinstance(part, dict) and (kind in _NOT_IN_RESULTS or is_server_result(kind)):
            self._note("block-order", key, "a block not allowed in a tool result")
            return text_block(f"[{kind}] {_words_of(part)}".rstrip())
        return self.mended(part, "result", key)

    def _picture(self, block: Message, key: str) -> Message:
        number = self._pictures
        self._pictures += 1
        source = block.get("source")
        if number in self._decisions.pictures:
            return self._left_out("image-too-big", self._decisions.pictures[number], key)
        if not isinstance(source, dict):
            return self._left_out("image-invalid", "it has no source", key)
        if source.get("type") != "base64":
            return block
        return self._base64(block, source, number, key)

    def _base64(self, block: Message, source: Message, number: int, key: str) -> Message:
        data, declared = source.get("data"), source.get("media_type")
        picture = picture_of(data)
        if picture is None or not isinstance(data, str):
            return self._left_out("image-invalid", "it has no data, or data that is not base64", key)
        if picture.media_type not in MEDIA_TYPES:
            return self._left_out("image-invalid", "its bytes are no JPEG, PNG, GIF or WebP", key)
        if len(data) > MAX_CHARS:
            return self._left_out("image-too-big", "it has over 5 MB", key)
        if picture.side > MAX_SIDE:
            return self._left_out("image-too-big", f"{picture.width} x {picture.height} pixels", key)
        if picture.side > MAX_SIDE_OF_MANY:
            self._large[number] = picture
        if declared == picture.media_type:
            return block
        self._note("image-invalid", key, f"an image declared as another type is {picture.media_type}")
        return {**block, "source": {**source, "media_type": picture.media_type}}

    def _left_out(self, word: str, reason: str, key: str) -> Message:
        self._note(word, key, f"an image was left out: {reason}")
        return text_block(f"[Image left out: {reason}]")


def _allowed(kind: str, role: str) -> bool:
    if role == "user":
        return kind not in _ASSISTANT_ONLY and not (is_server_result(kind) and kind != "tool_result")
    return kind not in _USER_ONLY


def _words_of(block: Message) -> str:
    """A block's text, for the text block that replaces it."""
    for name in ("text", "thinking", "content", "input"):
        if block.get(name):
            value = block[name]
            return value if isinstance(value, str) else compact_json(value)
    return ""
