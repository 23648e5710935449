"""The estimators of the four published pipelines, whose thresholds are in these units.

None of them is a token count that a provider would confirm; they exist so that a threshold of 80,000
means the same as in the original.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterable
from typing import Any

from app.model import (
    Block,
    Content,
    Image,
    Message,
    Opaque,
    Role,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
    chars_of,
    compact_json,
)
from app.tokens.memo import Memo


class _CodePoints:
    """Base of the estimators that measure in code points."""

    length_unit = "characters"

    def length(self, text: str) -> int:
        return len(text)

    def cut(self, text: str, length: int) -> str:
        return text[: max(length, 0)]


_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_JS_PLAIN_BELOW = 1e21


class Utf16Estimator:
    """UTF-16 code units of texts, results, call names and compact inputs; all else 0 (react-agent-mini)."""

    name = "utf16"
    unit = length_unit = "UTF-16 units"

    def __init__(self) -> None:
        self._sizes = Memo(self._measure)

    def describe(self) -> str:
        return "UTF-16 units of texts, results and calls, exact"

    def length(self, text: str) -> int:
        return len(text) if text.isascii() else len(text) + len(_ASTRAL.findall(text))

    def cut(self, text: str, length: int) -> str:
        if length <= 0 or text.isascii():
            return text[: max(length, 0)]
        wide = [found.start() for found in _ASTRAL.finditer(text, 0, length)]
        # The k-th wide character ends at unit `start + k + 2`, since each one before it adds a unit.
        taken = bisect_left(range(len(wide)), True, key=lambda k: wide[k] + k + 2 > length)
        end = length - taken
        return text[: min(end, wide[taken]) if taken < len(wide) else end]

    def block(self, block: Block) -> int:
        return self._sizes.of(block)

    def message(self, message: Message) -> int:
        return sum(map(self._sizes.of, message.blocks))

    def total(self, messages: Iterable[Message]) -> int:
        return sum(map(self.message, messages))

    def _measure(self, block: Block) -> int:
        match block:
            case Text():
                return self._content(block.content)
            case ToolResult():
                return sum(self._content(part.content) for part in block.parts if isinstance(part, Text))
            case ToolUse():
                return self.length(block.name) + self.length(_as_javascript(block.input))
            case _:
                return 0

    def _content(self, content: Content) -> int:
        return content.chars if content.size == content.chars else self.length(content.read())


def _as_javascript(content: Content) -> str:
    """Compact JSON of the same length as JavaScript prints it: `1.0` is `1` below 1e21."""
    try:
        return compact_json(_integral(content.value()))
    except (ValueError, RecursionError):
        return content.read()


def _integral(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _integral(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_integral(item) for item in value]
    if isinstance(value, float) and abs(value) < _JS_PLAIN_BELOW and value.is_integer():
        return int(value)
    return value


_CJK = re.compile("[\u4e00-\u9fff\u3040-\u309f\u30a0-\u30ff\uac00-\ud7af]")
_OVERHEAD = {Role.SYSTEM: 3, Role.USER: 4, Role.ASSISTANT: 3, Role.TOOL: 6}
_CALL_OVERHEAD = 7
_RESULT_OVERHEAD = 6


class MiniCodeEstimator(_CodePoints):
    """A guess at tokens by kind of character, with an overhead per entry (MiniCode).

    CJK ideographs, kana and hangul are 1/1.5 each, everything else 1/4, rounded down, at least 1. In
    that agent's flat log each block is an entry of its own, so `message` adds an overhead for each, by
    kind; an entry without text is 0. Images are not part of such a log and are 0.
    """

    name = "minicode"
    unit = "tokens"

    def __init__(self) -> None:
        self._sizes = Memo(self._measure)

    def describe(self) -> str:
        return "~ characters by kind, 1/4 or 1/1.5 each; low on code"

    def text(self, text: str) -> int:
        """The measure of a text by itself."""
        if not text:
            return 0
        cjk = 0 if text.isascii() else len(_CJK.findall(text))
        return max(1, int(cjk / 1.5 + (len(text) - cjk) / 4))

    def block(self, block: Block) -> int:
        return self._sizes.of(block)

    def message(self, message: Message) -> int:
        return sum(self.entry(message, block) for block in message.blocks)

    def entry(self, message: Message, block: Block) -> int:
        """The size of a block as an entry of the flat log, overhead included."""
        size = self._sizes.of(block)
        return size + self._overhead(message.role, block) if size else 0

    def total(self, messages: Iterable[Message]) -> int:
        return sum(map(self.message, messages))

    @staticmethod
    def _overhead(role: Role, block: Block) -> int:
        match block:
            case ToolUse():
                return _CALL_OVERHEAD
            case ToolResult():
                return _RESULT_OVERHEAD
            case _:
                return _OVERHEAD[role]

    def _measure(self, block: Block) -> int:
        match block:
            case Text() | Thinking():
                return self._content(block.content)
            case ToolResult():
                texts = [part.content for part in block.parts if isinstance(part, Text)]
                # The log holds a result as one string, and a sum of rounded parts would differ.
                return self._content(texts[0]) if len(texts) == 1 else self.text(_joined(texts))
            case ToolUse():
                return self._input(block.input)
            case _:
                return 0

    def _content(self, content: Content) -> int:
        if content.size == content.chars:
            return max(1, content.chars // 4) if content.chars else 0
        return self.text(content.read())

    def _input(self, content: Content) -> int:
        """The measure of the input's JSON in Python's default form: ASCII, spaces after `:` and `,`."""
        try:
            value = content.value()
            text = json.dumps(value) if isinstance(value, dict) else content.read()
        except (ValueError, RecursionError):
            text = content.read()
            value = text
        return self.text(text) if value else 0


def _joined(contents: Iterable[Content]) -> str:
    return "".join(content.read() for content in contents)


class JsonCharsEstimator(_CodePoints):
    """Characters of the messages as one JSON list of `role` and `content` (learn-claude-code).

    With spaces after `:` and `,` and non-ASCII characters unescaped. A result of a single text is a
    string, an image is its base64.
    """

    name = "json-chars"
    unit = "characters of JSON"

    def __init__(self) -> None:
        self._sizes = Memo(self._measure)

    def describe(self) -> str:
        return "characters of the messages as JSON, exact"

    def block(self, block: Block) -> int:
        return self._sizes.of(block)

    def message(self, message: Message) -> int:
        frame = len('{"role": "", "content": []}') + len(message.role.value)
        return frame + _joined_length(map(self._sizes.of, message.blocks))

    def total(self, messages: Iterable[Message]) -> int:
        return len("[]") + _joined_length(map(self.message, messages))

    def _measure(self, block: Block) -> int:
        match block:
            case Text():
                return len('{"type": "text", "text": }') + _json_string(block.content)
            case Thinking():
                seal = len(', "signature": ""') + block.signature_chars if block.signature_chars else 0
                return len('{"type": "thinking", "thinking": }') + _json_string(block.content) + seal
            case ToolUse():
                frame = {"type": "tool_use", "id": block.id, "name": block.name, "input": None}
                return len(_dumps(frame)) - len("null") + _json_value(block.input)
            case ToolResult():
                return self._result(block)
            case Image():
                source = {"type": "base64", "media_type": block.media_type, "data": ""}
                return len(_dumps({"type": "image", "source": source})) + block.data.chars
            case Opaque():
                return _json_value(block.content)

    def _result(self, block: ToolResult) -> int:
        frame: dict[str, object] = {"type": "tool_result", "tool_use_id": block.tool_use_id, "content": ""}
        if block.is_error:
            frame["is_error"] = True
        length = len(_dumps(frame)) - len('""')
        match block.parts:
            case ():
                return length + len('""')
            case (Text() as only,):
                return length + _json_string(only.content)
            case parts:
                return length + len("[]") + _joined_length(map(self._sizes.of, parts))


def _joined_length(lengths: Iterable[int]) -> int:
    """Length of items with `, ` between them."""
    found = list(lengths)
    return sum(found) + 2 * max(len(found) - 1, 0)


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _json_string(content: Content) -> int:
    return len(_dumps(content.read()))


def _json_value(content: Content) -> int:
    try:
        return len(_dumps(content.value()))
    except (ValueError, RecursionError):
        return content.chars


class CharsEstimator(_CodePoints):
    """Code points of every text, a call's input as compact JSON; images are 0 (dsh result pruner)."""

    name = "chars"
    unit = "characters"

    def describe(self) -> str:
        return "characters of text, exact"

    def block(self, block: Block) -> int:
        return chars_of(block)

    def message(self, message: Message) -> int:
        return sum(map(chars_of, message.blocks))

    def total(self, messages: Iterable[Message]) -> int:
        return sum(map(self.message, messages))
