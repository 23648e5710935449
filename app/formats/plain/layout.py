"""Reading the records of a plain JSON file, and assembling a new file from kept and new records.

Two layouts: one document with a list of messages, and one message a line. Both read the records once,
in file order, and write a new file from a sequence of kept records (by index) and new bytes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from sys import intern
from typing import Any, ClassVar, Final, NamedTuple, TypeAlias

from app.formats.document import BOM, MESSAGES, MessageFinder, MessageList
from app.formats.json_scanner import AT_ONCE, read_value
from app.formats.lenient_json import mend
from app.formats.lines import UNREADABLE, LineReader
from app.formats.pages import Data, Pages
from app.formats.plain.envelope import Member, made_shell, mended_shell
from app.formats.plain.sniffing import Shape, is_message, look_at, shape_of
from app.formats.plain.style import HEAD, Style, document_style, line_style
from app.formats.reshape import reshape
from app.formats.source import CHUNK, Source
from app.formats.store import RecordStore, Stored, stored
from app.model import JsonPath, Notice, Record, Session

Piece: TypeAlias = int | bytes
"""The index of a record that is kept byte for byte, or the bytes of another value."""

_LONGEST_KEY: Final = 200
_LAST_LINE: Final = 1 << 20
"""Bytes of the last conversation that are examined before it is opened."""
_CONTROLS: Final = ("\x1b", "\0", "\x07", "\x08", "\x7f", "\x9b", "\x9d", "\x90")
"""Control characters that a terminal acts on, except the usual line ends and tabs."""


class Loaded(NamedTuple):
    """A record as it was read."""

    record: Record
    value: Any
    """`UNREADABLE` if nothing could be read."""


class PlainRecords(RecordStore, ABC):
    """The records of a plain JSON session; iterate over `load()` once before anything else."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.source = source
        self.notices: list[Notice] = []
        self.bad_lines: list[int] = []
        self.listed = 0
        """Number of records in the list of messages; later ones are elsewhere in the file."""
        self.style = Style()
        self.bom = False
        self.controls: dict[int, int] = {}
        """Record -> how many of its texts hold control characters."""
        self._ids: set[str] = set()
        self.held = AT_ONCE
        """Bytes up to which a document is held in memory as a whole while it is read."""

    @abstractmethod
    def load(self) -> Iterator[Loaded]:
        """Add every value in the list of messages as a record and yield it, in file order."""

    @abstractmethod
    def write(self, pieces: Iterable[Piece], elsewhere: Mapping[int, bytes]) -> Iterator[bytes]:
        """The file with these messages; `elsewhere` are new bytes of records outside the list."""

    only_messages: ClassVar[bool] = True
    """Whether a record without a role deserves a notice."""

    def said(self, index: int, value: Any) -> bytes:
        """A record's bytes updated to another value."""
        return reshape(self.sound_bytes(index), self.value(index), value)

    def new(self, value: Any) -> bytes:
        """The bytes of a new value."""
        return self.style.written(value)

    def sound_bytes(self, index: int) -> bytes:
        """The bytes of a record as one sound JSON value. Raises ValueError if nothing can be read."""
        raw = self.raw(index)
        return mend(raw) if self[index].damage else raw

    def end_of(self, index: int) -> int:
        """The end offset of a record."""
        return self[index].offset + self[index].length

    def content(self, record: int, path: JsonPath, value: Any) -> Stored:
        """The content at `path` of a record; `value` is the value there, from which it is measured."""
        if isinstance(value, str) and any(sign in value for sign in _CONTROLS):
            self.controls[record] = self.controls.get(record, 0) + 1
        return stored(self, record, path, value)

    def _listed(self, offset: int, length: int, line: int, value: Any, damage: tuple[str, ...]) -> Loaded:
        words = (value.get("role"), value.get("type")) if isinstance(value, dict) else ()
        word = next((word for word in words if isinstance(word, str) and word), "other")
        kind = "unreadable" if value is UNREADABLE else intern(word)
        record = Record(len(self), offset, length, line, kind, self._key(offset, value), damage)
        self.append(record)
        self.listed += 1
        return Loaded(record, value)

    def _key(self, offset: int, value: Any) -> str:
        """The message's own id if it is usable, else `@offset`."""
        ident = value.get("id") if isinstance(value, dict) else None
        if (
            not isinstance(ident, str)
            or ident[:1] in ("", "@")
            or ident in self._ids
            or len(ident) > _LONGEST_KEY
        ):
            return f"@{offset}"
        self._ids.add(ident)
        return ident

    def _copied(self, start: int, end: int) -> Iterator[bytes]:
        for offset in range(start, end, CHUNK):
            yield self.source.read(offset, min(CHUNK, end - offset))


