"""Ids for records that an export adds."""

from __future__ import annotations

import uuid
from collections.abc import Container
from typing import Final

_NAMESPACE: Final = uuid.UUID("6b0f2b9e-4f0c-5e0e-9d57-3a5a6a1d8c11")


class MadeIds:
    """Makes ids that are the same each time an export is planned, and new in the file."""

    def __init__(self, session: str, used: Container[str], length: int | None = None) -> None:
        """`used` are the ids of the file; `length` is how many signs of a uuid an id has, None for all."""
        self._session = session
        self._used = used
        self._length = length
        self._given: set[str] = set()

    def make(self, key: str) -> str:
        """The id for what `key` names."""
        number = 0
        name = f"{self._session}/{key}".encode("utf-8", "backslashreplace").decode()
        while True:
            made = str(uuid.uuid5(_NAMESPACE, f"{name}/{number}"))[: self._length]
            if made not in self._used and made not in self._given:
                self._given.add(made)
                return made
            number += 1
