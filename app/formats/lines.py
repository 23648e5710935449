"""The records of a JSONL file, line by line, and what can be saved of damaged lines.

Lines are cut at LF only. Damage is found here once, for all formats. A sound line costs one parse and
little else; everything below `LineReader._careful` runs only for lines on which that failed.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, NamedTuple

from app.formats.lenient import decode_sound, intruders, mend, parse, parse_record, unsplice
from app.formats.source import Source, chunks
from app.formats.splice import Scan, scan
from app.model import Notice

__all__ = ["UNREADABLE", "LineReader", "Row", "mend", "parse_record"]

HUGE: Final = 1 << 20
"""Bytes from which a record is called huge."""

JOIN_BYTES: Final = 8 << 20
"""How far a record may go on over further physical lines."""

PATIENCE: Final = 64 << 20
"""Bytes that are read in vain for the rest of torn records, in a whole file, before none is looked for."""

NOTICES: Final = 100
"""Notices of one word with a line of their own; the rest is counted."""

BOM: Final = b"\xef\xbb\xbf"

_padding = re.compile(rb"(?:[ \t\r\n\0]|\xef\xbb\xbf)*+")
_object_start = re.compile(rb'\{[ \t]*+"')
_surrogate = re.compile(rb"\\u[dD][89a-fA-F]")
_lone = re.compile(
    rb"(?<!\\)(?:\\\\)*+(?:\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    rb"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F])"
)


class _Unreadable(Enum):
    UNREADABLE = "unreadable"


UNREADABLE: Final = _Unreadable.UNREADABLE
"""The value of a row of which nothing could be read."""


class Row(NamedTuple):
    """One JSON value of the file, or bytes that are none. A tuple because there are so many."""

    offset: int
    """Bytes from the start of the file."""
    length: int
    """Bytes of the value, without the line end."""
    line: int
    """1-based number of its first physical line."""
    lines: int
    """Physical lines that it lies on."""
    value: Any
    """As `parse_record` gives it, or `UNREADABLE`."""
    damage: tuple[str, ...] = ()
    """Warning words; empty for a sound object."""


@dataclass(slots=True)
class _Piece:
    """A part of a line: one value, or bytes that are none (`whole` is False)."""

    start: int
    end: int
    whole: bool
    words: tuple[str, ...] = ()


class LineReader:
    """The rows of a source in file order: iterate once, then look at the other attributes.

    Never raises on damaged content. Reads in chunks; one line at a time is held.
    """

    def __init__(self, source: Source) -> None:
        self.notices: list[Notice] = []
        self.bad_lines: list[int] = []
        """Physical lines that are not one clean JSON value, ascending; blank lines are clean."""
        self.bom = False
        self.crlf = False
        self.final_newline = False
        self._source = source
        self._lines = _Lines(source)
        self._patience = PATIENCE
        self._counts: dict[str, int] = {}
        self._keys: frozenset[str] = frozenset()

    def __iter__(self) -> Iterator[Row]:
        number = 1
        empty = True
        for offset, line in self._lines:
            if offset == 0 and line.startswith(BOM):
                self.bom = True
                self._note("bom", 1)
                offset, line = 3, line[3:]
            if line[-1:] == b"\r" and not self.crlf and self._lines.ended_by_newline:
                self.crlf = True
                self._note("crlf", number)
            try:
                text = line.decode()
                value, end = decode_sound(text)
                sound = type(value) is dict and (end == len(text) or text[end:] == "\r")
            except (ValueError, RecursionError):
                sound = False
            if sound:
                empty = False
                size = len(line) - (len(text) - end)
                if size >= HUGE or _surrogate.search(line):
                    self._remark(line, number)
                yield Row(offset, size, number, 1, value)
                number += 1
                continue
            for row in self._careful(offset, number, line):
                empty = False
                yield row
            number += 1 + self._lines.taken()
        self.final_newline = self._lines.final_newline
        if empty and not self.bad_lines:
            self._note("empty-file", None)
        self._finish()

    def _remark(self, raw: bytes, number: int) -> None:
        """Notices about a sound record."""
        if len(raw) >= HUGE:
            self._note("huge-record", number, f"{len(raw)} bytes")
        if _lone.search(raw):
            self._note("lone-surrogate", number)

    def _note(self, word: str, line: int | None, detail: str = "") -> None:
        count = self._counts[word] = self._counts.get(word, 0) + 1
        if count <= NOTICES:
            self.notices.append(Notice(word, line, detail))

    def _finish(self) -> None:
        for word, count in self._counts.items():
            if count > NOTICES:
                self.notices.append(Notice(word, None, f"and {count - NOTICES} lines more"))

    def _careful(self, offset: int, number: int, line: bytes) -> Iterator[Row]:
        """The rows of a line that is not one sound object."""
        line, pieces, nul = self._pieces(line)
        if nul:
            self._bad(number, 1 + line.count(b"\n"))
            self._note("nul-bytes", number)
        glued = sum(piece.whole for piece in pieces) > 1
        for piece in pieces:
            first = number + line.count(b"\n", 0, piece.start)
            lines = 1 + line.count(b"\n", piece.start, piece.end)
            raw = line[piece.start : piece.end]
            value, words = self._value(raw, piece)
            if glued and piece.whole and "spliced-record" not in words:
                words = ("glued-records", *words)
            if nul and "nul-bytes" not in words:
                words = (*words, "nul-bytes")
            if words:
                self._bad(first, lines)
            if value is not UNREADABLE and not isinstance(value, dict):
                words = (*words, "not-a-record")
            for word in words:
                if word != "nul-bytes" or not nul:
                    self._note(word, first)
            self._remark(raw, first)
            yield Row(offset + piece.start, len(raw), first, lines, value, words)

    def _value(self, raw: bytes, piece: _Piece) -> tuple[Any, tuple[str, ...]]:
        if not piece.whole:
            return UNREADABLE, piece.words
        try:
            value, words = parse(raw)
        except ValueError:
            return UNREADABLE, (*piece.words, "bad-line")
        return value, tuple(dict.fromkeys((*piece.words, *words)))

    def _bad(self, first: int, lines: int) -> None:
        start = max(first, self.bad_lines[-1] + 1) if self.bad_lines else first
        self.bad_lines.extend(range(start, first + lines))

    def _pieces(self, line: bytes) -> tuple[bytes, list[_Piece], bool]:
        """The bytes read (more than `line` if a record goes on), the values in them, NUL between them."""
        pieces: list[_Piece] = []
        stripped = line.rstrip(b" \t\r\0")
        nul = b"\0" in line[len(stripped) :]
        if not nul:
            stripped = line
        line = stripped
        pos, gap = _after_padding(line, 0)
        nul |= gap
        while pos < len(line):
            reach = scan(line, pos)
            if reach.whole:
                pieces.append(_Piece(pos, reach.end, True))
            else:
                if reach.torn and not nul and (joined := self._joined(line, pos)):
                    line = joined
                    continue
                line, more = self._broken(line, pos, reach, nul)
                pieces += more
            pos, gap = _after_padding(line, pieces[-1].end)
            nul |= gap
        return line, pieces, nul

    def _joined(self, line: bytes, pos: int) -> bytes | None:
        """`line` with the following physical lines over which its record goes on; they are taken."""
        if line[pos : pos + 1] not in (b"{", b"[") or self._patience <= 0:
            return None
        ahead = 16
        while True:
            following = self._lines.peek(ahead, JOIN_BYTES)
            joined = b"\n".join((line, *following))
            reach = scan(joined, pos)
            if reach.whole:
                end = joined.find(b"\n", reach.end)
                end = len(joined) if end < 0 else end
                if joined[reach.end : end].strip(b" \t\r"):
                    return None
                self._lines.take(joined.count(b"\n", 0, end) - line.count(b"\n"))
                return joined[:end]
            self._patience -= reach.end - pos
            if not reach.torn or len(following) < ahead or self._patience <= 0:
                return None
            ahead *= 16

    def _broken(self, line: bytes, pos: int, reach: Scan, nul: bool) -> tuple[bytes, list[_Piece]]:
        """What can be saved from `pos` on, where no whole value begins. Some piece always comes back."""
        rest = line[pos:]
        cut = unsplice(rest)
        if cut is None and not nul and (following := self._lines.peek(1, JOIN_BYTES)):
            cut = unsplice(rest + b"\n" + following[0])
            if cut is not None:
                self._lines.take(1)
                line = line + b"\n" + following[0]
        spliced = ("spliced-record",)
        if cut is not None:
            inner = _Piece(pos + cut.start, pos + cut.end, True, spliced)
            return line, [_Piece(pos, len(line.rstrip(b" \t\r")), True, spliced), inner]
        end = len(line.rstrip(b" \t\r\0"))
        start = self._record_at_end(line, pos, end, reach)
        if start is not None:
            return line, [_Piece(pos, start, False, ("bad-line",)), _Piece(start, end, True, spliced)]
        if reach.end == pos and (match := _object_start.search(line, pos + 1)):
            return line, [_Piece(pos, match.start(), False, ("bad-line",))]
        torn = line[pos : pos + 1] in (b"{", b"[") and self._lines.nothing_follows()
        word = "torn-tail" if torn else "bad-line"
        return line, [_Piece(pos, end, False, (word,))]

    def _record_at_end(self, line: bytes, pos: int, end: int, reach: Scan) -> int | None:
        """Where a whole record begins that was written behind the torn one at `pos`, up to the line's end."""
        for start in intruders(line, reach):
            if start > pos and (found := scan(line, start)).whole and found.end == end:
                return start
            if reach.torn:
                return None
        return None


