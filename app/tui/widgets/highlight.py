"""Laying a style over spans of a painted row."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip


def compile_query(query: str) -> re.Pattern[str]:
    """A pattern for literal text; capitals count only when the query has some."""
    flags = re.NOFLAG if query != query.lower() else re.IGNORECASE
    return re.compile(re.escape(query), flags)


def restyle(strip: Strip, spans: Sequence[tuple[int, int]], style: Style) -> Strip:
    """`strip` with `style` laid over spans of its text: ascending, without overlap, in characters."""
    if not spans:
        return strip
    segments: list[Segment] = []
    position = 0
    following = iter([*spans, (len(strip.text), len(strip.text))])
    start, end = next(following)
    for text, old, _ in strip:
        stop = position + len(text)
        at = position
        while at < stop:
            while end <= at:
                start, end = next(following)
            inside = start <= at
            until = min(stop, end if inside else start)
            new = style if old is None else old + style
            segments.append(Segment(text[at - position : until - position], new if inside else old))
            at = until
        position = stop
    return Strip(segments, strip.cell_length)
