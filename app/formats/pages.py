"""The bytes of a document that is too large for memory, read in pages on demand."""

from __future__ import annotations

from functools import cached_property
from typing import Final, TypeAlias

from app.formats.source import CHUNK, Source

PAGE: Final = 2 << 20
"""Bytes of a page; one page is held at a time."""


class Pages:
    """The bytes of a source from `begin` on, with the interface of `bytes`; offsets count from there."""

    def __init__(self, source: Source, begin: int = 0, page: int = PAGE) -> None:
        """`page` is the number of bytes read at once."""
        self._source = source
        self._begin = begin
        self._limit = page
        self._size = source.size - begin
        self._page = b""
        self._from = 0

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, span: slice) -> bytes:
        start, end, _ = span.indices(self._size)
        if end - start > self._limit:
            return self._source.read(self._begin + start, end - start)
        if not self._from <= start <= end <= self._from + len(self._page):
            self._page, self._from = self._source.read(self._begin + start, self._limit), start
        return self._page[start - self._from : end - self._from]

    def startswith(self, prefix: bytes, start: int = 0) -> bool:
        """Whether the bytes at `start` begin with `prefix`."""
        return self[start : start + len(prefix)] == prefix

    def count(self, sign: bytes, start: int, end: int) -> int:
        """The number of occurrences of one byte in [start, end)."""
        places = range(start, end, CHUNK)
        return sum(self[place : min(place + CHUNK, end)].count(sign) for place in places)

    @cached_property
    def whole(self) -> bytes:
        """All bytes, kept in memory from now on: a damaged document cannot be read in pages."""
        return self._source.read(self._begin, self._size)


Data: TypeAlias = bytes | Pages


def all_of(data: Data) -> bytes:
    """The bytes themselves."""
    return data.whole if isinstance(data, Pages) else data
