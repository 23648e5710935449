"""Marked rows: what a person gathers before one edit is made of all of them.

Marks are kept by key, so that sorting, filtering and steps leave them where they are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable


class Marks:
    """Keys of marked blocks, and those of a range that is still being drawn."""

    def __init__(self) -> None:
        self._keys: dict[str, None] = {}
        self._drawn: dict[str, None] = {}
        self.anchor: str | None = None
        """Where the range that is being drawn started; None where none is."""

    def __contains__(self, key: object) -> bool:
        return key in self._keys or key in self._drawn

    def __len__(self) -> int:
        return len(self._keys | self._drawn) if self._drawn else len(self._keys)

    @property
    def keys(self) -> tuple[str, ...]:
        """All of them, each once, in the order in which they were marked."""
        return tuple(self._keys | self._drawn)

    def toggle(self, key: str) -> None:
        """Mark or unmark a row."""
        if key in self._keys:
            del self._keys[key]
        else:
            self._keys[key] = None

    def add(self, keys: Iterable[str]) -> int:
        """Mark these too; returns how many were not marked yet."""
        before = len(self._keys)
        self._keys |= dict.fromkeys(keys)
        return len(self._keys) - before

    def invert(self, keys: Iterable[str]) -> None:
        """Mark those of `keys` that are not marked, and only them."""
        self.end_range()
        self._keys = {key: None for key in keys if key not in self._keys}

    def keep(self, known: Collection[str]) -> None:
        """Remove the marks of rows that no longer exist."""
        self._keys = {key: None for key in self._keys if key in known}

    def clear(self) -> None:
        """Remove all marks and the range."""
        self._keys.clear()
        self._drawn = {}
        self.anchor = None

    # A range

    def start_range(self, key: str) -> None:
        """Begin a range at a row."""
        self.anchor = key
        self._drawn = {key: None}

    def draw_range(self, keys: Iterable[str]) -> None:
        """Set the rows that the range covers now."""
        self._drawn = dict.fromkeys(keys)

    def end_range(self) -> None:
        """Turn the rows of the range into marks."""
        self.add(self._drawn)
        self._drawn = {}
        self.anchor = None
