"""Finding the byte span of a JSON value in a record, and replacing it there.

Everything outside an edited value stays byte for byte: whitespace, the order and spelling of keys, the
spelling of numbers, unknown fields. The scanners are loops over regular expressions: no recursion, and
no Python call per character. Inside strings any byte is tolerated (raw line ends, NUL, bytes that are
not UTF-8), because records are read from damaged files, too.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

from app.model import JsonPath

STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_BLANK = rb"[ \t\r\n]*+"
_NUMBER = rb"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?+"

_blank = re.compile(_BLANK)
_quoted = re.compile(_BLANK + STRING, re.DOTALL)
_key = re.compile(_BLANK + b"(" + STRING + b")" + _BLANK + b":" + _BLANK, re.DOTALL)
_value = re.compile(
    _BLANK + b"(?:([\\[{])" + _BLANK + b"|" + STRING + b"|(?:true|false|null|NaN|-?Infinity|"
    + _NUMBER + rb")(?![\w.+-]))",
    re.DOTALL,
)  # fmt: skip
_after = re.compile(_BLANK + rb"([,\]}])" + _BLANK)
_bracket = re.compile(rb'[^"\[\]{}]*+(?:' + STRING + rb'[^"\[\]{}]*+)*+([\[\]{}])', re.DOTALL)
_scalar = re.compile(STRING + rb"|[^\s,\]}]++", re.DOTALL)
_surrogate = re.compile("[\ud800-\udfff]")
_unfinished = re.compile(
    _BLANK + rb'(?:"[^"\\]*+(?:\\.[^"\\]*+)*+(?:\\?|"' + _BLANK + rb")|[\w.+-]*+)\Z", re.DOTALL
)

_decode = json.JSONDecoder().raw_decode
decode_members: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
"""bytes -> the raw bytes of a sound object's values, by name; else raises one of `DOUBTS`."""
decode_items: Final = msgspec.json.Decoder(list[msgspec.Raw]).decode
"""The same for the values of a list."""

DOUBTS: Final = (msgspec.DecodeError, RecursionError)
"""What the fast decoder raises for anything that is not surely sound JSON."""

MAX_DEPTH: Final = 10_000
"""Nesting at which `scan` gives up; no agent comes near it."""


class Scan(Struct, frozen=True):
    """The extent of a JSON value, as far as it could be scanned."""

    end: int
    """End of the value if it is whole, else where the scan had to stop."""
    whole: bool
    torn: bool = False
    """The bytes end before the value does, and it was sound up to there."""
    last_container: int = -1
    """Start of the object or list that was closed last."""


def scan(raw: bytes, start: int = 0) -> Scan:
    """Scan one JSON value that begins at or after `start`, checking its grammar.

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
    torn = _unfinished.match(raw, pos) is not None
    string = _quoted.match(raw, pos)
    return Scan(string.end() if string else pos, whole=False, torn=torn, last_container=last)


def skip(raw: bytes, start: int, deepest: int | None = None) -> int:
    """The end of the value that begins at `start`, in bytes that are known to be JSON.

    Raises ValueError if there is none, it does not end, or `deepest` containers are open in it at once.
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
        if depth == deepest:
            raise ValueError(f"the JSON value at byte {start} is too deep")
    raise ValueError(f"the JSON value at byte {start} does not end")


def deeper(raw: bytes, depth: int) -> Iterator[tuple[int, int]]:
    """The byte spans of the outermost containers that are more than `depth` levels deep."""
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


class Item(Struct, frozen=True):
    """A member of an object or an item of a list, by byte positions."""

    key: str | int
    begin: int
    """Start of its key; for a list item the same as `start`."""
    start: int
    end: int
    """The value is at [start, end)."""


def items(raw: bytes, start: int) -> Iterator[Item]:
    """The members or items of the object or list that begins at `start`; none for another value."""
    return _items(raw, start, _Ends(raw, start))


def _items(raw: bytes, start: int, ends: _Ends) -> Iterator[Item]:
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
        end = ends.of(pos)
        yield Item(name, begin, pos, end)
        after = _after.match(raw, end)
        if after is None:
            raise ValueError(f"no comma or bracket at byte {end}")
        pos = after.end() if after[1] == b"," else after.start(1)
        index += 1


class _Ends:
    """Finds the ends of values in bytes that are known to be JSON, at the speed of the decoder.

    The bytes are decoded as Latin-1: the structure of JSON is ASCII, so positions are byte offsets.
    """

    def __init__(self, raw: bytes, start: int = 0) -> None:
        self._raw = raw
        self._start = start
        self._text = raw[start:].decode("latin-1")

    def of(self, pos: int) -> int:
        """The end of the value that begins at `pos`; raises ValueError if there is none or it is torn."""
        try:
            return self._start + _decode(self._text, pos - self._start)[1]
        except (ValueError, RecursionError):
            # Sound for a scanner that checks only the structure, but not for a strict decoder.
            return skip(self._raw, pos)


def compact_members(raw: bytes) -> dict[str, bytes] | None:
    """The bytes of each member of a compact object: no whitespace, no duplicate keys.

    None for any other, for an empty one, and if the decoder refuses it.
    """
    try:
        members = {key: bytes(value) for key, value in decode_members(raw).items()}
    except DOUBTS:
        return None
    size = 1 + sum([len(key.encode()) + len(value) + 4 for key, value in members.items()])
    return members if members and size == len(raw) else None


