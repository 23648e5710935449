"""What a summary says that its source does not, and which of the user's rules it left out. Offline.

A hint for the person, not a verdict: things are compared by their letters, so a figure that was worked
out is marked and a wrong claim in plain words is not. Where the shape of a word could be prose, it is
let pass. Everything is linear in source and summary.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Any, Final

from app.model import Text, Thinking, ToolResult, ToolUse, blocks_of, text_of
from app.summarizers.base import Messages
from app.summarizers.rules import Rule, missing_rules


class Thing(StrEnum):
    """What is looked for in the source."""

    URL = "address"
    QUOTATION = "quotation"
    PATH = "path"
    NUMBER = "number"
    IDENTIFIER = "identifier"


@dataclass(frozen=True, slots=True)
class Invented:
    """Something in a summary that stands nowhere in its source."""

    thing: Thing
    text: str
    start: int
    """Code point of the summary at which it stands first."""

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class Proof:
    """A summary held against what it was made from."""

    invented: tuple[Invented, ...]
    """In the order of the summary, each text once."""
    missing: tuple[Rule, ...]
    """The user's rules that it does not tell, in their order."""


def prove(summary: str, messages: Messages, *, kept: Collection[str] = (), also: Messages = ()) -> Proof:
    """A summary of these messages held against them: all their words, calls and results, thinking too.

    `kept` are keys of blocks that stay beside it: their rules need not be told. What stands in `also` is
    not made up either.
    """
    known = {id(message) for message in messages}
    others = tuple(message for message in also if id(message) not in known)
    source = _Source(_texts((*messages, *others)))
    found: dict[str, Invented] = {}
    for item in _things(summary):
        if item.text not in found and not source.holds(item):
            found[item.text] = item
    return Proof(
        tuple(sorted(found.values(), key=lambda item: item.start)),
        tuple(missing_rules(summary, messages, kept)),
    )


# What a summary mentions

_ASCII: Final = re.ASCII
_URL: Final = re.compile(r"https?://[^\s<>\"'`()\[\]{}，。；、」』）]+")
_QUOTED: Final = re.compile(r'"([^"\n]{3,400})"|“([^”\n]{3,400})”|「([^」\n]{3,400})」|『([^』\n]{3,400})』')
_FILE_ENDINGS: Final = (
    "bash|bat|c|cc|cfg|conf|cpp|cs|css|csv|diff|env|go|gradle|h|hpp|html?|ini|ipynb|java|jsx?|json[lc5]?|kt|less"
    "|lock|log|lua|md|mdx|mjs|patch|php|pl|png|proto|py|pyi|rb|rs|rst|s[ac]ss|scala|sh|sql|svelte|svg|swift|tcss"
    "|tf|toml|tsx?|txt|vue|xml|ya?ml|zig|zsh"
)
_PATH: Final = re.compile(
    r"(?<![\w/.@:<-])(?:"
    r"(?:[A-Za-z]:[\\/]|~[\\/]|\.{1,2}[\\/]|/)?(?:[\w.@+-]{1,200}[\\/]){0,40}[\w.@+-]{0,200}"
    rf"\w\.(?:{_FILE_ENDINGS})(?![\w/\\-]|\.\w)"
    r"|(?:~/|\.{1,2}/|/)(?:[\w.@+-]{1,200}/?){1,40}"
    r"|[\w@+-][\w.@+-]{0,200}(?:/[\w.@+-]{1,200}){2,40}/?"
    r")",
    _ASCII,
)
_CODE: Final = re.compile(r"`([^`\s]{2,200})`")
_NAME: Final = re.compile(
    r"(?<![\w-])--[a-z][\w-]{1,60}"
    r"|(?<![\w.$/-])(?:"
    r"_{0,2}[A-Za-z$][A-Za-z0-9$]*(?:_+[A-Za-z0-9$]+)+_{0,2}"
    r"|[a-z][a-z0-9]*(?:[A-Z][A-Za-z0-9]*)+"
    r"|(?:[A-Z][a-z0-9]+){2,8}(?![A-Za-z])"
    r"|[A-Za-z_]\w{1,80}(?=\(\))"
    r")(?![\w-])",
    _ASCII,
)
_HEX: Final = re.compile(r"(?<![\w-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?![\w-])")
_NUMBER: Final = re.compile(
    r"(?<![\w.,:/-])v?(?:\d{1,3}(?:[,_]\d{3})+|\d+)(?:\.\d+)*(?::\d\d){0,2}"
    r"(?:(?:ms|s|[kKmMgG][bB]?|px|%)(?!\w)|(?![\w]))",
    _ASCII,
)
_LISTED: Final = re.compile(r"^[ \t]*(?:[-*#>]+[ \t]*)?\d{1,3}[.)](?=\s)", re.MULTILINE)
"""The number of a list's item or of a heading."""

