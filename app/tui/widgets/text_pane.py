"""A long text to read: wrapped or not, with line numbers, searched and selected like a pager."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rich.segment import Segment
from textual.reactive import reactive
from textual.strip import Strip

from app.display import UNICODE, Glyphs, cells, human_number, safe_lines, wrap_points
from app.tui.widgets.line_view import LineView

MAX_LINE_CHARS: Final = 10_000
"""Code points painted of a line that is not wrapped; the rest is counted and shown when wrapping."""


class Layout:
    """Which piece of which line each row shows when lines are wrapped to a width."""

    def __init__(self, lines: Sequence[str], width: int) -> None:
        self._lines = lines
        self._line_of = array("L")
        self._start_of = array("L")
        self._first_row = array("L")
        for number, line in enumerate(lines):
            self._first_row.append(len(self._line_of))
            self._line_of.append(number)
            self._start_of.append(0)
            if len(line) * 2 > width and cells(line) > width:
                for point in wrap_points(line, width):
                    self._line_of.append(number)
                    self._start_of.append(point)

    def __len__(self) -> int:
        return len(self._line_of)

    def place(self, row: int) -> tuple[int, int, int]:
        """The line of a row, and where its piece starts and ends there, in characters."""
        line = self._line_of[row]
        end = self._start_of[row + 1] if self.goes_on(row) else len(self._lines[line])
        return line, self._start_of[row], end

    def goes_on(self, row: int) -> bool:
        """Whether the next row shows more of the same line."""
        return row + 1 < len(self) and self._line_of[row + 1] == self._line_of[row]

    def row_of(self, line: int, character: int = 0) -> int:
        """The row that shows a character of a line."""
        first = self._first_row[line]
        past = self._first_row[line + 1] if line + 1 < len(self._first_row) else len(self)
        return bisect_right(self._start_of, character, first, past) - 1


class TextPane(LineView):
    """Session text, read only. Wrapping and line numbers can be switched at any time."""

    show_cursor: reactive[bool] = reactive(False, init=False)
    wrap: reactive[bool] = reactive(True, init=False)
    line_numbers: reactive[bool] = reactive(False, init=False)

    def __init__(
        self,
        text: str = "",
        *,
        wrap: bool = True,
        line_numbers: bool = False,
        glyphs: Glyphs = UNICODE,
        id: str | None = None,  # noqa: A002 (Textual's name)
        classes: str | None = None,
    ) -> None:
        super().__init__(glyphs=glyphs, id=id, classes=classes)
        self.set_reactive(TextPane.wrap, wrap)
        self.set_reactive(TextPane.line_numbers, line_numbers)
        self._text = text
        self._lines = _lines_of(text, glyphs)
        self._layout_rows: Layout | None = None
        """None when lines are not wrapped: then a row is a line."""
        self._laid_out: tuple[int, bool, bool] | None = None
        self._stops: list[tuple[int, int]] = []
        """(line, character) that n and N visit when no search is active."""

    def show(self, text: str, stops: Iterable[int] = ()) -> None:
        """Show another text from its start; a search ends.

        `stops` are the code points, ascending, that n and N visit when no search is active.
        """
        self._text = text
        self._stops = list(_places(text, stops))
        self._lines = _lines_of(text, self.glyphs)
        self._layout_rows = self._laid_out = None
        self.set_matches("", ())
        self.relayout()
        self.to_start()

    @property
    def line_count(self) -> int:
        return len(self._lines)

    # Rows.

    @property
    def row_count(self) -> int:
        return len(self._lines) if self._layout_rows is None else len(self._layout_rows)

    def _place(self, row: int) -> tuple[int, int, int]:
        if self._layout_rows is None:
            return row, 0, len(self._lines[row])
        return self._layout_rows.place(row)

    def row_strip(self, index: int) -> Strip:
        line, start, end = self._place(index)
        text = self._unwrapped(line) if self._layout_rows is None else self._lines[line][start:end]
        return Strip([Segment(text, self.base_style)])

    def _unwrapped(self, number: int) -> str:
        line = self._lines[number]
        if len(line) <= MAX_LINE_CHARS:
            return line
        more = human_number(len(line) - MAX_LINE_CHARS)
        return f"{line[:MAX_LINE_CHARS]}{self.glyphs.ellipsis} {more} more characters"

    def row_width(self) -> int:
        if self._layout_rows is not None:
            return 0
        return max(cells(self._unwrapped(number)) for number in range(len(self._lines)))

    def row_goes_on(self, index: int) -> bool:
        return self._layout_rows is not None and self._layout_rows.goes_on(index)

    def gutter_width(self) -> int:
        return max(4, len(str(len(self._lines)))) + 2 if self.line_numbers else 0

    def gutter_strip(self, index: int) -> Strip:
        if not self.line_numbers:
            return super().gutter_strip(index)
        line, start, _ = self._place(index)
        number = str(line + 1) if start == 0 else ""
        style = self.get_component_rich_style("line-view--gutter")
        return Strip([Segment(f"{number:>{self.gutter_width() - 2}}  ", style)])

    # Searching.

    def stops(self) -> Sequence[int]:
        return sorted({self._row_of(place) for place in self._stops}) if self._stops else ()

    def find_rows(self, pattern: re.Pattern[str]) -> Sequence[int]:
        """The rows where a match begins; one that runs on to the next row counts too."""
        layout = self._layout_rows
        if layout is None:
            return [i for i, line in enumerate(self._lines) if pattern.search(line)]
        rows: dict[int, None] = {}
        for number, line in enumerate(self._lines):
            for found in pattern.finditer(line):
                rows[layout.row_of(number, found.start())] = None
        return list(rows)

    def match_spans(self, index: int, pattern: re.Pattern[str]) -> list[tuple[int, int]]:
        if self._layout_rows is None:
            return super().match_spans(index, pattern)
        line, start, end = self._layout_rows.place(index)
        before, after = max(0, start - len(self.sought)), end + len(self.sought)
        spans = (found.span() for found in pattern.finditer(self._lines[line], before, after))
        return [(max(a, start) - start, min(b, end) - start) for a, b in spans if a < end and b > start]

    # Laying out.

    def on_mount(self) -> None:
        self.relayout()

    @property
    def room(self) -> int:
        if self.size.width:
            return super().room
        # Until it has a size: most panes are as wide as the screen, and then the first frame is whole.
        return max(0, self.screen.size.width - self.scrollbar_gutter.width - self.gutter_width())

    def relayout(self) -> None:
        """Lay out for the present width and switches; what stood at the top stays there."""
        state = (self.room, self.wrap, self.line_numbers)
        if state == self._laid_out:
            self.rows_changed()
            return
        self._laid_out = state
        top, current = self._shown(round(self.scroll_y)), self._shown(self.cursor)
        self._layout_rows = Layout(self._lines, self.room) if self.wrap and self.room else None
        self.rows_changed(self._row_of(current))
        self.search_again()
        if self.is_mounted:
            self.scroll_to(x=0, y=self._row_of(top), animate=False)

    def _shown(self, row: int) -> tuple[int, int]:
        line, start, _ = self._place(max(0, min(row, self.row_count - 1)))
        return line, start

    def _row_of(self, place: tuple[int, int]) -> int:
        line = min(place[0], len(self._lines) - 1)
        return line if self._layout_rows is None else self._layout_rows.row_of(line, place[1])

    def watch_wrap(self) -> None:
        self.relayout()

    def watch_line_numbers(self) -> None:
        self.relayout()

    def watch_glyphs(self) -> None:
        self._lines = _lines_of(self._text, self.glyphs)
        self._layout_rows = self._laid_out = None
        super().watch_glyphs()


def _places(text: str, points: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Line and character of ascending code points of a text."""
    line = start = 0
    for point in points:
        line += text.count("\n", start, point)
        start = point
        yield line, point - (text.rfind("\n", 0, point) + 1)


def _lines_of(text: str, glyphs: Glyphs) -> list[str]:
    """The lines of a text; the line end of the last one begins no further line."""
    return safe_lines(text.removesuffix("\n"), glyphs)
