"""Facts about a file's first bytes, computed once during format detection.

Each format in turn sniffs the file; what one of them computed is cached for the next.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any, Final, TypeVar

from app.formats.lenient_json import parse_record
from app.formats.source import Source

HEAD: Final = 1 << 20
"""Bytes of the head in which lines are examined."""

LINES: Final = 200
"""Lines that are examined."""

AROUND: Final = b" \t\r\n\0\xef\xbb\xbf"
"""Bytes that may surround the value of a line."""

Found = TypeVar("Found")


class Glance:
    """A source with a cache for format detection. Not thread-safe."""

    def __init__(self, source: Source) -> None:
        self.name = source.name
        self.size = source.size
        self.marks = source.marks
        self.reached = 0
        self._source = source
        self._kept: dict[Hashable, Any] = {}

    def read(self, offset: int, length: int) -> bytes:
        return self._source.read(offset, length)

    def keep(self, key: Hashable, find: Callable[[], Found]) -> Found:
        """The result of `find`, computed on the first call with this key."""
        if key not in self._kept:
            self._kept[key] = find()
        found: Found = self._kept[key]
        return found


def once(source: Source, key: Hashable, find: Callable[[], Found]) -> Found:
    """The result of `find`, cached if the source is a `Glance`."""
    return source.keep(key, find) if isinstance(source, Glance) else find()


def head_of(source: Source) -> bytes:
    """The first `HEAD` bytes of a source."""
    return once(source, "head", lambda: source.read(0, HEAD))


def head_records(source: Source, limit: int = LINES) -> Iterator[dict[str, Any]]:
    """The objects on the first `limit` lines in the head of a source, parsed lazily."""
    return once(source, "lines", lambda: _Lines(head_of(source))).records(limit)


class _Lines:
    """The first lines of a head; parsed ones are cached."""

    def __init__(self, head: bytes) -> None:
        self._lines = head.split(b"\n", LINES)[:LINES]
        self._values: list[Any] = []

    def records(self, limit: int) -> Iterator[dict[str, Any]]:
        for number, line in enumerate(self._lines[:limit]):
            if number == len(self._values):
                self._values.append(_parsed(line.strip(AROUND)))
            value = self._values[number]
            if isinstance(value, dict):
                yield value


def _parsed(line: bytes) -> Any:
    try:
        # In a document with one message a line, each line ends with a comma: parsing each leniently
        # would take longer than reading the file.
        return parse_record(line) if line.startswith(b"{") and line.endswith(b"}") else None
    except ValueError:
        return None
