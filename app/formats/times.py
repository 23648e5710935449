"""Times as clients write them into their records."""

from __future__ import annotations

from array import array
from datetime import UTC, datetime
from math import isnan, nan
from typing import Any


class Times:
    """Times of many records, some of which have none, without an object for each."""

    def __init__(self) -> None:
        self._seconds = array("d")

    def append(self, time: float | None) -> None:
        """The time of the next record, in seconds since 1970."""
        self._seconds.append(nan if time is None else time)

    def __getitem__(self, index: int) -> float | None:
        time = self._seconds[index]
        return None if isnan(time) else time


def seconds(value: Any) -> float | None:
    """An ISO time as seconds since 1970, one without a zone taken as UTC; None for anything else."""
    if not isinstance(value, str):
        return None
    try:
        time = datetime.fromisoformat(value)
    except ValueError:
        return None
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()


def stamped(seconds: float) -> str:
    """A time given in seconds since 1970 as clients write it: UTC, with milliseconds."""
    try:
        time = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        time = datetime.fromtimestamp(0, UTC)
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