class LineRecords(PlainRecords):
    """One message a line."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._sound = True
        self._end = source.size
        """End offset of the last line, without its line end."""

    def load(self) -> Iterator[Loaded]:
        reader = LineReader(self.source, is_message)
        for row in reader:
            if not self.listed:
                head = self.source.read(row.offset, min(row.length, HEAD))
                self.style = line_style(head)
            yield self._listed(row.offset, row.length, row.line, row.value, row.damage)
        self._note_lines(reader)

    def _note_lines(self, reader: LineReader) -> None:
        """Take over the reader's findings after the last line."""
        self.notices += reader.notices
        self.bad_lines += reader.bad_lines
        self.bom = reader.bom
        self._sound = not (reader.bom or reader.crlf or reader.bad_lines)
        self._end = self.source.size - reader.final_newline

    def write(self, pieces: Iterable[Piece], elsewhere: Mapping[int, bytes]) -> Iterator[bytes]:
        anew = (elsewhere.get(p, p) if isinstance(p, int) else p for p in pieces) if elsewhere else pieces
        for run in _runs(anew, joined=self._sound):
            if isinstance(run, bytes):
                yield run
            else:
                yield from self._copied(*self._span(run))
            yield b"\n"

    def _span(self, run: tuple[int, int]) -> tuple[int, int]:
        """The byte span of kept records; in a sound file the first and last include blank lines there."""
        first, last = run
        begin = 0 if self._sound and first == 0 else self[first].offset
        is_last = self._sound and last == len(self) - 1
        return begin, self._end if is_last else self.end_of(last)