def compact_items(raw: bytes) -> list[bytes] | None:
    """The same for the items of a list."""
    try:
        items = [bytes(value) for value in decode_items(raw)]
    except DOUBTS:
        return None
    return items if items and 1 + sum(map(len, items)) + len(items) == len(raw) else None


def _key_text(quoted: bytes) -> str:
    text = quoted.decode("utf-8", "replace")
    return str(json.loads(text, strict=False)) if "\\" in text else text[1:-1]


def _skip_blank(raw: bytes, pos: int) -> int:
    match = _blank.match(raw, pos)
    return match.end() if match else pos


def _find(raw: bytes, paths: Iterable[JsonPath]) -> dict[JsonPath, Item]:
    """The items at `paths` and at all their prefixes; each container is scanned once."""
    tree: dict[str | int, Any] = {}
    for path in paths:
        node = tree
        for step in path:
            node = node.setdefault(step, {})
    start = _skip_blank(raw, 0)
    ends = _Ends(raw)
    found: dict[JsonPath, Item] = {(): Item("", start, start, ends.of(start))}
    pending: list[tuple[JsonPath, dict[str | int, Any]]] = [((), tree)]
    while pending:
        path, node = pending.pop()
        if node:
            found.update(
                ((*path, item.key), item) for item in _items(raw, found[path].start, ends) if item.key in node
            )
        for step, below in node.items():
            if (*path, step) not in found:
                raise KeyError((*path, step))
            pending.append(((*path, step), below))
    return found


def span(raw: bytes, path: JsonPath) -> tuple[int, int]:
    """Byte span [start, end) of the value at `path`. Of duplicate keys the last counts, as in JSON readers.

    Raises KeyError if there is no such value, ValueError if `raw` is not JSON.
    """
    item = _find(raw, [path])[path]
    return item.start, item.end


def encode(value: Any) -> bytes:
    """`value` as compact JSON in UTF-8: no whitespace, non-ASCII unescaped, lone surrogates escaped.

    Infinity is written as 1e999, which is read as infinity again, and NaN as null: JSON has neither.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        text = "".join(_tokens(value))
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _surrogate.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode()


def _tokens(value: Any) -> Iterator[str]:
    """The compact JSON of `value` in pieces, at any depth and with any numbers."""
    pending: list[tuple[Any, bool]] = [(value, False)]
    while pending:
        item, is_token = pending.pop()
        if is_token:
            yield item
        elif isinstance(item, dict):
            pending.append(("}", True))
            for number, (key, member) in reversed(list(enumerate(item.items()))):
                name = json.dumps(str(key), ensure_ascii=False)
                pending += ((member, False), (f"{',' if number else '{'}{name}:", True))
            if not item:
                pending.append(("{", True))
        elif isinstance(item, list | tuple):
            pending.append(("]", True))
            for number, member in reversed(list(enumerate(item))):
                pending += ((member, False), ("," if number else "[", True))
            if not item:
                pending.append(("[", True))
        elif isinstance(item, float) and not math.isfinite(item):
            yield "null" if math.isnan(item) else "1e999" if item > 0 else "-1e999"
        else:
            yield json.dumps(item, ensure_ascii=False)


def splice(raw: bytes, edits: Mapping[JsonPath, bytes], remove: Collection[JsonPath] = ()) -> bytes:
    """`raw` with the values at the paths of `edits` replaced and the members or items at `remove` removed.

    All paths refer to `raw` as given. A member is removed with its comma; duplicate keys are all removed.
    Raises KeyError for a path that does not exist, ValueError if two of them overlap.
    """
    if () in remove:
        raise ValueError("a whole record cannot be removed from itself")
    found = _find(raw, (*edits, *remove))
    changes = [(found[path].start, found[path].end, new) for path, new in edits.items()]
    siblings: dict[JsonPath, set[str | int]] = {}
    for path in remove:
        siblings.setdefault(path[:-1], set()).add(path[-1])
    for parent, keys in siblings.items():
        changes += _cuts(raw, found[parent].start, keys)
    return replace_spans(raw, changes)


def replace_spans(raw: bytes, changes: Iterable[tuple[int, int, bytes]]) -> bytes:
    """`raw` with the bytes [start, end) of each change replaced; raises ValueError if two overlap."""
    pieces: list[bytes] = []
    done = 0
    for start, end, new in sorted(changes):
        if start < done:
            raise ValueError(f"two edits overlap at byte {start}")
        pieces += (raw[done:start], new)
        done = end
    return b"".join((*pieces, raw[done:]))


def _cuts(raw: bytes, start: int, keys: set[str | int]) -> Iterator[tuple[int, int, bytes]]:
    """The byte ranges to cut so that the container at `start` loses `keys` and its commas stay valid."""
    members = list(items(raw, start))
    kept_before = False
    for number, member in enumerate(members):
        if member.key not in keys:
            kept_before = True
        elif kept_before:
            # Cut with the comma before it, so that the last member is no special case.
            yield members[number - 1].end, member.end, b""
        elif number + 1 < len(members):
            yield member.begin, members[number + 1].begin, b""
        else:
            yield member.begin, member.end, b""


def insert(raw: bytes, path: JsonPath, key: str, value: bytes) -> bytes:
    """`raw` with the member `key` added at the end of the object at `path`.

    `value` is JSON. Raises KeyError if there is no object there.
    """
    start, _ = span(raw, path)
    if raw[start : start + 1] != b"{":
        raise KeyError(path)
    ends = [member.end for member in items(raw, start)]
    at = ends[-1] if ends else start + 1
    return b"".join((raw[:at], b"," if ends else b"", encode(key), b":", value, raw[at:]))