_PRODUCTS: Final = frozenset({
    "javascript", "typescript", "github", "gitlab", "openai", "youtube", "linkedin", "postgresql", "mysql",
    "sqlite", "mongodb", "graphql", "devops", "nodejs", "macos", "ios", "ipados", "iphone", "ipad",
    "webassembly", "websocket", "websockets", "jetbrains", "intellij", "powershell", "whatsapp",
    "wordpress", "vscode", "pycharm", "fastapi", "numpy", "pytorch", "tensorflow", "node.js", "next.js",
    "vue.js", "nuxt.js", "three.js", "d3.js", "express.js", "readme.md", "changelog.md",
})  # fmt: skip
"""Names of products and habits that stand in prose in the shape of an identifier or a file."""


def _things(summary: str) -> Iterator[Invented]:
    """Everything in a summary that must stand in its source; what one kind takes, no later one sees."""
    rest = _LISTED.sub(lambda found: " " * len(found[0]), summary)
    for found in _QUOTED.finditer(rest):
        words = next(group for group in found.groups() if group is not None)
        if len(words.split()) > 1 or (not words.isascii() and len(words) >= _LONG_WORDS):
            yield Invented(Thing.QUOTATION, words, found.start() + 1)
    for thing, pattern in _SHAPES:
        taken: list[tuple[int, int]] = []
        for found in pattern.finditer(rest):
            start, end = found.span(pattern.groups and 1)
            text = rest[start:end].rstrip(".,;:!?") if thing is not Thing.NUMBER else rest[start:end]
            if text:
                yield Invented(thing, text, start)
                taken.append((start, start + len(text)))
        rest = _blanked(rest, taken)


_LONG_WORDS: Final = 8
"""Code points from which on a quotation without blanks is more than a word."""

_SHAPES: Final = (
    (Thing.URL, _URL),
    (Thing.PATH, _PATH),
    (Thing.IDENTIFIER, _CODE),
    (Thing.IDENTIFIER, _NAME),
    (Thing.IDENTIFIER, _HEX),
    (Thing.NUMBER, _NUMBER),
)


def _blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    parts, last = [], 0
    for start, end in spans:
        parts += [text[last:start], " " * (end - start)]
        last = end
    return "".join([*parts, text[last:]])


# What the source holds

_WORD: Final = re.compile(r"[A-Za-z0-9_$]+", _ASCII)
_RUN: Final = re.compile(r"[\w.@+~/-]+", _ASCII)
_PART: Final = re.compile(r"[\w.@+-]+", _ASCII)
_FIGURE: Final = re.compile(r"\d{1,3}(?:[,_]\d{3})+(?!\d)|\d+", _ASCII)
_SEARCHES: Final = 400
"""How many things are looked for letter by letter, where the index does not have them."""
_NUMBER_WORDS: Final = {"10": "ten", "11": "eleven", "12": "twelve"}
_ELLIPSIS: Final = re.compile(r"\[?(?:\.{3}|…)\]?")
_PLAIN: Final = str.maketrans("“”‘’\\", "\"\"''/")


