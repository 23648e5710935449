"""Cuts that never fall inside a user-perceived character (an emoji family, a flag, a base with marks)."""

from __future__ import annotations

from functools import cache
from typing import Any

_WINDOW = 256
"""Code points looked at on both sides of a cut; longer clusters exist only in hostile text."""


@cache
def _clusters() -> Any:
    # Imported when it is needed: most texts are cut between two signs of ASCII.
    import regex

    return regex.compile(r"\X")


def whole_start(text: str, start: str) -> str:
    """`start`, a prefix of `text`, shortened so that it ends between two grapheme clusters.

    It is empty where not even the first cluster fits.
    """
    cut = len(start)
    if cut in (0, len(text)) or text[cut - 1 : cut + 1].isascii():
        # CR LF is one cluster, and the only one within ASCII.
        return start[:-1] if text[cut - 1 : cut + 1] == "\r\n" else start
    base = max(0, cut - _WINDOW)
    last = base
    for match in _clusters().finditer(text, base, min(len(text), cut + _WINDOW)):
        if match.end() == cut:
            return start
        if match.end() > cut:
            break
        last = match.end()
    return text[:last] if last > base or base == 0 else start


def whole_end(text: str, start: int) -> int:
    """The first place at or after `start` that lies between two grapheme clusters of `text`."""
    if start in (0, len(text)) or text[start - 1 : start + 1].isascii():
        return start + 1 if text[start - 1 : start + 1] == "\r\n" else start
    base = max(0, start - _WINDOW)
    for match in _clusters().finditer(text, base, min(len(text), start + _WINDOW)):
        if match.end() >= start:
            return int(match.end())
    return start
