"""The physical lines of a file, split at LF only, with lookahead."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Final

from app.formats.source import Source, chunks

LINE_COST: Final = 64
"""Bytes added to a line's cost, so that a lookahead over very many short lines ends, too."""


class PhysicalLines:
    """(offset, line without its LF) for each physical line; `final_newline` is known at the end."""

    def __init__(self, source: Source) -> None:
        self.final_newline = False
        self._coming: deque[tuple[int, bytes]] = deque()
        self._unread = self._split(source)
        self._taken = 0

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        return self

    def __next__(self) -> tuple[int, bytes]:
        return self._coming.popleft() if self._coming else next(self._unread)

    def ahead(self, limit: int) -> list[bytes]:
        """The next lines, as many as are needed to hold at least `limit` bytes."""
        found: list[bytes] = []
        for _, line in self._coming:
            if limit <= 0:
                return found
            found.append(line)
            limit -= len(line) + LINE_COST
        while limit > 0 and (coming := next(self._unread, None)):
            self._coming.append(coming)
            found.append(coming[1])
            limit -= len(coming[1]) + LINE_COST
        return found

    def nothing_follows(self) -> bool:
        """Whether only whitespace and NUL follow."""
        return all(not any(line.strip(b" \t\r\0") for line in self.ahead(limit)) for limit in (1, 1 << 16))

    def take(self, count: int) -> None:
        """Consume the next `count` lines, which `ahead` returned."""
        for _ in range(count):
            self._coming.popleft()
        self._taken += count

    def taken(self) -> int:
        """Lines taken since the last call."""
        count, self._taken = self._taken, 0
        return count

    def _split(self, source: Source) -> Iterator[tuple[int, bytes]]:
        offset = 0
        rest: list[bytes] = []
        for chunk in chunks(source):
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
        self.final_newline = not last and offset > 0
        if last:
            yield offset, last
