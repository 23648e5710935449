"""Parsing and repairing the bytes of one record, leniently enough for damaged files.

A record's value must not depend on the reader: the index and a later read of the record use the same
`parse`. The fast decoder handles only sound JSON and refuses anything doubtful (a lone surrogate, a
number that no float holds); the standard library then decides. Where both return a value it is the
same one, which the tests check.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import Struct

from app.formats.splice import DOUBTS as DOUBTS
from app.formats.splice import STRING, Scan, deeper, encode, items, replace_spans, scan

MAX_NESTING: Final = 200
"""Levels that are parsed of a value too deep for the parser; deeper values are returned as their text."""

MAX_DIGITS: Final = 4300
"""Python's own limit for parsing integers; a longer one is returned as a string."""

_NEAR = 64

_object_start = re.compile(rb'\{[ \t]*+"')
_uncouth = re.compile(b"(" + STRING + rb")|[\r\n]++|-?Infinity|NaN", re.DOTALL)
_break = re.compile(rb"[\w.+-]*+\0*+")
_control = re.compile(rb"[\x00-\x1f]")


def _reject(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= MAX_DIGITS else digits


decode_fast: Final = msgspec.json.Decoder().decode
"""bytes -> the value of surely sound JSON, surrounding whitespace allowed; else raises one of `DOUBTS`."""

_strict = json.JSONDecoder(parse_constant=_reject)

decode_window: Final = _strict.raw_decode
"""text, start -> (value, end) of sound JSON that begins there; else raises ValueError or RecursionError."""

_decode_leniently = json.JSONDecoder(strict=False, parse_int=_integer).raw_decode


def decode_sound(raw: bytes) -> Any:
    """The value of sound JSON, surrounding whitespace allowed; else raises ValueError or RecursionError."""
    try:
        return decode_fast(raw)
    except DOUBTS:
        return _strict.decode(raw.decode())


class Parsed(NamedTuple):
    """A record's value, and warning words for the damage in its bytes."""

    value: Any
    words: tuple[str, ...]


def parse_record(raw: bytes) -> Any:
    """The value of one record's bytes.

    An integer of more than `MAX_DIGITS` digits becomes a string, bytes that are not UTF-8 become
    U+FFFD. Raises ValueError if nothing can be read.
    """
    return parse(raw).value


def parse(raw: bytes) -> Parsed:
    """The value of one record's bytes with the damage found; spanning several lines is damage too.

    Raises ValueError if nothing can be read.
    """
    raw = raw.strip(b" \t\r\n")
    try:
        value = decode_sound(raw)
    except (ValueError, RecursionError):
        return _parse_damaged(raw)
    return Parsed(value, ("bad-line",) if b"\n" in raw else ())


def _parse_damaged(raw: bytes) -> Parsed:
    words: list[str] = []
    reach = scan(raw)
    if not reach.whole or reach.end < len(raw):
        cut = unsplice(raw)
        if cut is None:
            raise ValueError(f"not one JSON value: reading stopped at byte {reach.end}")
        words.append("spliced-record")
        raw = cut.outer
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        words.append("invalid-utf8")
        text = raw.decode("utf-8", "replace")
    if b"\0" in raw:
        words.append("nul-bytes")
    # Without any of these words only the strict decoder objects: NaN, raw control characters, a huge
    # integer, deep nesting.
    return Parsed(_read(text), tuple(words) or ("bad-line",))


def _read(text: str) -> Any:
    try:
        return _decode_leniently(text)[0]
    except RecursionError:
        return _decode_leniently(_shallow(text.encode()).decode())[0]


def _shallow(raw: bytes) -> bytes:
    spans = deeper(raw, MAX_NESTING)
    return replace_spans(raw, [(start, end, encode(raw[start:end].decode())) for start, end in spans])


class Unspliced(Struct, frozen=True):
    """A record into which another one was written: `raw[start:end]` is the inner one."""

    outer: bytes
    start: int
    end: int


def unsplice(raw: bytes) -> Unspliced | None:
    """The inner record's span if `raw` is a record with another one written into the middle; else None.

    The inner one may have kept its line end.
    """
    reach = scan(raw)
    if reach.whole:
        return None
    likely = {
        cut: _likeness(raw[cut.start : cut.end], cut.outer)
        for start in intruders(raw, reach)
        if (cut := _cut(raw, start))
    }
    # The inner one is a record, so it resembles the outer one; a regular value followed by garbage
    # does not.
    found = [cut for cut in likely if cut.start != reach.last_container or likely[cut] >= 0.5]
    return max(found, key=likely.__getitem__, default=None)


def _cut(raw: bytes, start: int) -> Unspliced | None:
    inner = scan(raw, start)
    if not inner.whole:
        return None
    outer = raw[:start] + raw[inner.end :].removeprefix(b"\r").removeprefix(b"\n")
    whole = scan(outer)
    if not whole.whole or outer[whole.end :].strip(b" \t\r\n\0"):
        return None
    return Unspliced(outer[: whole.end], start, inner.end)


def _likeness(inner: bytes, outer: bytes) -> float:
    try:
        keys = {item.key for item in items(inner, 0)}
        return len(keys & {item.key for item in items(outer, 0)}) / len(keys)
    except (ValueError, ZeroDivisionError):
        return 0


def intruders(raw: bytes, reach: Scan, start: int = 0) -> Iterator[int]:
    """Candidate offsets of an object that interrupted the one at `start`, whose scan returned `reach`.

    Either the outer one broke off in a string, which then ends at the intruder's first quote; or the
    scan stopped right before the intruder; or it was taken for a value of the outer one.
    """
    near = _break.match(raw, reach.end).end() + _NEAR  # type: ignore[union-attr]  # it matches nothing too
    places = [match.start() for match in _object_start.finditer(raw, start + 1, near)]
    split = bisect_left(places, reach.end)
    yield from places[max(split - 1, 0) : split + 1]
    if reach.last_container > start and raw[reach.last_container : reach.last_container + 1] == b"{":
        yield reach.last_container


def mend(raw: bytes) -> bytes:
    """A damaged record as one line of sound JSON; a sound one is returned unchanged.

    Only invalid bytes change: raw control characters are escaped, line ends between values become
    spaces, bytes that are not UTF-8 become U+FFFD, NaN and Infinity become null, a record in the
    middle is removed. Raises ValueError if nothing can be read.
    """
    if not parse(raw).words:
        return raw
    raw = raw.strip(b" \t\r\n")
    cut = unsplice(raw)
    text = (cut.outer if cut else raw).decode("utf-8", "replace")
    return _uncouth.sub(_couth, text.encode())


def _couth(match: re.Match[bytes]) -> bytes:
    if match[1]:
        return _control.sub(lambda found: b"\\u%04x" % ord(found[0]), match[1])
    return b" " if match[0][:1] in b"\r\n" else b"null"