class DocumentRecords(PlainRecords):
    """One JSON document, or the last of several with a line each."""

    def __init__(self, source: Source, begin: int = 0, member: str = MESSAGES) -> None:
        super().__init__(source)
        self._begin = begin
        self._member = member
        self._list = MessageList((), 0, 0, 0)
        self._members: dict[str, tuple[int, int]] = {}
        self._sound_shell = True
        self._counted = (0, 1)

    def load(self) -> Iterator[Loaded]:
        base = self._begin
        size = self.source.size - base
        data: Data = self.source.read(base, size) if size <= self.held else Pages(self.source, base)
        self.bom = not base and data.startswith(BOM)
        line, counted = 1 + self._lines_before(), 0
        finder = MessageFinder(data, len(BOM) if self.bom else 0, self._member)
        spans: list[tuple[int, int]] = []
        for start, end, value, damage in finder:
            self.source.reached = base + start
            line, counted = line + data.count(b"\n", counted, start), start
            if damage:
                self.bad_lines += range(line, line + 1 + data.count(b"\n", start, end))
            if value is not UNREADABLE and not isinstance(value, dict):
                damage = (*damage, "not-a-record")
            self.notices += (Notice(word, line) for word in damage)
            if len(spans) < 2:
                spans.append((start, end))
            yield self._listed(base + start, end - start, line, value, damage)
        found = finder.found
        if found is None:
            return
        self.style = document_style(data, found.start, spans)
        self._note_damage(found, line + data.count(b"\n", counted, found.end))
        self._look_at_shell(data[: found.start] + data[found.end : found.stop] + found.closing)
        self._members = {key: (base + start, base + end) for key, (start, end) in found.members.items()}
        self._list = replace(
            found, start=base + found.start, end=base + found.end, stop=base + found.stop, members={}
        )

    def _lines_before(self) -> int:
        return sum(chunk.count(b"\n") for chunk in self._copied(0, self._begin))

    def _note_damage(self, found: MessageList, line: int) -> None:
        if self.bom:
            self.notices.append(Notice("bom", 1))
        if self._begin:
            detail = "one conversation per line: the last one is open, the others stay as they are"
            self.notices.append(Notice("several-sessions", detail=detail))
        known = {notice.word for notice in self.notices}
        self.notices += (Notice(word, line) for word in found.words if word not in known)
        if "torn-tail" in found.words and line not in self.bad_lines:
            self.bad_lines.append(line)

    def _look_at_shell(self, shell: bytes) -> None:
        """Add notices about the bytes around the messages."""
        shell = shell.removeprefix(BOM).strip(b" \t\r\n")
        value, damage = read_value(shell)
        if damage and (value is UNREADABLE or mend(shell) != shell):
            self._sound_shell = False
            lost = "; an export leaves out what cannot be read there" if value is UNREADABLE else ""
            self.notices += (Notice(word, detail=f"outside the messages{lost}") for word in damage)

    def member(self, key: str) -> tuple[int, int] | None:
        """The byte span of the list's sibling value `key`, if it is whole."""
        return self._members.get(key)

    def member_value(self, key: str, longest: int) -> Any:
        """The list's sibling value `key`; None if absent, damaged or over `longest` bytes."""
        start, end = self._members.get(key, (0, 0))
        if not 0 < end - start <= longest:
            return None
        value, damage = read_value(self.source.read(start, end - start))
        return None if damage else value

    def add_elsewhere(self, start: int, end: int, kind: str) -> Record:
        """Add a record for a value outside the list; call it after loading."""
        record = Record(len(self), start, end - start, self._line_of(start), kind, f"@{start}")
        self.append(record)
        return record

    def _line_of(self, offset: int) -> int:
        known, line = self._counted if self._counted[0] <= offset else (0, 1)
        line += sum(chunk.count(b"\n") for chunk in self._copied(known, offset))
        self._counted = (offset, line)
        return line

    def write(self, pieces: Iterable[Piece], elsewhere: Mapping[int, bytes]) -> Iterator[bytes]:
        if self._sound_shell:
            yield from self._before(elsewhere)
            yield from self._messages(pieces)
            yield from self._behind(elsewhere)
            return
        path, start, end = self._list.path, self._list.start, self._list.end
        before, behind = mended_shell(
            b"".join(self._before(elsewhere)), b"".join(self._behind(elsewhere)), path
        ) or made_shell(
            path,
            self._readable(0, start, elsewhere),
            self._readable(end, self.source.size, elsewhere),
            (self.style.step or "").encode(),
        )
        yield before
        yield from self._messages(pieces)
        yield behind

    def _readable(self, start: int, end: int, elsewhere: Mapping[int, bytes]) -> Iterator[Member]:
        """The readable siblings of the list in a part of the file."""
        new = {self[index].offset: data for index, data in elsewhere.items()}
        for key, (begin, stop) in self._members.items():
            if start <= begin < end:
                raw = self.source.read(begin, stop - begin)
                with suppress(ValueError):
                    yield key, new.get(begin) or (mend(raw) if read_value(raw)[1] else raw)

    def _messages(self, pieces: Iterable[Piece]) -> Iterator[bytes]:
        first = True
        for run in _runs(pieces, joined=self._list.sound):
            yield self._gap(run, first)
            if isinstance(run, bytes):
                yield run
            else:
                yield from self._copied(self[run[0]].offset, self.end_of(run[-1]))
            first = False
        if not first:
            yield self._last_gap()

    def _before(self, elsewhere: Mapping[int, bytes]) -> Iterator[bytes]:
        return self._outside(len(BOM) if self.bom and not self._begin else 0, self._list.start, elsewhere)

    def _behind(self, elsewhere: Mapping[int, bytes]) -> Iterator[bytes]:
        yield from self._outside(self._list.end, self._list.stop, elsewhere)
        if self._list.closing:
            yield self._list.closing + b"\n"
        elif self._list.stop < self.source.size and self.source.read(self._list.stop - 1, 1) != b"\n":
            yield b"\n"

    def _outside(self, start: int, end: int, elsewhere: Mapping[int, bytes]) -> Iterator[bytes]:
        for index, new in sorted(elsewhere.items(), key=lambda item: self[item[0]].offset):
            if start <= self[index].offset < end:
                yield from self._copied(start, self[index].offset)
                yield new
                start = self.end_of(index)
        yield from self._copied(start, end)

    def _gap(self, run: Run, first: bool) -> bytes:
        """The bytes before a message."""
        index = None if isinstance(run, bytes) else run[0]
        if first and self.listed and self._list.sound:
            return self.source.read(self._list.start, self[0].offset - self._list.start)
        if first:
            gap = self.style.separator.replace(b",", b"")
            return gap if b"\n" in gap else b""
        if index and self._list.sound:
            return self.source.read(self.end_of(index - 1), self[index].offset - self.end_of(index - 1))
        return self.style.separator

    def _last_gap(self) -> bytes:
        """The bytes before the closing bracket."""
        if self.listed and self._list.sound:
            end = self.end_of(self.listed - 1)
            return self.source.read(end, self._list.end - end)
        outer = self.style.margin.removesuffix(self.style.step or "").encode()
        return b"\n" + outer if b"\n" in self.style.separator else b""


