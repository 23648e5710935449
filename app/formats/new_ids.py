"""Ids for records that an export adds."""

from __future__ import annotations

import uuid
from collections.abc import Container
from typing import Final

_NAMESPACE: Final = uuid.UUID("6b0f2b9e-4f0c-5e0e-9d57-3a5a6a1d8c11")


class MadeIds:
    """Makes ids that are deterministic for each planning of an export and unique in the file."""

    def __init__(self, session: str, used: Container[str], length: int | None = None) -> None:
        """`used` are the ids in the file; an id is the first `length` characters of a uuid, None for all."""
        self._session = session
        self._used = used
        self._length = length
        self._given: set[str] = set()

    def make(self, key: str) -> str:
        """The id for the record that `key` names."""
        number = 0
        name = f"{self._session}/{key}".encode("utf-8", "backslashreplace").decode()
        while True:
            made = str(uuid.uuid5(_NAMESPACE, f"{name}/{number}"))[: self._length]
            if made not in self._used and made not in self._given:
                self._given.add(made)
                return made
            number += 1
