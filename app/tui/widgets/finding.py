"""Searching the rows of a view, and going from one of its stops to the next."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from app.tui.widgets.highlight import compile_query, restyle


class Finding(ScrollView):
    """A view whose rows can be searched: n and N visit what was found, or else the view's own stops."""

    cursor: reactive[int] = reactive(0, repaint=False, init=False)
    """Index of the current row; 0 when there is none."""
    show_cursor: reactive[bool] = reactive(True, init=False)
    """Without a cursor the movement keys scroll, as in a pager."""

    _sought = ""
    _pattern: re.Pattern[str] | None = None
    _matches: Sequence[int] = ()
    _found_here = False
    """Whether the view found its matches itself; else the caller did."""

    class RowMessage(Message):
        """Something about one row of a view."""

        def __init__(self, view: Finding, index: int) -> None:
            super().__init__()
            self.view = view
            self.index = index

        @property
        def control(self) -> Finding:
            return self.view

    class Jumped(RowMessage):
        """A search or a jump to the next stop ended on row `index`.

        `position` of `total` counts the stops from 1; both are 0 when there is none.
        """

        def __init__(self, view: Finding, index: int, position: int, total: int, *, wrapped: bool) -> None:
            super().__init__(view, index)
            self.position = position
            self.total = total
            self.wrapped = wrapped
            """Whether the search went on at the other end."""

    # What a subclass says about its rows.

    @property
    def row_count(self) -> int:
        """How many rows there are."""
        raise NotImplementedError

    def row_strip(self, index: int) -> Strip:
        """Row `index` without its gutter, as wide as it is."""
        raise NotImplementedError

    @property
    def page(self) -> int:
        """Rows that are in sight at once."""
        raise NotImplementedError

    def reveal(self, index: int, *, centre: bool = False) -> None:
        """Scroll to a row where it is not in sight."""
        raise NotImplementedError

    def find_rows(self, pattern: re.Pattern[str]) -> Sequence[int]:
        """Ascending indexes of the rows in which `pattern` is found."""
        return [i for i in range(self.row_count) if pattern.search(self.row_strip(i).text)]

    def match_spans(self, index: int, pattern: re.Pattern[str]) -> list[tuple[int, int]]:
        """Where `pattern` is in the text of row `index`, in characters."""
        return [found.span() for found in pattern.finditer(self.row_strip(index).text)]

    def stops(self) -> Sequence[int]:
        """Ascending indexes that n and N visit when no search is active."""
        return ()

    # Searching.

    @property
    def sought(self) -> str:
        """What is searched for; empty when no search is active."""
        return self._sought

    @property
    def matches(self) -> Sequence[int]:
        """Ascending indexes of the rows in which the query is found."""
        return self._matches

    def find(self, query: str) -> int:
        """Search from the cursor on, mark what is found and return in how many rows.

        Capitals count only when the query has some. An empty query ends the search.
        """
        pattern = compile_query(query) if query else None
        self.set_matches(query, self.find_rows(pattern) if pattern else ())
        self._found_here = True
        if query:
            self.to_match()
        return len(self._matches)

    def set_matches(self, query: str, rows: Sequence[int]) -> None:
        """Mark `query` on screen and let n and N visit `rows` (ascending), found by the caller."""
        self._sought = query
        self._pattern = compile_query(query) if query else None
        self._matches = rows
        self._found_here = False
        self.refresh()

    def search_again(self) -> None:
        """Find the same query in rows that have changed, without moving; not what the caller found."""
        if self._pattern is not None and self._found_here:
            self._matches = self.find_rows(self._pattern)

    def to_match(self) -> None:
        """Go to the first match from the cursor on."""
        self._jump(bisect_left(self._matches, self._here()))

    def action_next_stop(self) -> None:
        self._jump(bisect_right(self._all_stops(), self._here()))

    def action_previous_stop(self) -> None:
        self._jump(bisect_left(self._all_stops(), self._here()) - 1)

    def _all_stops(self) -> Sequence[int]:
        return self._matches if self._sought else self.stops()

    def _jump(self, position: int) -> None:
        stops = self._all_stops()
        if not stops:
            self.post_message(self.Jumped(self, self.cursor, 0, 0, wrapped=False))
            return
        wrapped = not 0 <= position < len(stops)
        position %= len(stops)
        self.cursor = stops[position]
        self.reveal(self.cursor, centre=True)
        self.post_message(self.Jumped(self, self.cursor, position + 1, len(stops), wrapped=wrapped))

    def _here(self) -> int:
        """The row a search starts from: the cursor, or what a pager shows if it scrolled away."""
        top = round(self.scroll_y)
        if self.show_cursor or top <= self.cursor < top + self.page:
            return self.cursor
        return top

    def with_matches(self, index: int, strip: Strip) -> Strip:
        """A row with what is searched for marked in it."""
        if self._pattern is None:
            return strip
        style = self.get_component_rich_style("line-view--match", partial=True)
        return restyle(strip, self.match_spans(index, self._pattern), style)
