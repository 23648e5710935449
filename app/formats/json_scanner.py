"""Scanning the bytes of a JSON document: whitespace and punctuation, member names, values by offset.

In a sound document the fast decoder finds the ends of values in one pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from app.formats.lenient_json import DOUBTS, decode_fast, decode_sound, decode_window, parse
from app.formats.lines import UNREADABLE
from app.formats.pages import Data, Pages, all_of
from app.formats.splice import STRING, decode_items, decode_members, scan

_UNSOUND: Final = 32
"""Values that the fast decoder may refuse before it is no longer tried: each costs a window."""
_WINDOW: Final = 2 << 20
"""Bytes that are decoded at once."""
AT_ONCE: Final = 160 << 20
"""Bytes that the fast decoder scans in one call, which blocks other threads for a tenth of a second."""

_BLANKS: Final = b" \t\r\n"
_LOOK: Final = 256
"""Bytes searched for whitespace at once: it is seldom more than a line end and an indent."""
_name = re.compile(STRING, re.DOTALL)
_SEPARATORS: Final = (b",", b"]", b"}")


class Element(NamedTuple):
    """A value in the list of messages. A NamedTuple because there are so many."""

    start: int
    end: int
    """Its bytes are [start, end) of the file."""
    value: Any
    """`UNREADABLE` if nothing could be read."""
    damage: tuple[str, ...] = ()
    """Warning words; empty for sound JSON."""


def blank_end(data: Data, start: int) -> int:
    """The end of the JSON whitespace at `start`."""
    while piece := data[start : start + _LOOK]:
        if left := piece.lstrip(_BLANKS):
            return start + len(piece) - len(left)
        start += len(piece)
    return start


def separator(data: Data, start: int) -> tuple[bytes, int]:
    """The comma or closing bracket after whitespace at `start` (empty if none), and where it ends."""
    place = blank_end(data, start)
    sign = data[place : place + 1]
    return (sign, place + 1) if sign in _SEPARATORS else (b"", start)


def name_at(data: Data, start: int) -> tuple[bytes, int]:
    """The quoted member name after whitespace at `start`, and where its value begins.

    The name is empty unless it is complete and followed by a colon.
    """
    place = blank_end(data, start)
    near, at = (data, place) if isinstance(data, bytes) else (data[place : place + _WINDOW], 0)
    match = _name.match(near, at)
    if match is None:
        return b"", start
    colon = blank_end(data, place + match.end() - at)
    return (match[0], blank_end(data, colon + 1)) if data[colon : colon + 1] == b":" else (b"", start)


def laid_out(data: Data, start: int, begins: bytes, closes: bytes) -> re.Pattern[bytes] | None:
    """A pattern that finds the next item, or the end, of the list or object whose items start at `start`.

    The end of a match is the offset of an opening `begins` or a closing `closes`. None unless the JSON is
    pretty-printed: each item on its own lines, indented less than anything inside it.
    """
    _, newline, indent = data[start : blank_end(data, start)].rpartition(b"\n")
    if not newline or not indent:
        return None
    own, fewer = re.escape(indent), len(indent) - 1
    return re.compile(rb"\n(?:%b(?=\%b)|[ \t]{0,%d}+(?=\%b))" % (own, begins, fewer, closes))


def bytes_from(data: Data, start: int) -> memoryview:
    """The bytes from `start` on if they are in memory, else none."""
    return memoryview(b"" if isinstance(data, Pages) else data)[start:]


Bytes: TypeAlias = "msgspec.Raw | memoryview | bytes"


def items_of(raw: Bytes) -> Sequence[msgspec.Raw]:
    """The raw bytes of each value of a list; empty if the list is not sound JSON, or too large."""
    try:
        return decode_items(raw) if len(memoryview(raw)) <= AT_ONCE else ()
    except DOUBTS:
        return ()


def members_of(raw: Bytes) -> Mapping[str, msgspec.Raw]:
    """The raw bytes of each value of an object, by name; empty if it is not sound JSON, or too large."""
    try:
        return decode_members(raw) if len(memoryview(raw)) <= AT_ONCE else {}
    except DOUBTS:
        return {}


class Values:
    """Sound values by byte offset, at the speed of the decoder.

    `coming` are the raw values that will be asked for, in order, if known. Else a window of the bytes is
    decoded as Latin-1: the structure of JSON is ASCII, so positions are byte offsets, and only a value
    with non-ASCII bytes has to be decoded again.
    """

    def __init__(self, data: Data, coming: Iterable[msgspec.Raw] = ()) -> None:
        self._data = data
        self._coming = iter(coming)
        self._text = ""
        self._from = 0
        self._patience = _UNSOUND

    def at(self, pos: int) -> Element | None:
        """The element at `pos`; None if it is not sound or larger than the window."""
        raw = next(self._coming, None)
        if raw is not None:
            try:
                return Element(pos, pos + len(memoryview(raw)), decode_fast(raw))
            except DOUBTS:
                pass
        if self._patience <= 0:
            return None
        element = self._read(pos) if pos - self._from < len(self._text) else None
        if element is None and self._from + len(self._text) < len(self._data):
            self._text = self._data[pos : pos + _WINDOW].decode("latin-1")
            self._from = pos
            element = self._read(pos)
        return element

    def _read(self, pos: int) -> Element | None:
        try:
            value, end = decode_window(self._text, pos - self._from)
            if end == len(self._text) and isinstance(value, int | float):
                return None  # more digits may follow
            end += self._from
            raw = self._data[pos:end]
            return Element(pos, end, value if raw.isascii() else decode_sound(raw))
        except (ValueError, RecursionError):
            return None

    def end_of(self, pos: int) -> int | None:
        """The end of the value at `pos`; None if it is torn or not JSON."""
        element = self.at(pos)
        if element is not None:
            return element.end
        reach = scan(all_of(self._data), pos)
        if not reach.whole:
            return None
        self.missed(reach.end - pos)
        return reach.end

    def missed(self, length: int) -> None:
        """Note that a whole value of `length` bytes was found that the decoder had refused."""
        self._patience -= length < _WINDOW


def read_value(raw: bytes) -> tuple[Any, tuple[str, ...]]:
    """A value of a document with its damage; unlike a JSONL record it may span several lines."""
    with suppress(ValueError, RecursionError):
        return decode_sound(raw), ()
    try:
        return parse(raw)
    except ValueError:
        return UNREADABLE, ("bad-line",)
