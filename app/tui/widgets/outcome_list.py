"""The list of pipelines side by side: one row each, what it would leave, lose and keep cached."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from rich.segment import Segment
from textual.strip import Strip

from app.display import cells, fit, one_line, safe_text
from app.tui.widgets.line_view import LineView

COLUMNS: Final = (
    ("left", 9),
    ("freed", 10),
    ("gone", 10),
    ("yours", 6),
    ("copies", 7),
    ("first", 6),
    ("cached", 10),
)
"""Heading and cells of each figure, set to the right."""
NAME_CELLS: Final = 15


@dataclass(frozen=True, slots=True)
class OutcomeRow:
    """What the list shows of one pipeline. Texts are as they come."""

    name: str
    figures: tuple[str, ...] = ()
    """One for each of COLUMNS; none while it is being tried."""
    note: str = ""
    """In the place of figures: that it is being tried, or why it cannot be."""
    present: bool = False
    """Whether it is the pipeline that is open."""
    warning: bool = False
    """Whether something of the person's own would go."""


class OutcomeList(LineView):
    """Pipelines under a header row."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"outcome-list--warning", "outcome-list--present"}
    DEFAULT_CSS = """
    OutcomeList {
        & > .outcome-list--warning { color: $text-warning; text-style: bold; }
        & > .outcome-list--present { text-style: bold; }
    }
    """
    HEADER_ROWS = 1

    _rows: Sequence[OutcomeRow] = ()

    def show(self, rows: Sequence[OutcomeRow]) -> None:
        """Show other rows; the cursor stays at its place."""
        self._rows = rows
        self.rows_changed()
        self.search_again()

    @property
    def row_count(self) -> int:
        return len(self._rows)

    def find_rows(self, pattern: re.Pattern[str]) -> Sequence[int]:
        return [i for i, row in enumerate(self._rows) if pattern.search(row.name)]

    def header_strip(self, y: int) -> Strip:
        figures = "".join(f"{heading:>{width}}" for heading, width in COLUMNS)
        words = f"{' ' * self._sign_width}  {'pipeline':<{NAME_CELLS}}{figures}"
        return Strip([Segment(words, self.get_component_rich_style("line-view--header"))])

    def row_strip(self, index: int) -> Strip:
        row = self._rows[index]
        sign = "*" if row.present else " "
        name = f"{sign} {one_line(row.name, NAME_CELLS, self.glyphs)}"
        look = self.get_component_rich_style("outcome-list--present") if row.present else self.base_style
        if not row.figures:
            faint = self.get_component_rich_style("line-view--header")
            note = one_line(row.note, max(0, self.room - cells(name) - 1), self.glyphs)
            return Strip([Segment(name, look), Segment(f" {note}", faint)])
        segments = [Segment(name, look)]
        warning = self.get_component_rich_style("outcome-list--warning")
        for (heading, width), figure in zip(COLUMNS, row.figures, strict=True):
            text = fit(safe_text(figure, self.glyphs), width, self.glyphs, right=True)
            is_loss = row.warning and heading == "yours"
            segments.append(Segment(text, warning if is_loss else self.base_style))
        return Strip(segments)
