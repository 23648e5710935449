"""Searching all texts of a session, not only the visible previews: in a thread, cancellable."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from textual import on
from textual.message import Message
from textual.worker import Worker, get_current_worker

from app.display import counted, percent
from app.model import text_of
from app.tui.in_thread import in_thread
from app.tui.screens.parts.rows import RowsScreen
from app.tui.widgets.highlight import compile_query
from app.tui.widgets.message_list import MessageList
from app.views.listing import Item, searched

TELL_SECONDS: Final = 0.25
"""Time between two progress updates."""


class Searches(RowsScreen):
    """A list of rows that can be searched by their full texts."""

    _search: Worker[None] | None = None
    """The newest search."""
    _awaited = ""
    """The query, until the search has ended."""

    class Searched(Message):
        """The progress of a search, with the rows found so far."""

        def __init__(
            self, text: str, shown: Sequence[Item], rows: Sequence[int], share: float, *, go: bool
        ) -> None:
            super().__init__()
            self.text = text
            self.shown = shown
            """The list that was searched; `rows` are positions in it."""
            self.rows = rows
            self.share = share
            self.go = go
            """Whether the cursor moves to the next match when the search ends."""

    def find(self, text: str) -> None:
        if not self._searches_list or not text:
            self.give_up_search()
            super().find(text)
            return
        self.status(f"searching for {text!r} ...")
        self._awaited = text
        self._search = self._look_for(text, go=True)

    @property
    def _searches_list(self) -> bool:
        return self._before_prompt is None or isinstance(self._before_prompt, MessageList)

    def give_up_search(self) -> bool:
        """Cancel the search; False if none is running."""
        was_awaited, self._awaited = bool(self._awaited), ""
        if was_awaited and self._search is not None:
            self._search.cancel()
        return was_awaited

    def rows_laid(self) -> None:
        super().rows_laid()
        if text := self._awaited or self.rows.sought:
            self._search = self._look_for(text, go=bool(self._awaited))

    @in_thread(exit_on_error=False, exclusive=True, group="search")
    def _look_for(self, text: str, *, go: bool) -> None:
        worker = get_current_worker()
        pattern = compile_query(text)
        rows, found = self.shown, list[int]()
        due = time.monotonic() + TELL_SECONDS
        for position, named, block in searched(rows, self.seen):
            if worker.is_cancelled:
                return
            if time.monotonic() > due:
                self.post_message(self.Searched(text, rows, (*found,), position / len(rows), go=go))
                due = time.monotonic() + TELL_SECONDS
            if pattern.search(named) or pattern.search(text_of(block)):
                found.append(position)
        self.post_message(self.Searched(text, rows, found, 1, go=go))

    @on(Searched)
    def _found(self, event: Searched) -> None:
        if event.shown is not self.shown or (event.go and event.text != self._awaited):
            return  # the rows were rearranged and are searched again, or the search was cancelled
        count = counted(len(event.rows), "row") if event.rows else "nothing"
        if event.share < 1:
            if event.go:
                self.say_row(f"{event.text!r}: {count} in {percent(event.share, 1)}, esc cancels")
            return
        self.rows.set_matches(event.text, event.rows)
        if event.go:
            self._awaited = ""
            self.rows.to_match()
            self.say_row(f"{event.text!r}: {count}")