def _plain(text: str) -> str:
    """A text without what differs when words are copied: case, kinds of quotes and blanks."""
    return " ".join(text.translate(_PLAIN).lower().split())


class _Source:
    """The source, indexed once."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._text = _plain("\n".join(texts))
        self._words = set(_WORD.findall(self._text))
        self._parts: set[str] = set(_PART.findall(self._text))
        self._pairs: set[tuple[str, str]] = set()
        for run in _RUN.findall(self._text):
            if "/" in run:
                self._pairs.update(pairwise(run.rstrip(".").split("/")))
        self._figures = {re.sub(r"[,_]", "", figure) for figure in _FIGURE.findall(self._text)}
        self._thousands = {_thousands(figure) for figure in self._figures if 3 < len(figure) < 13}
        self._searches = _SEARCHES

    def holds(self, item: Invented) -> bool:
        """Whether the source has a thing, as it is or spelled in another usual way."""
        text = _plain(item.text)
        match item.thing:
            case Thing.QUOTATION:
                parts = (part.strip(" .,;:!?。，；：！？") for part in _ELLIPSIS.split(text))
                return all(self._has(part) for part in parts if part)
            case Thing.PATH:
                return self._holds_path(text)
            case Thing.NUMBER:
                return self._holds_number(text)
            case Thing.IDENTIFIER:
                return self._holds_name(text)
            case _:
                return self._has(text.rstrip("/"))

    def _has(self, text: str) -> bool:
        if self._searches <= 0:
            return True
        self._searches -= 1
        return text in self._text

    def _holds_path(self, text: str) -> bool:
        parts = [part for part in re.sub(r"^(?:[a-z]:|~|\.{1,2})?/", "", text).split("/") if part]
        if text in _PRODUCTS or not parts or all(part.isdigit() for part in parts):
            return True
        if len(parts) > 1 and self._pairs.issuperset(pairwise(parts)):
            return True
        # "read/write/edit" is a list of words as often as a folder.
        prose = text[0] not in "/.~" and all(part.isalpha() for part in parts) and not text.endswith("/")
        if prose or (len(parts) == 1 and parts[0] in self._parts):
            return True
        return self._has("/".join(parts))

    def _holds_name(self, text: str) -> bool:
        if text in _PRODUCTS or text in self._parts:
            return True
        words = _WORD.findall(text)
        if not any(len(word) > 1 and not word.isdigit() for word in words):
            return True
        if len(words) == 1 or "/" not in text:
            return all(word in self._words for word in words) or self._has(text.strip("()-. "))
        return self._holds_path(text)

    def _holds_number(self, text: str) -> bool:
        text = text.removeprefix("v")
        bare = re.sub(r"[a-z%]+$", "", text)
        figure = re.sub(r"[,_]", "", bare)
        if len(figure) < 2 or figure in self._figures or _NUMBER_WORDS.get(figure, "\0") in self._words:
            return True
        if text.endswith("k") and f"{figure}k" in self._thousands:
            return True
        if text.endswith("%") and (f"0.{figure}" in self._text or f"{figure} %" in self._text):
            return True
        return not figure.isdigit() and self._has(figure)


def _thousands(figure: str) -> str:
    return f"{round(int(figure) / 1000)}k"


def _texts(messages: Messages) -> Iterator[str]:
    """Every text of the messages, a call's arguments as the texts that they hold."""
    for _, block in blocks_of(messages):
        match block:
            case ToolUse():
                yield block.name
                yield from _strings(_arguments(block))
            case Text() | Thinking() | ToolResult():
                yield text_of(block)
            case _:
                continue


def _arguments(call: ToolUse) -> Any:
    try:
        return call.input.value()
    except (ValueError, RecursionError):
        return call.input.read()


def _strings(value: Any) -> Iterator[str]:
    """Keys and values of a JSON value as texts, whatever its depth."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            yield from (key for key in value if isinstance(key, str))
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
        elif value is not None:
            yield str(value)
