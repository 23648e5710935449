"""Facts about a stage, a label and a line each; those that name blocks can be opened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from msgspec import Struct
from rich.segment import Segment
from textual.geometry import Size
from textual.strip import Strip

from app.display import UNICODE, Glyphs, cells, fit, safe_text, wrap_points
from app.tui.widgets.line_view import LineView

LABEL_CELLS = 9


class Fact(Struct, frozen=True):
    """One fact: `label` stands before the first of several of a kind."""

    label: str
    text: str
    sign: str = ""
    """`ok`, `!` or `FAIL` for a check."""
    keys: tuple[str, ...] = ()
    """The blocks that it is about."""
    whole: bool = False
    """Never cut to one row."""


class FactList(LineView):
    """One row a fact; while it is focused each is shown whole, wrapped, with a cursor.

    It is as tall as its rows, up to what its stylesheet allows.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "fact-list--label",
        "fact-list--ok",
        "fact-list--warning",
        "fact-list--fail",
    }
    DEFAULT_CSS = """
    FactList {
        height: auto;
        scrollbar-size-horizontal: 0;
        padding-left: 1;
        &:focus { padding-left: 0; }
        & > .fact-list--label { color: $text-muted; }
        & > .fact-list--ok { color: $text-success; }
        & > .fact-list--warning { color: $text-warning; text-style: bold; }
        & > .fact-list--fail { color: $text-error; text-style: bold; }
    }
    """

    def __init__(
        self,
        *,
        glyphs: Glyphs = UNICODE,
        id: str | None = None,  # noqa: A002 (Textual's name)
    ) -> None:
        super().__init__(glyphs=glyphs, id=id)
        self.set_reactive(FactList.show_cursor, False)
        self._facts: Sequence[Fact] = ()
        self._lines: list[tuple[Fact, str, bool]] = []
        """(fact, a piece of its text, whether it is the first piece)"""

    def show(self, facts: Sequence[Fact]) -> None:
        """Show other facts."""
        self._facts = facts
        self.relayout()
        self.refresh(layout=True)

    def fact_at(self, index: int) -> Fact:
        """The fact on a row."""
        return self._lines[index][0]

    @property
    def row_count(self) -> int:
        return len(self._lines)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._laid_out(max(1, width - 2)))

    def on_focus(self) -> None:
        self.show_cursor = True
        self.refresh(layout=True)

    def on_blur(self) -> None:
        self.show_cursor = False
        self.refresh(layout=True)

    def relayout(self) -> None:
        self._lines = self._laid_out(self.room)
        self.rows_changed()

    def _laid_out(self, room: int) -> list[tuple[Fact, str, bool]]:
        lines = []
        for fact in self._facts:
            text = safe_text(fact.text, self.glyphs)
            width = max(1, room - LABEL_CELLS - _sign_cells(fact))
            if not (self.show_cursor or fact.whole):
                lines.append((fact, fit(text, width, self.glyphs), True))
                continue
            points = [0, *wrap_points(text, width, also="/")]
            ends = [*points[1:], len(text)]
            lines += [(fact, text[a:b], a == 0) for a, b in zip(points, ends, strict=True)]
        return lines

    def row_strip(self, index: int) -> Strip:
        fact, text, is_first = self._lines[index]
        repeated = index > 0 and self._lines[index - 1][0].label == fact.label
        label = fit(fact.label if is_first and not repeated else "", LABEL_CELLS, self.glyphs)
        sign = fit(fact.sign if is_first else "", _sign_cells(fact), self.glyphs)
        return Strip(
            [
                Segment(label, self.get_component_rich_style("fact-list--label")),
                Segment(sign, self.get_component_rich_style(_SIGN_STYLES.get(fact.sign, "fact-list--label"))),
                Segment(text, self.base_style),
            ]
        )


_SIGN_STYLES = {"ok": "fact-list--ok", "!": "fact-list--warning", "FAIL": "fact-list--fail"}


def _sign_cells(fact: Fact) -> int:
    return max(4, cells(fact.sign) + 1) if fact.sign else 0
