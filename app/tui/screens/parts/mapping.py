"""The map above the list: follows the cursor, and a click on it moves the cursor."""

from __future__ import annotations

from textual import on

from app.display import human_number, short_number
from app.tui.screens.parts.rows import RowsScreen
from app.tui.widgets.line_view import LineView
from app.tui.widgets.map_bar import MapBar
from app.views.listing import tokens_of
from app.views.session_map import Slice, SliceKind
from app.work.rows import BlockRow


class ShowsMap(RowsScreen):
    """A list of rows with a map of all rows, independent of filter and order."""

    def refresh_figures(self) -> None:
        super().refresh_figures()
        self.query_one(MapBar).show(self.view_now.map)
        self._show_here()

    @on(LineView.Moved, "MessageList")
    def _show_here(self) -> None:
        self.query_one(MapBar).here = self.laid.places[self.rows.cursor] if self.shown else None

    @on(MapBar.Chosen)
    def _go_to_slice(self, event: MapBar.Chosen) -> None:
        """Go to the largest visible row of the slice, and say what the slice contains."""
        chosen = event.chosen
        shown = [at for at, place in enumerate(self.laid.places) if chosen.start <= place < chosen.end]
        if not shown:
            self.say_row(f"{self._told(chosen)}; hidden by the filter: esc shows all rows")
            return
        self.rows.cursor = max(shown, key=self._tokens_at)
        self.rows.focus()
        self.say_row(self._told(chosen))

    def _tokens_at(self, place: int) -> int:
        item = self.shown[place]
        return tokens_of(item, self.seen) if isinstance(item, BlockRow) else 0

    def _told(self, chosen: Slice) -> str:
        many = f"rows {human_number(chosen.start + 1)} to {human_number(chosen.end)}"
        rows = many if chosen.end > chosen.start + 1 else f"row {human_number(chosen.end)}"
        kind = "not sent" if chosen.sort is SliceKind.UNSENT else f"mostly {chosen.sort}"
        return f"{rows}: ~{short_number(chosen.tokens)} tokens, {kind}"
