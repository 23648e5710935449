"""What a summary says that its source does not, and which of the user's rules it left out. Offline.

A hint for the person, not a verdict: things are compared by their letters, so a figure that was worked
out is marked and a wrong claim in plain words is not. Everything is linear in source and summary.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from msgspec import Struct

from app.summarizers.base import Messages
from app.summarizers.mentions import Mention, Thing, mentions
from app.summarizers.rules import Rule, missing_rules
from app.summarizers.texts import texts_of


class Proof(Struct, frozen=True):
    """The result of checking a summary against its source."""

    invented: tuple[Mention, ...]
    """What stands nowhere in its source, in the order of the summary, each text once."""
    missing: tuple[Rule, ...]
    """The user's rules that it does not tell, in their order."""


def prove(
    summary: str,
    messages: Messages,
    *,
    kept: Collection[str] = (),
    also: Messages = (),
    ruled: Messages | None = None,
) -> Proof:
    """A summary of these messages held against them: all their words, calls and results, thinking too.

    `kept` are keys of blocks that stay beside it: their rules need not be told. What stands in `also` is
    not made up either. `ruled` are the messages whose rules are to be told; None: the summarised ones.
    """
    known = {id(message) for message in messages}
    others = tuple(message for message in also if id(message) not in known)
    source = _Source(texts_of((*messages, *others)))
    found: dict[str, Mention] = {}
    for item in mentions(summary):
        if item.text not in found and not source.holds(item):
            found[item.text] = item
    return Proof(
        tuple(_outermost(found.values())),
        tuple(missing_rules(summary, messages if ruled is None else ruled, kept)),
    )


def _outermost(found: Iterable[Mention]) -> Iterator[Mention]:
    """In order, without those that are a part of another."""
    last: Mention | None = None
    for item in sorted(found, key=lambda item: (item.start, -item.end)):
        if last is None or not last.covers(item):
            last = item
            yield item


# What the source holds

_WORD: Final = re.compile(r"[A-Za-z0-9_$]+", re.ASCII)
_RUN: Final = re.compile(r"[\w.@+~/-]+", re.ASCII)
_PART: Final = re.compile(r"[\w.@+-]+", re.ASCII)
_FIGURE: Final = re.compile(r"\d{1,3}(?:[,_]\d{3})+(?!\d)|\d+", re.ASCII)
_SEARCHES: Final = 1_000
"""How many things are looked for letter by letter, where the index does not have them."""
_NUMBER_WORDS: Final = {"10": "ten", "11": "eleven", "12": "twelve"}
_ELLIPSIS: Final = re.compile(r"\[?(?:\.{3}|…)\]?")
_PLAIN: Final = str.maketrans("“”„«»‘’\\", '"' * 5 + "''/")
_ROOT: Final = re.compile(r"^(?:[a-z]:|~|\.{1,3}|\$\{?\w+\}?)?/")
"""How a path may begin, without which it is the same file."""
_SEPARATORS: Final = re.compile(r"[,_' ]")
"""Between thousands."""
_IN_POINTS: Final = re.compile(r"\d{1,3}(?:\.\d{3})+")
_UNIT: Final = re.compile(r"[a-z%]+$")
_NEUTRAL: Final = frozenset({"self", "this", "cls", "super"})
"""What stands before the dot of any method."""
_PRODUCTS: Final = frozenset({
    "javascript", "typescript", "github", "gitlab", "openai", "youtube", "linkedin", "postgresql", "mysql",
    "sqlite", "mongodb", "graphql", "devops", "nodejs", "macos", "ios", "ipados", "iphone", "ipad",
    "webassembly", "websocket", "websockets", "jetbrains", "intellij", "powershell", "whatsapp",
    "wordpress", "vscode", "pycharm", "fastapi", "numpy", "pytorch", "tensorflow", "node.js", "next.js",
    "vue.js", "nuxt.js", "three.js", "d3.js", "express.js", "readme.md", "changelog.md",
    "socket.io", "asp.net", "x86_64",
})  # fmt: skip
"""Names of products and habits that stand in prose in the shape of an identifier or a file."""


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

    def holds(self, item: Mention) -> bool:
        """Whether the source has a thing, as it is or spelled in another usual way."""
        text = _plain(item.text)
        match item.thing:
            case Thing.QUOTATION:
                parts = (part.strip(" .,;:!?*_`。，；：！？") for part in _ELLIPSIS.split(text))
                return all(self._has(part) for part in parts if part)
            case Thing.PATH:
                return self._holds_path(text)
            case Thing.NUMBER:
                return self._holds_number(text)
            case Thing.IDENTIFIER:
                return self._holds_name(text)
            case _:
                return text in _PRODUCTS or self._has(re.sub(r"^\w+://", "", text).rstrip("/"))

    def _has(self, text: str) -> bool:
        if self._searches <= 0:
            return True
        self._searches -= 1
        return text in self._text

    def _holds_path(self, text: str) -> bool:
        parts = [part for part in _ROOT.sub("", text).split("/") if part]
        if text in _PRODUCTS or not parts or all(part.isdigit() for part in parts):
            return True
        if len(parts) > 1 and self._pairs.issuperset(pairwise(parts)):
            return True
        # "read/write/edit" is a list of words as often as a folder.
        prose = text[0] not in "/.~$" and all(part.isalpha() for part in parts) and not text.endswith("/")
        if prose or (len(parts) == 1 and parts[0] in self._parts):
            return True
        return self._has("/".join(parts))

    def _holds_name(self, text: str) -> bool:
        if text in _PRODUCTS or text in self._parts:
            return True
        if text.startswith("-") and len(text) < 4:
            return False
        words = [word for word in _WORD.findall(text) if len(word) > 1 and not word.isdigit()]
        if not words:
            return True
        if " " not in text and "/" in text and len(words) > 1:
            return self._holds_path(text)
        flags = (word for word in text.split() if word.startswith("-") and len(word) < 4)
        known = all(map(self._knows, words)) and self._parts.issuperset(flags)
        return known or self._has(text.strip("()-. "))

    def _knows(self, word: str) -> bool:
        return word in self._words or word in _NEUTRAL or word.removesuffix("s") in self._words

    def _holds_number(self, text: str) -> bool:
        if (date := re.split(r"[-/.]", text)) and len(date) == 3 and any(len(part) == 4 for part in date):
            return self._holds_date(text, date)
        text = text.removeprefix("v")
        if text in self._words:
            return True
        bare = _UNIT.sub("", text)
        figure = _SEPARATORS.sub("", bare)
        if len(figure) < 2 or figure in self._figures or _NUMBER_WORDS.get(figure, "\0") in self._words:
            return True
        if text.endswith("k") and f"{figure}k" in self._thousands:
            return True
        if text.endswith("%") and (f"0.{figure}" in self._text or f"{figure} %" in self._text):
            return True
        if _IN_POINTS.fullmatch(figure) and figure.replace(".", "") in self._figures:
            return True
        return not figure.isdigit() and self._has(figure)

    def _holds_date(self, text: str, parts: Sequence[str]) -> bool:
        first, second, third = map(int, parts)
        year, ways = (first, [(second, third)]) if first > 99 else (third, [(second, first), (first, second)])
        forms = [text]
        for month, day in ways:
            forms += [f"{year}-{month:02}-{day:02}", f"{year}/{month:02}/{day:02}", f"{month}/{day}/{year}"]
            forms += [f"{day:02}.{month:02}.{year}", f"{day}.{month}.{year}", f"{year}{month:02}{day:02}"]
        return any(map(self._has, forms))


def _thousands(figure: str) -> str:
    return f"{round(int(figure) / 1000)}k"
