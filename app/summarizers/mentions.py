"""What a text mentions that can be looked up: addresses, quotations, paths, numbers, names of code.

Told by shape alone, so that what could be prose is let pass: a digit by itself, words with hyphens, one
word in quotation marks, the numbers of lists and headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Final

from msgspec import Struct


class Thing(StrEnum):
    """What can be looked up."""

    URL = "address"
    QUOTATION = "quotation"
    PATH = "path"
    NUMBER = "number"
    IDENTIFIER = "identifier"


class Mention(Struct, frozen=True):
    """Something that a text mentions."""

    thing: Thing
    text: str
    start: int
    """Code point at which it stands."""

    @property
    def end(self) -> int:
        """Code point behind it."""
        return self.start + len(self.text)

    def covers(self, other: Mention) -> bool:
        """Whether another one is a part of this."""
        return self is not other and self.start <= other.start and other.end <= self.end


def mentions(text: str) -> Iterator[Mention]:
    """Everything a text mentions, by kinds; what one kind takes, no later one sees. Linear in the text."""
    unlisted = _LISTED.sub(_blank, text)
    yield from _quotations(unlisted)
    yield from _commands(unlisted)
    rest = _NO_THING.sub(_blank, unlisted)
    for thing, pattern in _SHAPES:
        taken: list[tuple[int, int]] = []
        for found in pattern.finditer(rest):
            start, end = found.span(pattern.groups and 1)
            words = rest[start:end] if thing is Thing.NUMBER else rest[start:end].rstrip(".,;:!?")
            if words:
                yield Mention(thing, words, start)
                taken.append((start, start + len(words)))
        rest = _blanked(rest, taken)


def _quotations(text: str) -> Iterator[Mention]:
    """What stands in quotation marks, or behind the mark of a quoted line; single words are none."""
    for pattern in (_QUOTED, _QUOTED_LINE):
        for found in pattern.finditer(text):
            group = found.lastindex or 0
            words = found[group].strip(_DECORATION)
            if len(words.split()) > 1 or (not words.isascii() and len(words) >= _LONG_WORDS):
                yield Mention(Thing.QUOTATION, words, text.index(words, found.start(group)))


def _commands(text: str) -> Iterator[Mention]:
    """Code of several words, as commands and statements are."""
    for found in _PHRASE.finditer(text):
        if len(found[1].split()) > 1:
            yield Mention(Thing.IDENTIFIER, found[1], found.start(1))


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    parts, last = [], 0
    for start, end in spans:
        parts += [text[last:start], " " * (end - start)]
        last = end
    return "".join([*parts, text[last:]])


_ASCII: Final = re.ASCII

_NO_THING: Final = re.compile(r"(?<![\w/.-])(?:24/7|50/50|80/20)(?![\w/-])|(?<!\w)</?[a-z][\w-]{0,40}>")
"""Idioms, and the tags of a markup that a summary is written in."""
_LISTED: Final = re.compile(r"^[ \t]*[-*#> \t]*\(?\d{1,3}[.)](?=\s|\*)|(?<!\S)\(\d\)", re.MULTILINE)
"""The number of a list's item or of a heading."""

_LONG_WORDS: Final = 6
"""Code points from which on a quotation without blanks is more than a word."""
_QUOTED: Final = re.compile(
    r'"([^"\n]{3,400})"|“([^“”\n]{3,400})”|「([^「」\n]{3,400})」|『([^『』\n]{3,400})』|„([^„“”\n]{3,400})[“”]'
    r"|«([^«»\n]{3,400})»|(?<![\w'])'((?:[^'\n]|(?<=\w)'(?=\w)){3,400})'(?![\w'])"
)
_QUOTED_LINE: Final = re.compile(r"^[ \t]{0,8}>[ \t]?([^>\n]{3,400})$", re.MULTILINE)
_DECORATION: Final = ' \t-*_"“”「」'