def open_records(source: Source, member: str = MESSAGES) -> PlainRecords:
    """The records of a plain JSON session, not yet loaded; `member` names the list if it is not the root."""
    match shape_of(source, member):
        case Shape.LINES:
            return LineRecords(source)
        case Shape.CONVERSATIONS:
            begin = _last_line(source)
            begin += len(BOM) if source.read(begin, len(BOM)) == BOM else 0
            line = look_at(source.read(begin, _LAST_LINE), whole=False, member=member)
            return DocumentRecords(source, begin if line.shape is Shape.DOCUMENT else 0, member)
        case Shape.DOCUMENT:
            return DocumentRecords(source, member=member)


Run: TypeAlias = tuple[int, int] | bytes
"""The first and last index of adjacent records, or the bytes of another value."""


def _runs(pieces: Iterable[Piece], *, joined: bool) -> Iterator[Run]:
    """The pieces; if `joined`, records that are adjacent in the file are one run."""
    run: tuple[int, int] | None = None
    for piece in pieces:
        if isinstance(piece, int) and run is not None and joined and piece == run[1] + 1:
            run = (run[0], piece)
            continue
        if run is not None:
            yield run
        run = None if isinstance(piece, bytes) else (piece, piece)
        if isinstance(piece, bytes):
            yield piece
    if run is not None:
        yield run


def _last_line(source: Source) -> int:
    """The offset of the last non-blank line."""
    end, seen = source.size, False
    while end > 0:
        begin = max(0, end - CHUNK)
        chunk = source.read(begin, end - begin)
        limit = len(chunk) if seen else len(chunk.rstrip(b" \t\r\n\0"))
        newline = chunk.rfind(b"\n", 0, limit)
        if newline >= 0:
            return begin + newline + 1
        seen = seen or limit > 0
        end = begin
    return 0


def records_of(session: Session) -> PlainRecords:
    """The records of a session read by a plain format; raises TypeError for any other."""
    if not isinstance(session.records, PlainRecords):
        raise TypeError(f"a {session.format} session is not written as plain JSON records")
    return session.records
