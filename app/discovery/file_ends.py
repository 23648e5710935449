"""Reading both ends of a JSONL file: enough to describe a session without reading all of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

HEAD_BYTES = 32 * 1024
LONG_HEAD_BYTES = 128 * 1024
"""For a head in which instructions of the vendor and the project precede the first prompt."""
TAIL_BYTES = 32 * 1024
LONG_TAIL_BYTES = 512 * 1024
"""For a tail in which the newest usage is followed by the results of its calls, which may be long."""


class FileEnds(Struct, frozen=True):
    """Lines of both ends of a file: none twice, and none truncated."""

    text: bytes
    """Whole lines: those of the beginning, then those of the end."""
    last_part: int
    """Offset in `text` at which the lines of the end begin; its length if there are none."""
    size: int
    """Bytes of the whole file."""
    whole: bool
    """Whether these are all lines of the file."""

    def first(self, *words: bytes) -> Iterator[dict[str, Any]]:
        """The records that contain one of the words (all records if none are given), from the first on."""
        lines = self.text.split(b"\n")
        return records(line for line in lines if not words or any(word in line for word in words))

    def last(self, *words: bytes) -> Iterator[dict[str, Any]]:
        """The records that contain one of the words, from the last on."""
        return self._back_to(0, words)

    def newest(self, *words: bytes) -> Iterator[dict[str, Any]]:
        """The same without those of the beginning of a longer file, which are outdated."""
        return self._back_to(0 if self.whole else self.last_part, words)

    def _back_to(self, first: int, words: tuple[bytes, ...]) -> Iterator[dict[str, Any]]:
        end = len(self.text)
        while (at := max(self.text.rfind(word, first, end) for word in words)) >= 0:
            start = self.text.rfind(b"\n", 0, at) + 1
            stop = self.text.find(b"\n", at)
            yield from records([self.text[start : stop if stop >= 0 else len(self.text)]])
            end = start

    def count(self, *words: bytes) -> tuple[int, bool]:
        """The number of occurrences of the words, and whether it is an estimate for a longer file.

        An estimate is based on the end of the file: the beginning holds instructions and few messages.
        """
        if self.whole:
            return sum(map(self.text.count, words)), False
        seen = self.text[self.last_part :]
        if not any(word in seen for word in words):
            seen = self.text
        share = self.size / max(1, len(seen))
        return _two_digits(max(1, sum(map(seen.count, words))) * share), True


def ends_of(path: Path, size: int, head_bytes: int = HEAD_BYTES, tail_bytes: int = TAIL_BYTES) -> FileEnds:
    """Both ends of a file of `size` bytes; empty if it cannot be read."""
    try:
        with path.open("rb", buffering=0) as file:
            head = file.read(head_bytes) or b""
            if size <= len(head):
                return FileEnds(head, len(head), size, whole=True)
            start = max(len(head), size - tail_bytes)
            file.seek(start)
            tail = file.read(tail_bytes) or b""
    except OSError:
        return FileEnds(b"", 0, size, whole=False)
    if start == len(head):
        return FileEnds(head + tail, len(head), size, whole=True)
    # If one line is longer than an end, nothing of that end is left.
    head = head[: head.rfind(b"\n") + 1]
    return FileEnds(head + tail.partition(b"\n")[2], len(head), size, whole=False)


def records(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """The lines that are JSON objects, parsed."""
    for line in lines:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value


def _two_digits(number: float) -> int:
    """A number rounded to two significant digits."""
    factor: int = 10 ** max(0, len(str(int(number))) - 2)
    return round(number / factor) * factor
