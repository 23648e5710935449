"""Parsing and formatting times as clients write them into their records."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any


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
    """Seconds since 1970 as clients write a time: ISO, UTC, with milliseconds."""
    try:
        time = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        time = datetime.fromtimestamp(0, UTC)
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
