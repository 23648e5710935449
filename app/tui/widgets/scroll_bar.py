"""Scroll bars that draw with blanks and colours only, for terminals that have few signs."""

from __future__ import annotations

from typing import ClassVar

from textual.scrollbar import ScrollBarRender

from app.display import ASCII, Glyphs


class PlainScrollBar(ScrollBarRender):
    """A bar without the eighth blocks that make its ends smooth."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "]
    HORIZONTAL_BARS: ClassVar[list[str]] = [" "]


def scroll_bar_for(glyphs: Glyphs) -> type[ScrollBarRender]:
    """The renderer that goes with a glyph set."""
    return PlainScrollBar if glyphs is ASCII else ScrollBarRender
