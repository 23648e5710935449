"""What a file's first bytes show, found out once while its format is looked for.

Every format is asked in turn whether a file is its own; what one of them had to work out for that is
kept for the next.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any, Final, TypeVar

from app.formats.lenient_json import parse_record
from app.formats.source import Source

HEAD: Final = 1 << 20
"""Bytes whose lines are looked at."""

LINES: Final = 200
"""Lines that are looked at."""

AROUND: Final = b" \t\r\n\0\xef\xbb\xbf"
"""What may stand around the value of a line."""

Found = TypeVar("Found")


class Glance:
    """A source as the formats look at it, with what they saw. Not safe for several threads."""

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
        """What `find` gives, worked out the first time that this key is asked for."""
        if key not in self._kept:
            self._kept[key] = find()
        found: Found = self._kept[key]
        return found


def once(source: Source, key: Hashable, find: Callable[[], Found]) -> Found:
    """What `find` gives, kept where the source is only glanced at."""
    return source.keep(key, find) if isinstance(source, Glance) else find()


def head_of(source: Source) -> bytes:
    """The first bytes of a source, `HEAD` of them."""
    return once(source, "head", lambda: source.read(0, HEAD))


def head_records(source: Source, limit: int = LINES) -> Iterator[dict[str, Any]]:
    """The objects on the first `limit` lines in the head of a source, each parsed when it is asked for."""
    return once(source, "lines", lambda: _Lines(head_of(source))).records(limit)


class _Lines:
    """The first lines of a head; those that were asked for stay parsed."""

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
        # A message of a document that is printed one a line ends with a comma: looking for the damage
        # in each would take longer than reading the file.
        return parse_record(line) if line.startswith(b"{") and line.endswith(b"}") else None
    except ValueError:
        return None