_URL: Final = re.compile(
    r"(?<![\w.+-])(?:[a-z][a-z0-9+.-]{1,20}://[^\s<>\"'`()\[\]{}，。；、」』）]+"
    r"|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+(?::[\w./~-]+)?"
    r"|(?:[\w-]{1,63}\.){1,8}(?:com|org|net|io|dev|ai|edu|gov|info|cn)(?![\w.-])(?:/[^\s<>\"'`()\[\]{}，。；、」』）]*)?)",
    _ASCII,
)
_FILE_ENDINGS: Final = (
    "bash|bat|c|cc|cfg|conf|cpp|cs|css|csv|diff|env|go|gradle|h|hpp|html?|ini|ipynb|java|jsx?|json[lc5]?|kt|less"
    "|lock|log|lua|md|mdx|mjs|patch|php|pl|png|proto|py|pyi|rb|rs|rst|s[ac]ss|scala|sh|sql|svelte|svg|swift|tcss"
    "|tf|toml|tsx?|txt|vue|xml|ya?ml|zig|zsh"
)
_PATH: Final = re.compile(
    r"(?<![\w/.@:<$-])(?:"
    r"(?:[A-Za-z]:[\\/]|~[\\/]|\$\{?\w{1,40}\}?[\\/]|\.{1,3}[\\/]|/)?(?:[\w.@+-]{1,200}[\\/]){0,40}[\w.@+-]{0,200}"
    rf"\w\.(?:{_FILE_ENDINGS})(?![\w/\\-]|\.\w)"
    rf"|(?:[\w.@+-]{{1,200}}/){{1,40}}[\w\u3400-\u9fff.@+-]{{1,200}}\.(?:{_FILE_ENDINGS})(?![\w/\\-]|\.\w)"
    r"|(?:~/|\.{1,2}/|/)(?:[\w.@+-]{1,200}/?){1,40}"
    r"|[\w@+-][\w.@+-]{0,200}(?:/[\w.@+-]{1,200}){2,40}/?"
    r")",
    _ASCII,
)
_CODE: Final = re.compile(r"`([^`\s]{2,200})`")
_PHRASE: Final = re.compile(r"(?<!`)`([^`\n]{3,200})`(?!`)")
_NAME: Final = re.compile(
    r"(?<![\w-])--[a-z][\w-]{1,60}"
    r"|(?<![\w.])@[A-Za-z_][\w.]{0,80}\w"
    r"|(?<![\w.$/-])(?:"
    r"[A-Za-z_$][\w$]{1,60}(?:\.[A-Za-z_$][\w$]{1,60}){2,8}"
    r"|[A-Za-z_$][\w$]{0,60}(?:\.[A-Za-z_$][\w$]{0,60}){1,8}(?=\()"
    r"|_{0,2}[A-Za-z$][A-Za-z0-9$]*(?:_+[A-Za-z0-9$]+)+_{0,2}"
    r"|[a-z][a-z0-9]*(?:[A-Z][A-Za-z0-9]*)+"
    r"|(?:[A-Z][a-z0-9]+){2,8}(?![A-Za-z])"
    r"|[A-Za-z_]\w{1,80}(?=\(\))"
    r")(?![\w-])",
    _ASCII,
)
_HEX: Final = re.compile(
    r"(?<![\w-])(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}|(?<=[Cc]ommit )[0-9a-f]{7,40})(?![\w-])"
)
_DATE: Final = re.compile(
    r"(?<![\w./-])(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[./-]\d{1,2}[./-]\d{4})(?![\w/-])", _ASCII
)
_NUMBER: Final = re.compile(
    r"(?:(?<![\w.,:/-])|(?<=#L)|(?<=[A-Za-z`)\] ]:)|(?<=\d[-/–])|(?<=(?<![\w])L)|(?<=(?<![\w.,:/-])-))"
    r"(?:0x[0-9A-Fa-f]+|\d+(?:\.\d+)?e[-+]?\d+"
    r"|v?(?:\d{1,3}(?:[,_'’\u00a0\u202f\u2009]\d{3})+|\d+)(?:\.\d+)*(?::\d\d){0,2}"
    r"(?:(?:ms|s|[kKmMgG][bB]?|[KMG]iB|px|%|x|st|nd|rd|th|h|min)(?!\w)|(?![\w])))"
    r"(?!\w)",
    _ASCII,
)

_SHAPES: Final = (
    (Thing.URL, _URL),
    (Thing.PATH, _PATH),
    (Thing.IDENTIFIER, _CODE),
    (Thing.IDENTIFIER, _NAME),
    (Thing.IDENTIFIER, _HEX),
    (Thing.NUMBER, _DATE),
    (Thing.NUMBER, _NUMBER),
)
