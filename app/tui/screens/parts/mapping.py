"""The map over the list: where the cursor is on it, and going to what is clicked."""

from __future__ import annotations

from collections.abc import Mapping

from textual import on

from app.display import human_number, short_number
from app.tui.screens.parts.rows import RowsScreen
from app.tui.view import View
from app.tui.widgets.line_view import LineView
from app.tui.widgets.map_bar import MapBar
from app.views.listing import key_of, tokens_of
from app.views.session_map import Slice, Sort
from app.work.rows import BlockRow


class Maps(RowsScreen):
    """A list of rows with a map of all of them, whatever is shown and in which order."""

    _placed: tuple[View, Mapping[str, int]] | None = None
    """A view, and where its rows stand in the order of the file, by key."""

    def lay_rows(self) -> None:
        super().lay_rows()
        self.query_one(MapBar).show(self.view_now.map)
        self._show_here()

    @on(LineView.Moved, "MessageList")
    def _show_here(self) -> None:
        item = self.item
        self.query_one(MapBar).here = None if item is None else self._place(key_of(item))

    def _place(self, key: str) -> int | None:
        if not self.shell.preferences.by_tokens and self.only is None:
            return self.rows.cursor
        if self._placed is None or self._placed[0].items is not self.view_now.items:
            places = {key_of(item): place for place, item in enumerate(self.view_now.items)}
            self._placed = (self.view_now, places)
        return self._placed[1].get(key)

    @on(MapBar.Chosen)
    def _go_to_slice(self, event: MapBar.Chosen) -> None:
        """Go to the largest row of the slice that is shown, and say what the slice holds."""
        chosen = event.chosen
        inside = self.view_now.items[chosen.start : chosen.end]
        keys = {key_of(item) for item in inside}
        shown = [(place, item) for place, item in enumerate(self.shown) if key_of(item) in keys]
        if not shown:
            self.say_row(f"{self._told(chosen)}; the filter hides them: esc shows all rows")
            return
        sizes = [tokens_of(item, self.seen) if isinstance(item, BlockRow) else 0 for _, item in shown]
        self.rows.cursor = shown[sizes.index(max(sizes))][0]
        self.rows.focus()
        self.say_row(self._told(chosen))

    def _told(self, chosen: Slice) -> str:
        many = f"rows {human_number(chosen.start + 1)} to {human_number(chosen.end)}"
        rows = many if chosen.end > chosen.start + 1 else f"row {human_number(chosen.end)}"
        kind = "not sent" if chosen.sort is Sort.UNSENT else f"mostly {chosen.sort}"
        return f"{rows}: ~{short_number(chosen.tokens)} tokens, {kind}"
