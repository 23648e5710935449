r"""Resolving the escapes of a text, with a map from each resolved offset to the original one.

A secret may be written in a string as `sk\u002dant`, in JSON within a string as `sk\\u002dant`, and `\/`
is a slash: the resolved text is what is searched, the original text is what is replaced.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

MAX_DEPTH: Final = 4
"""How many times a text is resolved: JSON in JSON in a log in JSON."""

_escape: Final = re.compile(r"""\\(?:u([0-9a-fA-F]{4})|(["'/\\bfnrt]))""")
_SIGNS: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class View(Struct, frozen=True):
    """A text with its escapes resolved."""

    text: str
    below: str
    """The original text, with its escapes."""
    starts: tuple[int, ...]
    """Rising offsets in `text`: from each on, the offset in `below` is larger ..."""
    shifts: tuple[int, ...]
    """... by this many code points."""

    def place_below(self, place: int) -> int:
        """The offset in `below` at which the character at `place` begins; the end maps to the end."""
        found = bisect_right(self.starts, place) - 1
        return place + (self.shifts[found] if found >= 0 else 0)


def resolved(text: str) -> View | None:
    """The view of a text; None if it holds no escape. Linear in the text."""
    pieces: list[str] = []
    starts: list[int] = []
    shifts: list[int] = []
    done = length = 0
    for match in _escape.finditer(text):
        pieces += (text[done : match.start()], _sign(match))
        length += match.start() - done + 1
        done = match.end()
        starts.append(length)
        shifts.append(done - length)
    if not starts:
        return None
    pieces.append(text[done:])
    return View("".join(pieces), text, tuple(starts), tuple(shifts))


def _sign(match: re.Match[str]) -> str:
    code, sign = match[1], match[2]
    return chr(int(code, 16)) if code else _SIGNS.get(sign, sign)


def views(text: str, *, first: int = 0) -> Iterator[tuple[str, tuple[View, ...]]]:
    """The text itself, then with its escapes resolved once, twice ..., each with the views so far.

    `first` is the depth to begin at: 1 for the inside of a JSON string, where the text itself is only
    its spelling. A text with fewer escapes is given once all the same.
    """
    held: tuple[View, ...] = ()
    for depth in range(MAX_DEPTH):
        if depth >= first:
            yield text, held
        view = resolved(text) if "\\" in text else None
        if view is None:
            if depth < first:
                yield text, held
            return
        held, text = (*held, view), view.text


def span_below(views: tuple[View, ...], start: int, end: int) -> tuple[int, int]:
    """A span of the newest view mapped to the original text, splitting no escape."""
    for view in reversed(views):
        start, end = whole_escapes(view.text, start, end)
        start, end = view.place_below(start), view.place_below(end)
    text = views[0].below if views else ""
    return whole_escapes(text, start, end) if views else (start, end)


def whole_escapes(text: str, start: int, end: int) -> tuple[int, int]:
    """The span adjusted to split no escape: one cut at its start is taken in, one cut at its end left out."""
    while start > 0 and _is_escaped(text, start):
        start -= 1
    while end > start and _is_escaped(text, end):
        end -= 1
    return start, end


def _is_escaped(text: str, place: int) -> bool:
    """Whether the character at `place` is escaped: an odd number of backslashes precedes it."""
    count = 0
    while place - count > 0 and text[place - count - 1] == "\\":
        count += 1
    return count % 2 == 1
