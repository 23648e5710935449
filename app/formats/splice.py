"""Where a JSON value lies in the bytes of a record, and how it is replaced there.

Everything outside an edited value stays byte for byte: blanks, the order and spelling of keys, the
spelling of numbers, unknown fields. The scanners are loops over regular expressions, so neither deep
nesting nor a long string costs a Python call each. Inside strings any byte is tolerated (raw line
ends, NUL, bytes that are not UTF-8), because records are read from damaged files too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from app.model import JsonPath

STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_BLANK = rb"[ \t\r\n]*+"
_NUMBER = rb"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?+"

_blank = re.compile(_BLANK)
_key = re.compile(_BLANK + b"(" + STRING + b")" + _BLANK + b":" + _BLANK, re.DOTALL)
_value = re.compile(
    _BLANK + b"(?:([\\[{])" + _BLANK + b"|" + STRING + b"|(?:true|false|null|NaN|-?Infinity|"
    + _NUMBER + rb")(?![\w.+-]))",
    re.DOTALL,
)  # fmt: skip
_after = re.compile(_BLANK + rb"([,\]}])" + _BLANK)
_bracket = re.compile(rb'[^"\[\]{}]*+(?:' + STRING + rb'[^"\[\]{}]*+)*+([\[\]{}])', re.DOTALL)
_scalar = re.compile(STRING + rb"|[^\s,\]}]++", re.DOTALL)
_unfinished = re.compile(
    _BLANK + rb'(?:"[^"\\]*+(?:\\.[^"\\]*+)*+(?:\\?|"' + _BLANK + rb")|[\w.+-]*+)\Z", re.DOTALL
)

MAX_DEPTH: Final = 10_000
"""Nesting at which `scan` gives up; no writer of sessions comes near it."""


@dataclass(frozen=True, slots=True)
class Scan:
    """How far a JSON value reaches in some bytes."""

    end: int
    """Behind the value when it is whole, else where the scan had to stop."""
    whole: bool
    torn: bool = False
    """The bytes end before the value does, and it was sound up to there."""
    last_container: int = -1
    """Where the object or list that was closed last begins."""


def scan(raw: bytes, start: int = 0) -> Scan:
    """Read over one JSON value that begins at or behind `start`, checking its grammar.

    Escapes and the content of strings are not checked. Linear in the bytes read.
    """
    opened: list[int] = []
    pos, last = start, -1
    while True:
        match = _value.match(raw, pos)
        if match is None or len(opened) > MAX_DEPTH:
            return _stopped(raw, pos, last)
        pos = match.end()
        if match[1]:
            opened.append(match.start(1))
            if raw[pos : pos + 1] not in (b"]", b"}"):
                if match[1] == b"[":
                    continue
                if (key := _key.match(raw, pos)) is None:
                    return _stopped(raw, pos, last)
                pos = key.end()
                continue
        while True:
            if not opened:
                return Scan(pos, whole=True, last_container=last)
            after = _after.match(raw, pos)
            if after is None:
                return _stopped(raw, pos, last)
            is_list = raw[opened[-1]] == 0x5B
            if after[1] == b",":
                pos = after.end()
                break
            if (after[1] == b"]") is not is_list:
                return _stopped(raw, pos, last)
            pos = after.end(1)
            last = opened.pop()
        if not is_list:
            if (key := _key.match(raw, pos)) is None:
                return _stopped(raw, pos, last)
            pos = key.end()


def _stopped(raw: bytes, pos: int, last: int) -> Scan:
    return Scan(pos, whole=False, torn=_unfinished.match(raw, pos) is not None, last_container=last)


def skip(raw: bytes, start: int) -> int:
    """The end of the value that begins at `start`, in bytes that are known to be JSON.

    Raises ValueError when there is none or it does not end.
    """
    if raw[start : start + 1] not in (b"{", b"["):
        match = _scalar.match(raw, start)
        if match is None:
            raise ValueError(f"no JSON value at byte {start}")
        return match.end()
    depth, pos = 0, start
    while match := _bracket.match(raw, pos):
        pos = match.end()
        depth += 1 if match[1] in b"[{" else -1
        if depth == 0:
            return pos
    raise ValueError(f"the JSON value at byte {start} does not end")


def deeper(raw: bytes, depth: int) -> Iterator[tuple[int, int]]:
    """The byte spans of the outermost containers that lie more than `depth` levels deep."""
    level, pos = 0, 0
    while match := _bracket.match(raw, pos):
        pos = match.end()
        if match[1] not in b"[{":
            level -= 1
        elif level == depth:
            start, pos = match.start(1), skip(raw, match.start(1))
            yield start, pos
        else:
            level += 1


@dataclass(frozen=True, slots=True)
class Item:
    """A member of an object or an item of a list, by byte positions."""

    key: str | int
    begin: int
    """Where its key begins; for a list item the same as `start`."""
    start: int
    end: int
    """The value lies at [start, end)."""


def items(raw: bytes, start: int) -> Iterator[Item]:
    """The members or items of the object or list that begins at `start`; none for another value."""
    opener = raw[start : start + 1]
    if opener not in (b"{", b"["):
        return
    pos = _skip_blank(raw, start + 1)
    index = 0
    while raw[pos : pos + 1] not in (b"]", b"}"):
        begin, key = pos, index
        name: str | int = key
        if opener == b"{":
            match = _key.match(raw, pos)
            if match is None:
                raise ValueError(f"no key at byte {pos}")
            name, pos = _key_text(match[1]), match.end()
        end = skip(raw, pos)
        yield Item(name, begin, pos, end)
        after = _after.match(raw, end)
        if after is None:
            raise ValueError(f"no comma or bracket at byte {end}")
        pos = after.end() if after[1] == b"," else after.start(1)
        index += 1


def _key_text(quoted: bytes) -> str:
    text = quoted.decode("utf-8", "replace")
    return str(json.loads(text, strict=False)) if "\\" in text else text[1:-1]


def _skip_blank(raw: bytes, pos: int) -> int:
    match = _blank.match(raw, pos)
    return match.end() if match else pos


def _find(raw: bytes, path: JsonPath) -> Item:
    pos = _skip_blank(raw, 0)
    found = Item("", pos, pos, -1)
    for step in path:
        hit: Item | None = None
        wanted = b"{" if isinstance(step, str) else b"["
        if raw[found.start : found.start + 1] == wanted:
            for item in items(raw, found.start):
                if item.key == step:
                    hit = item
                    if isinstance(step, int):
                        break
        if hit is None:
            raise KeyError(path)
        found = hit
    return found if found.end >= 0 else Item("", pos, pos, skip(raw, pos))


def span(raw: bytes, path: JsonPath) -> tuple[int, int]:
    """Where the value at `path` lies: bytes [start, end). Of equal keys the last counts, as in JSON readers.

    Raises KeyError when there is no such value, ValueError when `raw` is not JSON.
    """
    item = _find(raw, path)
    return item.start, item.end


def encode(value: Any) -> bytes:
    """`value` as compact JSON in UTF-8: no blanks, non-ASCII as it is, lone surrogates as escapes."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:
        return re.sub("[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text).encode()


def splice(raw: bytes, edits: Mapping[JsonPath, bytes], remove: Collection[JsonPath] = ()) -> bytes:
    """`raw` with the values at the paths of `edits` replaced and the members or items at `remove` gone.

    All paths are those of `raw` as it comes in. A removed member takes its comma along; of equal keys
    all go. Raises KeyError for a path that is not there, ValueError when two of them overlap.
    """
    changes = [(*span(raw, path), new) for path, new in edits.items()]
    changes += _removals(raw, remove)
    return replace_spans(raw, changes)


def replace_spans(raw: bytes, changes: Iterable[tuple[int, int, bytes]]) -> bytes:
    """`raw` with the bytes [start, end) of each change replaced; ValueError when two overlap."""
    pieces: list[bytes] = []
    done = 0
    for start, end, new in sorted(changes):
        if start < done:
            raise ValueError(f"two edits overlap at byte {start}")
        pieces += (raw[done:start], new)
        done = end
    return b"".join((*pieces, raw[done:]))


def _removals(raw: bytes, paths: Collection[JsonPath]) -> list[tuple[int, int, bytes]]:
    """The byte ranges to cut, grouped by container so that neighbours share their commas rightly."""
    groups: dict[JsonPath, set[str | int]] = {}
    for path in paths:
        if not path:
            raise ValueError("a whole record cannot be removed from itself")
        groups.setdefault(path[:-1], set()).add(path[-1])
    return [cut for parent, keys in groups.items() for cut in _cuts(raw, parent, keys)]


def _cuts(raw: bytes, parent: JsonPath, keys: set[str | int]) -> Iterator[tuple[int, int, bytes]]:
    members = list(items(raw, _find(raw, parent).start))
    if missing := keys - {member.key for member in members}:
        raise KeyError((*parent, *missing))
    kept_before = False
    for number, member in enumerate(members):
        if member.key not in keys:
            kept_before = True
        elif kept_before:
            # The comma in front goes along, so that the last member needs no special care.
            yield members[number - 1].end, member.end, b""
        elif number + 1 < len(members):
            yield member.begin, members[number + 1].begin, b""
        else:
            yield member.begin, member.end, b""


def insert(raw: bytes, path: JsonPath, key: str, value: bytes) -> bytes:
    """`raw` with the member `key` added at the end of the object at `path`.

    `value` is JSON. Raises KeyError when there is no object there.
    """
    start, _ = span(raw, path)
    if raw[start : start + 1] != b"{":
        raise KeyError(path)
    ends = [member.end for member in items(raw, start)]
    at = ends[-1] if ends else start + 1
    return b"".join((raw[:at], b"," if ends else b"", encode(key), b":", value, raw[at:]))
