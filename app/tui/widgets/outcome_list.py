"""The list of pipelines side by side: one row each, what it would leave, lose and keep cached."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from msgspec import Struct, field
from rich.segment import Segment
from textual.strip import Strip

from app.display import cells, fit, one_line, safe_text
from app.tui.widgets.line_view import LineView


class Column(Struct, frozen=True):
    """One figure of each pipeline, set to the right."""

    heading: str
    width: int
    wide: bool = False
    """Shown only where there is room for it."""


COLUMNS: Final = (
    Column("left", 11),
    Column("freed", 12, wide=True),
    Column("gone", 7),
    Column("yours", 6),
    Column("copies", 7),
    Column("boundary", 9),
    Column("first", 7),
    Column("cached", 7),
    Column("pays", 10, wide=True),
    Column("valid", 6),
)
NAME_CELLS: Final = 15
WIDE_CELLS: Final = 99
"""Cells of a row from which all columns are shown."""


class OutcomeRow(Struct, frozen=True):
    """What the list shows of one pipeline. Texts are as they come."""

    name: str
    figures: Mapping[str, str] = field(default_factory=dict)
    """By the heading of COLUMNS; none while it is being tried."""
    note: str = ""
    """In the place of figures: that it is being tried, or why it cannot be."""
    present: bool = False
    """Whether it is the pipeline that is open."""
    best: bool = False
    """Whether it is the one to take."""
    warnings: frozenset[str] = frozenset()
    """Headings of the figures that tell of a loss."""


class OutcomeList(LineView):
    """Pipelines under a header row."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "outcome-list--warning",
        "outcome-list--present",
        "outcome-list--best",
    }
    DEFAULT_CSS = """
    OutcomeList {
        & > .outcome-list--warning { color: $text-warning; text-style: bold; }
        & > .outcome-list--present { text-style: bold; }
        & > .outcome-list--best { color: $text-success; text-style: bold; }
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

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns that there is room for."""
        is_wide = self.size.width >= WIDE_CELLS
        return tuple(column for column in COLUMNS if is_wide or not column.wide)

    def header_strip(self, y: int) -> Strip:
        figures = "".join(f"{column.heading:>{column.width}}" for column in self.columns)
        words = f"{' ' * self._sign_width}   {'pipeline':<{NAME_CELLS}}{figures}"
        return Strip([Segment(words, self.get_component_rich_style("line-view--header"))])

    def row_strip(self, index: int) -> Strip:
        row = self._rows[index]
        signs = f"{'*' if row.present else ' '}{'+' if row.best else ' '}"
        name = f"{signs} {one_line(row.name, NAME_CELLS, self.glyphs)}"
        look = self.base_style
        if row.best or row.present:
            look = self.get_component_rich_style(f"outcome-list--{'best' if row.best else 'present'}")
        if not row.figures:
            faint = self.get_component_rich_style("line-view--header")
            note = one_line(row.note, max(0, self.room - cells(name) - 1), self.glyphs)
            return Strip([Segment(name, look), Segment(f" {note}", faint)])
        segments = [Segment(name, look)]
        warning = self.get_component_rich_style("outcome-list--warning")
        for column in self.columns:
            figure = safe_text(row.figures.get(column.heading, ""), self.glyphs)
            text = fit(figure, column.width, self.glyphs, right=True)
            segments.append(Segment(text, warning if column.heading in row.warnings else self.base_style))
        return Strip(segments)
