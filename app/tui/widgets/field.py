"""One row of a form: a name, a control, and what it is for on the rows below.

All but the control is drawn by the field itself: a form of many options would be slow to open if each
piece of text were a widget.
"""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from textual.app import ComposeResult
from textual.geometry import Size
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from app.display import UNICODE, Glyphs, fit, safe_text, wrap_points

NAME_CELLS = 21
INDENT = 2


class Field(Widget):
    """A name beside `control`; `problem` stands in the place of what it is for while there is one."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"field--name", "field--about", "field--problem"}
    DEFAULT_CSS = f"""
    Field {{
        height: auto;
        & > .field--name {{ text-style: bold; }}
        & > .field--about {{ color: $text-muted; }}
        & > .field--problem {{ color: $text-error; }}
        & > * {{ margin-left: {NAME_CELLS}; }}
    }}
    """

    glyphs: reactive[Glyphs] = reactive(UNICODE)
    problem: reactive[str] = reactive("", layout=True)

    def __init__(self, name: str, about: str, control: Widget, *, glyphs: Glyphs = UNICODE) -> None:
        super().__init__()
        self.set_reactive(Field.glyphs, glyphs)
        self.title = name
        self.about = about
        self.control = control

    def compose(self) -> ComposeResult:
        yield self.control

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return 1 + len(self._below(width))

    def _below(self, width: int) -> list[str]:
        text = safe_text(self.problem or self.about, self.glyphs)
        points = [0, *wrap_points(text, max(1, width - INDENT))]
        ends = [*points[1:], len(text)]
        return [text[start:end] for start, end in zip(points, ends, strict=True)]

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if y == 0:
            name = fit(safe_text(self.title, self.glyphs), NAME_CELLS - 1, self.glyphs)
            segment = Segment(name, self.get_component_rich_style("field--name"))
        else:
            lines = self._below(width)
            text = lines[y - 1] if y <= len(lines) else ""
            look = "field--problem" if self.problem else "field--about"
            segment = Segment(" " * INDENT + text, self.get_component_rich_style(look))
        return Strip([segment]).crop_extend(0, width, self.rich_style)
