"""The records of an open file, and the texts in them, read on demand."""

from __future__ import annotations

import threading
from array import array
from collections import OrderedDict
from typing import Any, Final

from app.content import mark_of
from app.formats.lenient_json import parse_record
from app.formats.source import FileSource, FileState, Source, changed_since_opened
from app.formats.splice import encode
from app.model import PREVIEW_CHARS, JsonPath, Record, compact_json

CACHE_BYTES: Final = 1 << 20
"""Bytes of records whose parsed values are cached."""

LARGE_BYTES: Final = 64 << 20
"""Largest record whose value is cached beside those, one at a time: a client may write a whole history
into one record, and reading each text of it would parse all of it."""


class RecordStore:
    """Implements `app.model.Records` over a source. Safe to read from several threads."""

    def __init__(self, source: Source, cache_bytes: int = CACHE_BYTES) -> None:
        self._source = source
        self.marks = source.marks
        """Whether texts get a mark (digest) while they are read, by which facts about them are looked up."""
        self._lies: array[int] = array("q")
        """Offset, length and line of each record, in an array since there can be a hundred thousand."""
        self.kinds: list[str] = []
        """The kind of each record, in order."""
        self._keys: list[str] = []
        self._damage: dict[int, tuple[str, ...]] = {}
        self._limit = cache_bytes
        self._cache: OrderedDict[int, Any] = OrderedDict()
        self._cached_bytes = 0
        self._large: tuple[int, Any] = (-1, None)
        self._lock = threading.Lock()
        self._paths: dict[JsonPath, JsonPath] = {}

    def append(self, record: Record) -> None:
        """Add the next record; its index must be the number of records before it."""
        if record.index != len(self.kinds):
            raise ValueError(f"record {record.index} appended as number {len(self.kinds)}")
        self._lies.extend((record.offset, record.length, record.line))
        self.kinds.append(record.kind)
        self._keys.append(record.key)
        if record.damage:
            self._damage[record.index] = record.damage

    @property
    def source_name(self) -> str:
        """The name of the file."""
        return self._source.name

    def __len__(self) -> int:
        return len(self.kinds)

    def __getitem__(self, index: int) -> Record:
        index = range(len(self.kinds))[index]
        offset, length, line = self._lies[3 * index : 3 * index + 3]
        damage = self._damage.get(index, ())
        return Record(index, offset, length, line, self.kinds[index], self._keys[index], damage)

    def length(self, index: int) -> int:
        """Bytes of a record, without its line end."""
        return self._lies[3 * index + 1]

    def damage(self, index: int) -> tuple[str, ...]:
        """Warning words for the damage in a record's bytes."""
        return self._damage.get(index, ())

    def raw(self, index: int) -> bytes:
        """The exact bytes of a record, without its line end."""
        index = range(len(self.kinds))[index]
        return self._source.read(self._lies[3 * index], self._lies[3 * index + 1])

    def value(self, index: int) -> Any:
        """The record as `parse_record` returns it; None if it is unreadable.

        The value is shared: do not change it. Raises FileChanged if the file no longer holds the record.
        """
        if self.kinds[index] == "unreadable":
            return None
        with self._lock:
            if index in self._cache:
                self._cache.move_to_end(index)
                return self._cache[index]
            if self._large[0] == index:
                return self._large[1]
        try:
            value = parse_record(self.raw(index))
        except ValueError as error:
            if isinstance(self._source, FileSource) and self._source.became() is FileState.OTHER:
                raise changed_since_opened(self.source_name) from error
            value = None
        self._keep(index, value)
        return value

    def _keep(self, index: int, value: Any) -> None:
        size = self._lies[3 * index + 1]
        if CACHE_BYTES < size <= LARGE_BYTES:
            self._large = index, value
        if size > self._limit:
            return
        with self._lock:
            if index not in self._cache:
                self._cache[index] = value
                self._cached_bytes += size
            while self._cached_bytes > self._limit:
                old, _ = self._cache.popitem(last=False)
                self._cached_bytes -= self._lies[3 * old + 1]

    def shared_path(self, path: JsonPath) -> JsonPath:
        """An equal path object that all contents share, so that 100,000 of them cost no memory."""
        return self._paths.setdefault(path, path)


class Stored:
    """An `app.model.Content` in a record of the file: only its length and a preview are in memory."""

    __slots__ = ("_mark", "_path", "_record", "_store", "chars", "preview", "size")

    def __init__(self, store: RecordStore, record: int, path: JsonPath, text: str) -> None:
        self._store = store
        self._record = record
        self._path = path
        self.chars = len(text)
        self.size = self.chars if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
        self.preview = text[:PREVIEW_CHARS]
        self._mark = mark_of(text) if store.marks else None

    @property
    def mark(self) -> bytes:
        """The text's mark; the first call reads the text unless it was marked before."""
        if self._mark is None:
            self._mark = mark_of(self.read())
        return self._mark

    def read(self) -> str:
        """The whole text; a value that is not a string is returned as compact JSON."""
        return text_of_value(self.value())

    def value(self) -> Any:
        """The JSON value. Raises FileChanged if the file no longer holds it."""
        value = self._store.value(self._record)
        try:
            for step in self._path:
                value = value[step]
        except (LookupError, TypeError) as error:
            raise changed_since_opened(self._store.source_name) from error
        return value

    def __repr__(self) -> str:
        return f"Stored({self._record}, {self._path!r}, {self.chars} chars)"


def stored(store: RecordStore, record: int, path: JsonPath, value: Any) -> Stored:
    """The content at `path` of a record; `value` is the value there, from which it is measured."""
    return Stored(store, record, store.shared_path(path), text_of_value(value))


def text_of_value(value: Any) -> str:
    """A string as it is, anything else as compact JSON."""
    if isinstance(value, str):
        return value
    try:
        return compact_json(value)
    except RecursionError:
        return encode(value).decode()
