"""Formats the session's clock in UTC, so that a stage gives the same result on every machine."""

from __future__ import annotations

from datetime import UTC, datetime


def clock(seconds: float | None) -> str:
    """A time as HH:MM:SS in UTC; 00:00:00 if it is unknown or invalid."""
    try:
        return datetime.fromtimestamp(seconds or 0, UTC).strftime("%H:%M:%S")
    except (OverflowError, OSError, ValueError):
        return "00:00:00"
