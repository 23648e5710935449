"""The facts in a text that other texts can speak of without telling them: what is looked for in what goes.

Each has a handle, by which others speak of it (the file's name of a path, the name of a value, the kind of
an error, the beginning of a hash), and what shows that it is still known.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from enum import StrEnum
from itertools import pairwise
from typing import Final

from msgspec import Struct, field

from app.summarizers.mentions import Thing, mentions


class Kind(StrEnum):
    """What sort of fact it is."""

    PATH = "path"
    VALUE = "value"
    ERROR = "error"
    ADDRESS = "address"
    NAME = "name"
    HASH = "hash"


class Fact(Struct):
    """One fact of a text, and where it stands."""

    kind: Kind
    text: str
    handle: str
    held_by: tuple[str, ...]
    """It is not lost where what stays has one of these."""
    held_by_all: tuple[str, ...] = ()
    """Nor where it has all of these."""
    places: list[str] = field(default_factory=list)
    weight: float = 0.0


_ASCII: Final = re.ASCII
_ERROR: Final = re.compile(
    r"^[ \t>|]*(?:E[ \t]+)?("
    r"(?:[a-z_][\w.]*\.)?(?P<type>[A-Z]\w*(?:Error|Exception|Warning|Timeout|Fault))(?::[ \t]|[ \t]*\()"
    r"|(?:error|fatal|panic|Error|ERROR|FATAL)(?:\[(?P<code>\w+)\])?:[ \t]"
    r"|FAILED[ \t](?P<test>[\w./:\[\]-]+)"
    r")(?P<message>[^\n]{0,300})",
    _ASCII | re.MULTILINE,
)
_VALUE: Final = re.compile(
    r"(?<![\w.$-])(?P<name>--[a-z][\w-]{2,40}|[A-Za-z_][\w.-]{2,60})[\"'`]?[ \t]{0,4}(?::[ \t]?\w{2,20})?"
    r"[ \t]{0,20}(?:=|:|=>|:=|->)[ \t]{0,20}"
    r"(?P<value>[\"'][^\"'\n]{2,80}[\"']|v?\d[\w.,:%-]{0,30}|https?://[^\s\"'<>)]{4,200})(?![\w(])",
    _ASCII,
)
_COUNTED: Final = re.compile(
    r"\b(?P<noun>port|pid|version|revision|build|issue|ticket|exit code|exit status|status code)"
    r"[ \t]?[:=#]?[ \t]?#?(?P<number>v?\d[\w.]{1,20}\w)(?![\w/-])",
    _ASCII | re.IGNORECASE,
)
_FILE: Final = re.compile(r"\.(?:[a-z]{1,4}|[a-z]\w)$", _ASCII)
_PATH_WORDS: Final = re.compile(r"[\w.@+~-]+(?:[/\\][\w.@+~-]+)+", _ASCII)
TOKEN: Final = re.compile(r"[\w$]+(?:[.@+-]+[\w$]+)*", _ASCII)
WORD: Final = re.compile(r"[a-z0-9_$]+", _ASCII)
_PLAINWORD: Final = re.compile(r"[a-z]{3,}", _ASCII)
_SHAPED: Final = re.compile(r"[a-z0-9][A-Z]|_|^[A-Z][A-Z0-9]{3,}$|\w\.\w|^--", _ASCII)
"""A name that no word of prose is spelled like."""
_HASH: Final = re.compile(r"(?<![\w-])([0-9a-f]{7})[0-9a-f]{0,33}(?![\w-])", _ASCII)
_PARTS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_USUAL: Final = frozenset({
    "__init__.py", "__main__.py", "app.py", "cargo.toml", "changelog.md", "conftest.py", "go.mod",
    "index.html", "index.js", "index.ts", "index.tsx", "lib.rs", "main.go", "main.py", "main.rs",
    "mod.rs", "package.json", "pyproject.toml", "readme.md", "setup.py", "tsconfig.json",
})  # fmt: skip
"""Names of files that tell nothing of the one that is meant."""


def facts_in(text: str) -> Iterator[Fact]:
    """The facts in a text that could be spoken of elsewhere."""
    yield from _errors(text)
    yield from _settings(text)
    for mention in mentions(text):
        fact = _named(mention.thing, mention.text)
        if fact is not None:
            yield fact


def _settings(text: str) -> Iterator[Fact]:
    """Names with their values, and what is counted by a noun: `port 8081`."""
    for found in _VALUE.finditer(text):
        name, value = found["name"], _value(found)
        if _SHAPED.search(name) and not _FILE.search(name) and len(value) > 1:
            handle = _last(name)
            beside = f"{handle}={value.lower()}"
            alone = (value.lower(),) if len(value) > 4 and not value.isdigit() else ()
            yield Fact(Kind.VALUE, f"{name} = {value}", handle, (beside, *alone))
    for found in _COUNTED.finditer(text):
        noun, number = found["noun"].lower(), found["number"]
        yield Fact(Kind.VALUE, f"{noun} {number}", noun, (number.lower(),))


def _value(found: re.Match[str]) -> str:
    return found["value"].strip("\"'").rstrip(".,:-")


def _last(name: str) -> str:
    return name.lower().rpartition(".")[2]


def _errors(text: str) -> Iterator[Fact]:
    for found in _ERROR.finditer(text):
        message = found["message"].strip()
        kind = found["type"] or found["code"] or (found["test"] or "").rpartition(":")[2] or "error"
        words = [word for word in TOKEN.findall(message.lower()) if len(word) > 2]
        handle = (found["test"] or "").rpartition(":")[2] or found["code"] or _shaped_in(message)
        handle = handle or found["type"] or ""
        if handle and words:
            whole = " ".join(found[0].split()).removeprefix("E ")
            yield Fact(Kind.ERROR, whole[:300], handle.lower(), (), (kind.lower(), *words[:12]))


def _shaped_in(message: str) -> str:
    return next((word for word in TOKEN.findall(message) if _SHAPED.search(word) and len(word) > 5), "")


def _named(thing: Thing, text: str) -> Fact | None:
    plain = text.lower().replace("\\", "/").rstrip("/")
    match thing:
        case Thing.PATH:
            parts = [part for part in plain.split("/") if part not in ("", ".", "~", "..")]
            if len(parts) < 2 or parts[-1] in _USUAL or "." not in parts[-1]:
                return None
            return Fact(Kind.PATH, text, parts[-1], (f"{parts[-2]}/{parts[-1]}",))
        case Thing.URL:
            host, _, rest = plain.rpartition("://")[2].partition("/")
            last = re.split(r"[/?#]", rest.rstrip("/"))[-1]
            handle = last if len(last) > 5 and not last.isalpha() else host
            return Fact(Kind.ADDRESS, text, handle, (f"{host}/{rest}",)) if rest else None
        case Thing.IDENTIFIER if re.fullmatch(r"[0-9a-f]{7,40}", plain):
            return Fact(Kind.HASH, text, plain[:7], (plain,)) if len(plain) > 7 else None
        case Thing.IDENTIFIER:
            return _name(text, plain)
        case _:
            return None


def _name(text: str, plain: str) -> Fact | None:
    """A name whose last part, or whose words as prose has them, may still be said."""
    bare = plain.rstrip("()")
    if (parts := bare.split("."))[1:]:
        shaped = _SHAPED.search(text.rstrip("()").rpartition(".")[2])
        is_far = len(parts) > 2 and parts[0] not in ("self", "this", "cls") and len(parts[-1]) > 5 and shaped
        return Fact(Kind.NAME, text, parts[-1], (bare,)) if is_far else None
    words = [word.lower() for word in _PARTS.findall(text)]
    if 2 <= len(words) <= 4 and all(len(word) > 2 for word in words):
        return Fact(Kind.NAME, text, " ".join(words), (bare,))
    return None


# What shows that a fact is still known


def path_tokens(plain: str) -> Counter[str]:
    """Neighbours in paths as `folder/file`, whole paths and addresses, and hashes by their beginnings."""
    found: Counter[str] = Counter()
    for path in _PATH_WORDS.findall(plain):
        parts = path.replace("\\", "/").split("/")
        found.update(f"{one}/{other}" for one, other in pairwise(parts))
        found[path.rstrip("./")] += 1
    found.update(begins for begins in _HASH.findall(plain) if not begins.isdigit())
    return found


def value_tokens(text: str) -> Counter[str]:
    return Counter(f"{_last(found['name'])}={_value(found).lower()}" for found in _VALUE.finditer(text))


def phrases(plain: str) -> Counter[str]:
    """Runs of two to four words."""
    words = TOKEN.findall(plain)
    found: Counter[str] = Counter()
    for length in (2, 3, 4):
        found.update(" ".join(words[start : start + length]) for start in range(len(words) - length + 1))
    return found
