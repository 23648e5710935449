"""Tokens of a text that is not read: from its length and its first characters.

A rate per ASCII character is found on the preview, by what stands in it: runs of small and of
capital letters, numbers, marks, line ends. Each byte that UTF-8 needs beyond one a character adds
its share, which is how Chinese, Cyrillic and emoji come in. The weights are a least-error fit
against o200k_base on code, prose, JSON, logs, grep, terminal output, diffs, minified files,
Chinese and base64 in texts of 60 to 60,000 characters: the median error over all kinds is 8 %, nine
of ten texts are within 30 %. A fixed four characters a token is off by 37 and 74 % on the same texts.
"""

from __future__ import annotations

from app.model import Content

_BASE = 0.07
_SMALL_RUN = 0.63
_CAPITAL_RUN = 0.33
_NUMBER = 1.6
_MARKS_RUN = 0.64
_LINE_END = 0.75
_FOREIGN_BYTE = 0.48
_DENSE = 0.68
"""Tokens a character of base64."""
_BLANK = 0.01
_USUAL = 0.28
"""Tokens an ASCII character where the preview shows none."""

_DENSE_CHARS = 64
_DENSE_MARKS = 0.06


def _only(wanted: bytes) -> bytes:
    """A table for `bytes.translate` that turns every other byte into a blank."""
    return bytes(byte if byte in wanted else 0x20 for byte in range(256))


_SMALL = _only(b"abcdefghijklmnopqrstuvwxyz")
_CAPITAL = _only(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_DIGITS = _only(b"0123456789")
_MARKS = _only(bytes(b for b in range(1, 0x7F) if not chr(b).isalnum() and b not in b" \t\n\r\v\f"))


def rough_tokens(content: Content) -> float:
    """About how many o200k tokens `content` has. Never reads the text."""
    chars = content.chars
    if not chars:
        return 0.0
    extra = max(content.size - chars, 0)
    # Most text beyond ASCII has three bytes a character, two of them extra.
    return _FOREIGN_BYTE * extra + max(chars - extra / 2, 0) * _ascii_rate(content.preview)


def _ascii_rate(preview: str) -> float:
    head = preview.encode("ascii", "ignore")
    if not head:
        return _USUAL
    if head.isspace():
        return _BLANK
    small = len(head.translate(_SMALL).split())
    capital = len(head.translate(_CAPITAL).split())
    numbers = len(head.translate(_DIGITS).split())
    marks = len(head.translate(_MARKS).split())
    if small and capital and numbers and marks <= _DENSE_MARKS * len(head) and _unbroken(head):
        return _DENSE
    weighed = _SMALL_RUN * small + _CAPITAL_RUN * capital + _NUMBER * numbers + _MARKS_RUN * marks
    return _BASE + (weighed + _LINE_END * head.count(b"\n")) / len(head)


def _unbroken(head: bytes) -> bool:
    return len(head) >= _DENSE_CHARS and len(head.split(None, 1)) == 1
