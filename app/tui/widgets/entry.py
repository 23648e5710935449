"""One line to type into that never holds a sign that could act on the terminal, however it got there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual.widgets import Input

from app.display import ASCII, safe_text


def _spelled(text: str) -> str:
    # In ASCII: a field is made before it is known which signs the terminal has.
    return safe_text(text, ASCII)


class Entry(Input):
    """An input whose text is made safe, also what is pasted or put in by a program."""

    def __init__(self, value: str = "", *, safe: Callable[[str], str] = _spelled, **settings: Any) -> None:
        """`safe` makes a text harmless and leaves a harmless one as it is."""
        self._safe = safe
        super().__init__(value, compact=True, **settings)

    def replace(self, text: str, start: int, end: int) -> None:
        super().replace(self._safe(text), start, end)

    def validate_value(self, value: str) -> str:
        return self._safe(value)
