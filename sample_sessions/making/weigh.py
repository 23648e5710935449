"""About how many tokens a text has, with nothing but a pattern.

The made sessions record a usage as a provider would, so the figures must follow the texts. The
pieces are those that byte-pair vocabularies start from; long words, signs and Chinese characters
are given the share that such vocabularies need on average. Good to a few percent on a whole session.
"""

from __future__ import annotations

import re
from math import ceil

PIECES = re.compile(
    r"[^\r\n\w]?[A-Za-z]+|\d{1,3}|[一-鿿぀-ヿ가-힯]| ?[^\s\w]+[\r\n]*|\s*[\r\n]|\s+(?=\S)|\s+|_|\w"
)
LONG_WORD = 7
"""Letters that one token holds in a word that is not among the common ones."""

FACTORS = {
    "read": 1.13,
    "prose": 1.18,
    "code": 1.22,
    "log": 1.05,
    "listing": 1.53,
    "reply": 1.16,
    "input": 1.15,
}
"""What a kind of text weighs with the model's own vocabulary, over the plain estimate."""


def pieces(text: str) -> float:
    """Tokens of `text` in a common byte-pair vocabulary, estimated."""
    total = 0.0
    for piece in PIECES.findall(text):
        first = piece[-1]
        if first.isascii() and first.isalpha():
            letters = len(piece.lstrip())
            total += 1 if letters <= LONG_WORD else 1 + (letters - LONG_WORD) / LONG_WORD
        elif not first.isascii():
            total += 0.8
        elif piece.isspace():
            total += 1
        else:
            total += 1 if len(piece) <= 3 else len(piece) / 3
    return total


def weight(text: str, kind: str) -> int:
    """Tokens of `text` for the model that the sessions name."""
    return ceil(pieces(text) * FACTORS[kind])
