"""Reading the records of a JSONL file line by line, recovering what it can from damaged lines.

Lines end at LF only. Damage is detected here once, for all formats. A sound line costs little more than
one parse; everything from `LineReader._careful` on runs only for lines on which that failed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Any, Final, NamedTuple

from msgspec import Struct

from app.formats.lenient_json import (
    DOUBTS,
    decode_fast,
    decode_sound,
    intruders,
    mend,
    parse,
    parse_record,
    unsplice,
)
from app.formats.physical_lines import LINE_COST, PhysicalLines
from app.formats.source import Source
from app.formats.splice import Scan, scan
from app.model import Notice

__all__ = ["UNREADABLE", "LineReader", "Row", "mend", "parse_record"]

HUGE: Final = 1 << 20
"""Bytes from which a record is called huge."""

JOIN_BYTES: Final = 32 << 20
"""Bytes of further physical lines over which a record may continue."""

# A few lines first: for most torn records the next line already shows that they do not continue.
_LOOK_AHEAD = (1 << 10, 1 << 18, JOIN_BYTES)

PATIENCE: Final = 64 << 20
"""Bytes in a whole file that may be read in vain for the rest of torn records before giving up."""

NOTICES: Final = 100
"""Notices of one word that are listed by line; the rest is counted."""

BOM: Final = b"\xef\xbb\xbf"

_PADDING = b" \t\r\n\0"
_padding = re.compile(rb"(?:[ \t\r\n\0]|\xef\xbb\xbf)*+")
_surrogate = re.compile(rb"\\u[dD][89a-fA-F]")
_low = re.compile(rb"\\u[dD][c-fC-F]")
_LOW: Final = tuple(b"cdefCDEF"[n : n + 1] for n in range(8))


class _Unreadable(Enum):
    UNREADABLE = "unreadable"


UNREADABLE: Final = _Unreadable.UNREADABLE
"""The value of a row that could not be parsed."""


class Row(NamedTuple):
    """One JSON value of the file, or bytes that are not JSON. A NamedTuple because there are so many."""

    offset: int
    """Bytes from the start of the file."""
    length: int
    """Bytes of the value, without the line end."""
    line: int
    """1-based number of its first physical line."""
    lines: int
    """Physical lines that it spans."""
    value: Any
    """As `parse_record` returns it, or `UNREADABLE`."""
    damage: tuple[str, ...] = ()
    """Warning words; empty for a sound object."""


class _Piece(Struct):
    """A part of a line: one value, or bytes that are not JSON (`whole` is False)."""

    start: int
    end: int
    whole: bool
    words: tuple[str, ...] = ()


class LineReader:
    """The rows of a source in file order: iterate once, then read the other attributes.

    Never raises on damaged content. Reads in chunks and holds one line at a time, plus the following
    lines that a damaged record needs.
    """

    def __init__(self, source: Source, known: Callable[[Mapping[str, Any]], bool] = lambda _: False) -> None:
        """`known` tells whether an object is a record, when there is no earlier record to compare it with."""
        self.notices: list[Notice] = []
        self.bad_lines: list[int] = []
        """Physical lines that are not one clean JSON value, ascending; blank lines are clean."""
        self.bom = False
        self.crlf = False
        self.final_newline = False
        self._lines = PhysicalLines(source)
        self._patience = PATIENCE
        self._noted: dict[str, tuple[int, int | None]] = {}
        self._last: dict[str, Any] = {}
        self._known = known

    def __iter__(self) -> Iterator[Row]:
        number = 1
        empty = True
        for offset, line in self._lines:
            size = len(line)
            if line[-1:] == b"\r":
                size -= 1
                if not self.crlf:
                    self.crlf = True
                    self._note("crlf", number)
            value = None
            if line[:1] == b"{" and line[size - 1 : size] == b"}":
                try:
                    value = decode_fast(line)
                except DOUBTS:
                    value = self._doubtful(line[:size], number)
            if value is not None:
                empty = False
                self._last = value
                if size >= HUGE:
                    self._note("huge-record", number, f"{size} bytes")
                yield Row(offset, size, number, 1, value)
            elif line and not line.isspace():
                for row in self._careful(offset, number, line):
                    empty = False
                    yield row
                number += self._lines.taken()
            number += 1
        self.final_newline = self._lines.final_newline
        if empty and not self.bad_lines:
            self._note("empty-file", None)
        self._count_the_rest()

    def _doubtful(self, line: bytes, number: int) -> dict[str, Any] | None:
        """The line's object, if it is exactly one, where the fast decoder refused it; else None."""
        try:
            value: dict[str, Any] = decode_sound(line)
        except (ValueError, RecursionError):
            return None
        self._remark(line, number)
        return value

    def _remark(self, raw: bytes, number: int) -> None:
        """Add the notices about a record that are not damage."""
        if len(raw) >= HUGE:
            self._note("huge-record", number, f"{len(raw)} bytes")
        if _has_half(raw):
            self._note("lone-surrogate", number)

    def _note(self, word: str, line: int | None, detail: str = "") -> None:
        count, last = self._noted.get(word, (0, -1))
        if line == last:
            return
        self._noted[word] = (count + 1, line)
        if count < NOTICES:
            self.notices.append(Notice(word, line, detail))

    def _count_the_rest(self) -> None:
        for word, (count, _) in self._noted.items():
            if count > NOTICES:
                self.notices.append(Notice(word, None, f"{count - NOTICES} more lines"))

    def _bad(self, first: int, lines: int) -> None:
        start = max(first, self.bad_lines[-1] + 1) if self.bad_lines else first
        self.bad_lines.extend(range(start, first + lines))

    def _careful(self, offset: int, number: int, line: bytes) -> Iterator[Row]:
        """The rows in a line that is not exactly one sound object."""
        if line.startswith(BOM):
            self.bom |= offset == 0
            self._note("bom", number)
        line, pieces, nul = self._pieces(line)
        if nul:
            self._bad(number, 1 + line.count(b"\n"))
            self._note("nul-bytes", number)
        glued = sum(piece.whole for piece in pieces) > 1
        done = 0
        for piece in pieces:
            number += line.count(b"\n", done, piece.start)
            done = piece.start
            raw = line[piece.start : piece.end]
            lines = 1 + raw.count(b"\n")
            value, words = _value(raw, piece)
            if glued and piece.whole and "spliced-record" not in words:
                words = ("glued-records", *words)
            if (nul or b"\0" in raw) and "nul-bytes" not in words:
                words = (*words, "nul-bytes")
            if words:
                self._bad(number, lines)
            if value is not UNREADABLE and not isinstance(value, dict):
                words = (*words, "not-a-record")
            for word in words:
                self._note(word, number)
            self._remark(raw, number)
            yield Row(offset + piece.start, len(raw), number, lines, value, words)

    def _pieces(self, line: bytes) -> tuple[bytes, list[_Piece], bool]:
        """The bytes read (longer than `line` if a record continues), the pieces, and if NUL is around."""
        pieces: list[_Piece] = []
        unpadded = line.rstrip(_PADDING)
        nul = b"\0" in line[len(unpadded) :]
        if nul:
            line = unpadded
        pos, gap = _after_padding(line, 0)
        nul |= gap
        while pos < len(line):
            reach = scan(line, pos)
            if reach.torn and not nul and (joined := self._joined(line, pos)):
                line = joined
                continue
            if reach.whole and self._stands_alone(line, pos, reach.end):
                pieces.append(_Piece(pos, reach.end, True))
            else:
                line, more = self._broken(line, pos, reach, nul)
                pieces += more
            pos, gap = _after_padding(line, max(piece.end for piece in pieces[-2:]))
            nul |= gap
        return line, pieces, nul

    def _stands_alone(self, line: bytes, start: int, end: int) -> bool:
        """Whether a whole value is a record of its own, not part of the rest of a torn one."""
        behind, _ = _after_padding(line, end)
        if behind == len(line):
            return True
        return line[start : start + 1] == b"{" and (
            line[behind : behind + 1] not in (b",", b":", b"]", b"}") or self._is_record(line[start:end])
        )

    def _joined(self, line: bytes, pos: int) -> bytes | None:
        """`line` with the physical lines over which its record continues, which are consumed; else None."""
        if line[pos : pos + 1] not in (b"{", b"["):
            return None
        for limit in _LOOK_AHEAD:
            if self._patience <= 0:
                break
            following = self._lines.ahead(limit)
            joined = b"\n".join((line, *following))
            reach = scan(joined, pos)
            if reach.whole:
                end = joined.find(b"\n", reach.end)
                end = len(joined) if end < 0 else end
                if joined[reach.end : end].strip(b" \t\r"):
                    break
                self._lines.take(joined.count(b"\n", len(line), end))
                return joined[:end]
            self._patience -= len(joined) - pos + LINE_COST * len(following)
            if not reach.torn:
                break
        return None

    def _broken(self, line: bytes, pos: int, reach: Scan, nul: bool) -> tuple[bytes, list[_Piece]]:
        """The bytes read, and at least one piece from `pos` on, where no standalone value begins."""
        spliced = ("spliced-record",)
        rest = line[pos:]
        cut = unsplice(rest)
        if cut is None and not nul and self._patience > 0 and (following := self._lines.ahead(1)):
            self._patience -= len(rest)
            cut = unsplice(rest + b"\n" + following[0])
            if cut is not None:
                self._lines.take(1)
                line = line + b"\n" + following[0]
        end = len(line.rstrip(_PADDING))
        if cut is not None:
            inner = _Piece(pos + cut.start, pos + cut.end, True, spliced)
            return line, [_Piece(pos, end, True, spliced), inner]
        start = self._record_at_end(line, pos, end, reach)
        if start is not None:
            return line, [_Piece(pos, start, False, ("bad-line",)), _Piece(start, end, True, spliced)]
        torn = reach.torn and line[pos : pos + 1] in (b"{", b"[") and self._lines.nothing_follows()
        return line, [_Piece(pos, end, False, ("torn-tail" if torn else "bad-line",))]

    def _record_at_end(self, line: bytes, pos: int, end: int, reach: Scan) -> int | None:
        """Where a whole record begins that follows broken bytes and ends with the line; else None."""
        for start in intruders(line, reach, pos):
            found = scan(line, start)
            if found.whole and found.end == end and (not reach.torn or self._is_record(line[start:end])):
                return start
        return None

    def _is_record(self, raw: bytes) -> bool:
        """Whether an object resembles the record before it, or is `known`, so is not part of a torn one."""
        try:
            value = parse(raw).value
        except ValueError:
            return False
        return 2 * len(value.keys() & self._last.keys()) > len(value) or self._known(value)


def _value(raw: bytes, piece: _Piece) -> tuple[Any, tuple[str, ...]]:
    if not piece.whole:
        return UNREADABLE, piece.words
    try:
        value, words = parse(raw)
    except ValueError:
        return UNREADABLE, (*piece.words, "bad-line")
    return value, tuple(dict.fromkeys((*piece.words, *words)))


def _after_padding(line: bytes, pos: int) -> tuple[int, bool]:
    """The end of whitespace, NUL and byte-order marks at `pos`, and whether there was a NUL."""
    match = _padding.match(line, pos)
    return (match.end(), b"\0" in match[0]) if match else (pos, False)


def _has_half(raw: bytes) -> bool:
    """Whether the escapes of a record contain a lone surrogate."""
    paired = -1
    for found in _surrogate.finditer(raw):
        at = found.start()
        before = at
        while before and raw[before - 1] == 0x5C:
            before -= 1
        if (at - before) % 2:
            continue  # an escaped backslash followed by a plain `u`
        if raw[at + 3 : at + 4] in _LOW:
            if at != paired:
                return True
        elif _low.match(raw, at + 6):
            paired = at + 6
        else:
            return True
    return False