def _after_padding(line: bytes, pos: int) -> tuple[int, bool]:
    match = _padding.match(line, pos)
    assert match is not None
    return match.end(), b"\0" in match[0]


class _Lines:
    """Physical lines without their LF, with a look ahead."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._ahead: deque[tuple[int, bytes]] = deque()
        self._read = self._split()
        self._taken = 0
        self.final_newline = False
        self.ended_by_newline = True

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        return self

    def __next__(self) -> tuple[int, bytes]:
        return self._ahead.popleft() if self._ahead else next(self._read)

    def peek(self, count: int, limit: int) -> list[bytes]:
        """Up to `count` lines that come next, until they hold `limit` bytes together."""
        total = 0
        found: list[bytes] = []
        while len(found) < count and total < limit:
            if len(found) == len(self._ahead):
                line = next(self._read, None)
                if line is None:
                    break
                self._ahead.append(line)
            found.append(self._ahead[len(found)][1])
            total += len(found[-1])
        return found

    def take(self, count: int) -> None:
        """Go over the next `count` lines, which were peeked at."""
        for _ in range(count):
            self._ahead.popleft()
        self._taken += count

    def taken(self) -> int:
        """Lines taken since the last call."""
        count, self._taken = self._taken, 0
        return count

    def nothing_follows(self) -> bool:
        """Whether only blanks and NUL come behind the current line."""
        return not any(line.strip(b" \t\r\0") for line in self.peek(64, JOIN_BYTES))

    def _split(self) -> Iterator[tuple[int, bytes]]:
        offset = 0
        rest: list[bytes] = []
        for chunk in chunks(self._source):
            first, *others = chunk.split(b"\n")
            rest.append(first)
            if not others:
                continue
            others.insert(0, b"".join(rest))
            rest = [others.pop()]
            for line in others:
                yield offset, line
                offset += len(line) + 1
        last = b"".join(rest)
        if last:
            yield offset, last
        else:
            self.final_newline = offset > 0
