"""Writing the program's own JSON: reports, manifests, output of commands.

It is ASCII, so that it is safe for any terminal or pipe, and it is produced in pieces: the report of a
long session has many megabytes, which need not be in memory at once.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

WRITTEN_AT_ONCE: Final = 8 << 10
"""Bytes of joined pieces from which they are written."""
_LEVELS: Final = 4
"""Levels laid out one member a line: a step's change has its own line, the members of a change do not."""

_plain: Final = json.JSONEncoder(ensure_ascii=True, allow_nan=False).encode


def json_pieces(value: Any) -> Iterator[str]:
    """`value` as JSON with a final line end, the outer levels with a line for each member.

    Raises ValueError for a number that JSON does not have (NaN, infinity).
    """
    yield from _laid_out(value, _LEVELS, "\n")
    yield "\n"


def json_bytes(value: Any) -> Iterator[bytes]:
    """The same as bytes to write to a file, joined into pieces of at least `WRITTEN_AT_ONCE`."""
    held: list[str] = []
    size = 0
    for piece in json_pieces(value):
        held.append(piece)
        size += len(piece)
        if size >= WRITTEN_AT_ONCE:
            yield "".join(held).encode("ascii")
            held, size = [], 0
    yield "".join(held).encode("ascii")


def _laid_out(value: Any, levels: int, line: str) -> Iterator[str]:
    if not value or not levels or not isinstance(value, Mapping | list | tuple):
        yield _plain(value)
        return
    brackets = "{}" if isinstance(value, Mapping) else "[]"
    before, inner = brackets[0], line + " "
    for name, item in _members(value):
        yield f"{before}{inner}{name}"
        yield from _laid_out(item, levels - 1, inner)
        before = ","
    yield line + brackets[1]


def _members(value: Mapping[str, Any] | Iterable[Any]) -> Iterator[tuple[str, Any]]:
    """Each member's value with the text that precedes it."""
    if isinstance(value, Mapping):
        return ((f"{_plain(name)}: ", item) for name, item in value.items())
    return (("", item) for item in value)
