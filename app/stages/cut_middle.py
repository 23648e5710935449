"""A result without its middle: the first and the last characters, and a marker between (the 8K gate)."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from app.compactability.placeholders import CUT_MIDDLE
from app.model import Held, Part, Text, ToolResult, text_of
from app.stages.graphemes import whole_end, whole_start


def cut_middle(result: ToolResult, head: int, tail: int, *, whole_graphemes: bool = True) -> ToolResult:
    """The result with `head` and `tail` code points of its text left, and `CUT_MIDDLE` between.

    Of several text parts the one where the cut starts has the marker; one that is left empty goes.
    Other parts keep their place. With `whole_graphemes` both ends give way to whole characters.
    """
    text = text_of(result)
    start, end = head, len(text) - tail
    if whole_graphemes:
        start, end = len(whole_start(text, text[:start])), whole_end(text, end)
    return replace(result, parts=without(result.parts, start, end, CUT_MIDDLE))


def without(parts: tuple[Part, ...], start: int, end: int, middle: str) -> tuple[Part, ...]:
    """The parts with `middle` for the code points `start` to `end` of their joined texts."""
    return tuple(_without(parts, start, end, middle))


def _without(parts: tuple[Part, ...], start: int, end: int, middle: str) -> Iterator[Part]:
    first = 0
    for part in parts:
        if not isinstance(part, Text):
            yield part
            continue
        words = part.content.read()
        marker = middle if first <= start < first + len(words) else ""
        left = words[: max(0, start - first)] + marker + words[max(0, end - first) :]
        first += len(words)
        if left == words and left:
            yield part
        elif left:
            yield replace(part, content=Held(left))
