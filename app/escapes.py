r"""A text as it reads once its escapes are resolved, with the way back to where each sign stands.

A key may stand in a string as `sk\u002dant`, in JSON within a string as `sk\\u002dant`, and `\/` is a
slash: what is searched is the text behind the escapes, what is replaced is the text as it stands.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

MAX_DEPTH: Final = 4
"""Times that a text is resolved: JSON in JSON in a log in JSON."""

_escape: Final = re.compile(r"""\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(["'/\\bfnrt]))""")
_SIGNS: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


@dataclass(frozen=True, slots=True)
class View:
    """A text with its escapes resolved."""

    text: str
    starts: tuple[int, ...]
    """Places in `text`, rising: from each on, places are further on in the text below ..."""
    shifts: tuple[int, ...]
    """... by so much."""

    def below(self, place: int) -> int:
        """Where the sign at `place` begins in the text below; for the end of the text, its end."""
        found = bisect_right(self.starts, place) - 1
        return place + (self.shifts[found] if found >= 0 else 0)


def resolved(text: str) -> View | None:
    """The view of a text; None where it holds no escape. Linear in the text."""
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
    return View("".join(pieces), tuple(starts), tuple(shifts))


def _sign(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    return chr(int(code, 16)) if code else _SIGNS.get(match[3], match[3])


def views(text: str, *, first: int = 0) -> Iterator[tuple[str, tuple[View, ...]]]:
    """The text itself and how it reads with its escapes resolved once, twice ..., each with its views.

    `first` is the depth to begin at: 1 for the inside of a JSON string, where the text itself is only
    how it is spelled.
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


def place_below(views: tuple[View, ...], place: int) -> int:
    """A place of the newest view as a place in the text that was given first."""
    for view in reversed(views):
        place = view.below(place)
    return place
