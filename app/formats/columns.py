"""Compact columns of one value for each record, without an object for each."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from math import isnan, nan
from typing import Final

_NONE: Final = -(1 << 63)


class Times:
    """Times in seconds since 1970, or None."""

    def __init__(self) -> None:
        self._seconds = array("d")

    def append(self, time: float | None) -> None:
        """Add the time of the next record."""
        self._seconds.append(nan if time is None else time)

    def __getitem__(self, index: int) -> float | None:
        time = self._seconds[index]
        return None if isnan(time) else time


class Numbers:
    """Integers of up to 64 bits, or None; a larger one is stored as None."""

    def __init__(self) -> None:
        self._numbers = array("q")

    def append(self, number: int | None) -> None:
        """Add the number of the next record."""
        self._numbers.append(_NONE if number is None or not _NONE < number < -_NONE else number)

    def __getitem__(self, index: int) -> int | None:
        number = self._numbers[index]
        return None if number == _NONE else number

    def __iter__(self) -> Iterator[int | None]:
        return (None if number == _NONE else number for number in self._numbers)
