"""The JSON that the program itself puts out: reports, manifests, answers of commands.

In ASCII, so that no terminal and no pipe can be led by it, and in pieces: a report of a long session is
of many megabytes, which nobody has to hold.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

WRITTEN_AT_ONCE: Final = 8 << 10
"""Bytes from which pieces are written."""
_LEVELS: Final = 4
"""How deep a value is laid out: a change of a step has a line of its own, its parts have not."""

_plain: Final = json.JSONEncoder(ensure_ascii=True, allow_nan=False).encode


def json_pieces(value: Any) -> Iterator[str]:
    """`value` as JSON that ends with a line, the outer levels with a line for each member.

    Raises ValueError for a number that JSON does not know.
    """
    yield from _laid_out(value, _LEVELS, "\n")
    yield "\n"


def json_bytes(value: Any) -> Iterator[bytes]:
    """The same as bytes, to be written to a file: the pieces are joined until they are worth a write."""
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
    """Each member with what stands before its value."""
    if isinstance(value, Mapping):
        return ((f"{_plain(name)}: ", item) for name, item in value.items())
    return (("", item) for item in value)
