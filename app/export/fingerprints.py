"""What is planned held against what was written, message by message, without holding either."""

from __future__ import annotations

import marshal
import os
from collections.abc import Iterator
from hashlib import blake2b
from typing import Any, Final

from app.validity import Pairs

_SIZE: Final = 16
_PLAIN: Final = 2
"""The version of marshal's form without references, in which equal values are equal bytes."""


class Fingerprints:
    """A digest of each message, in order: equal for messages that say the same in the same order of names."""

    def __init__(self) -> None:
        self._digests = bytearray()

    def tell_same(self, other: Fingerprints) -> bool:
        """Whether both noted messages that say the same."""
        return self._digests == other._digests

    def taken(self, pairs: Pairs) -> Iterator[tuple[str, Any]]:
        """The messages, each noted as it passes by."""
        for key, message in pairs:
            self._digests += _digest(message)
            yield key, message


def _digest(message: Any) -> bytes:
    try:
        plain = marshal.dumps(message, _PLAIN)
    except ValueError:
        # Too deep for marshal: no two are taken for the same unseen.
        return os.urandom(_SIZE)
    return blake2b(plain, digest_size=_SIZE).digest()
