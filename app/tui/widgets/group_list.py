"""Groups of rows, one line each: what they weigh, what they have in common, what is in them."""

from __future__ import annotations

from collections.abc import Container, Sequence

from rich.segment import Segment
from textual.strip import Strip

from app.display import UNICODE, Glyphs, cells, human_number, one_line, percent, safe_text
from app.tui.widgets.line_view import LineView
from app.views.grouping import Group


class GroupList(LineView):
    """Groups under a header row; a group whose rows are all marked carries the mark."""

    HEADER_ROWS = 1

    def __init__(self, *, glyphs: Glyphs = UNICODE) -> None:
        super().__init__(glyphs=glyphs)
        self._groups: Sequence[Group] = ()
        self._marks: Container[str] = ()
        self._total = 0

    def show(self, groups: Sequence[Group], marked: Container[str], total: int) -> None:
        """Show groups; `total` is what shares are of, in tokens."""
        self._groups, self._marks, self._total = groups, marked, total
        self.rows_changed()
        self.search_again()

    @property
    def current(self) -> Group | None:
        """The group under the cursor."""
        return self._groups[self.cursor] if self._groups else None

    @property
    def row_count(self) -> int:
        return len(self._groups)

    def header_strip(self, y: int) -> Strip:
        style = self.get_component_rich_style("line-view--header")
        return Strip([Segment(f"{' ' * self._sign_width}   tokens  share  group", style)])

    def row_strip(self, index: int) -> Strip:
        group = self._groups[index]
        mark = self.glyphs.marked if all(key in self._marks for key in group.keys) else " "
        lead = f"{mark}{human_number(group.tokens):>8}  {percent(group.tokens, self._total):>5}  "
        words = safe_text(group.words, self.glyphs)
        room = max(0, self.room - len(lead) - cells(words) - 2)
        muted = self.get_component_rich_style("line-view--header")
        return Strip(
            [
                Segment(lead, self.base_style),
                Segment(one_line(group.label, room, self.glyphs), self.base_style),
                Segment(f"  {words}", muted),
            ]
        )
