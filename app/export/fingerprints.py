"""Compares planned and written messages by digest, without keeping either in memory."""

from __future__ import annotations

import marshal
import os
from collections.abc import Iterator
from hashlib import blake2b
from typing import Any, Final

from app.validity import Pairs

_SIZE: Final = 16
_PLAIN: Final = 2
"""The marshal version without references, in which equal values give equal bytes."""


class Fingerprints:
    """A digest of each message, in order: the same for equal messages with keys in the same order."""

    def __init__(self) -> None:
        self._digests = bytearray()

    def tell_same(self, other: Fingerprints) -> bool:
        """Whether both recorded the same messages."""
        return self._digests == other._digests

    def taken(self, pairs: Pairs) -> Iterator[tuple[str, Any]]:
        """Pass the messages through, recording the digest of each."""
        for key, message in pairs:
            self._digests += _digest(message)
            yield key, message


def _digest(message: Any) -> bytes:
    try:
        plain = marshal.dumps(message, _PLAIN)
    except ValueError:
        # Too deep for marshal: a random digest never matches, which forces the full comparison.
        return os.urandom(_SIZE)
    return blake2b(plain, digest_size=_SIZE).digest()
