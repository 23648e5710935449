"""Lost facts, one line each: what sort, what, and how often it is spoken of."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from textual.strip import Strip

from app.display import UNICODE, Glyphs, cells, fit, one_line, safe_text
from app.tui.widgets.line_view import LineView
from app.views.lost import Lost

_KIND_CELLS = 8


class LostList(LineView):
    """Facts under a header row, the worst first."""

    HEADER_ROWS = 1

    def __init__(self, *, glyphs: Glyphs = UNICODE) -> None:
        super().__init__(glyphs=glyphs)
        self._facts: Sequence[Lost] = ()

    def show(self, facts: Sequence[Lost]) -> None:
        """Show other facts; the cursor stays at its place."""
        self._facts = facts
        self.rows_changed()
        self.search_again()

    @property
    def current(self) -> Lost | None:
        """The fact under the cursor."""
        return self._facts[self.cursor] if self._facts else None

    @property
    def row_count(self) -> int:
        return len(self._facts)

    def header_strip(self, y: int) -> Strip:
        style = self.get_component_rich_style("line-view--header")
        left = f"{' ' * self._sign_width}{fit('', _KIND_CELLS, self.glyphs)} removed"
        right = "still mentioned as"
        blanks = max(2, self.room - cells(left) - cells(right))
        return Strip([Segment(f"{left}{' ' * blanks}{right}", style)])

    def row_strip(self, index: int) -> Strip:
        fact = self._facts[index]
        kind = f"{fit(fact.kind, _KIND_CELLS, self.glyphs)} "
        handle = one_line(said := fact.said, min(24, cells(safe_text(said))), self.glyphs).rstrip()
        spoken = f"  {handle} x{fact.mentions:,}"
        room = max(0, self.room - cells(kind) - cells(spoken))
        muted = self.get_component_rich_style("line-view--header")
        return Strip(
            [
                Segment(kind, muted),
                Segment(one_line(fact.text, room, self.glyphs), self.base_style),
                Segment(spoken, muted),
            ]
        )
