"""Ids and choices that look random and are the same on every run and every machine."""

from __future__ import annotations

import base64
import hashlib
import uuid
from collections.abc import Sequence
from typing import TypeVar

NAMESPACE = uuid.uuid5(uuid.NAMESPACE_DNS, "lantern-street.example")
LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

T = TypeVar("T")


def ident(*parts: object) -> str:
    """A UUID for `parts`."""
    return str(uuid.uuid5(NAMESPACE, "/".join(map(str, parts))))


def token(prefix: str, *parts: object, length: int = 22) -> str:
    """`prefix` and `length` letters and digits, as providers number messages and calls."""
    number = int.from_bytes(_digest(*parts), "big")
    letters = []
    for _ in range(length):
        number, rest = divmod(number, len(LETTERS))
        letters.append(LETTERS[rest])
    return prefix + "".join(letters)


def seal(length: int, *parts: object) -> str:
    """Base64 text of about `length` characters, a multiple of four: the look of a signature."""
    size = max(24, length // 4 * 3)
    blocks = (_digest(*parts, n) for n in range(size // 32 + 1))
    return base64.b64encode(b"".join(blocks)[: size - size % 3]).decode()


def hexes(length: int, *parts: object) -> str:
    """`length` (at most 64) hexadecimal digits."""
    return _digest(*parts).hex()[:length]


def _digest(*parts: object) -> bytes:
    return hashlib.sha256("/".join(map(str, parts)).encode()).digest()


class Dice:
    """A stream of choices that depends on its name alone."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._thrown = 0

    def number(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both possible."""
        self._thrown += 1
        return low + int.from_bytes(_digest(self._name, self._thrown)[:8], "big") % (high - low + 1)

    def pick(self, choices: Sequence[T]) -> T:
        return choices[self.number(0, len(choices) - 1)]
