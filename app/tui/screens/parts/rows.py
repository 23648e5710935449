"""The list of rows with the one under the cursor at length: sorted, filtered, searched, kept up to date."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from textual import events, on, work
from textual.containers import Container
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.worker import get_current_worker

from app.display import cells, counted, one_line, percent, spread
from app.errors import FileChanged
from app.model import text_of
from app.opening import Opened
from app.tui.figures import edited_sentence, stage_items, stages_note, usage_figures
from app.tui.rows import Rows
from app.tui.screens.parts.background import Checked, Counted, Looked, LooksAhead, RowsCounted
from app.tui.view import View, first_view
from app.tui.widgets.detail import Detail
from app.tui.widgets.highlight import compile_query
from app.tui.widgets.line_view import LineView
from app.tui.widgets.map_bar import MapBar
from app.tui.widgets.message_list import MessageList
from app.tui.widgets.stage_strip import StageStrip
from app.tui.widgets.usage_bar import UsageBar
from app.views.describe import Description, describe, size_of
from app.views.listing import Item, Only, Within, arranged, is_live, key_of, searched
from app.views.marks import Marks
from app.views.outlook import Outlook
from app.views.problems import Problem
from app.work.history import Edited
from app.work.rows import BlockRow

DETAIL_SECONDS = 0.05
"""How long a cursor that runs must rest before its row is told at length."""
SCROLL_SECONDS = 0.04
"""How long rows that came into view wait to be counted, so that not each one on the way is."""
READ_AT_ONCE = 256 * 1024
"""Bytes of a record up to which it is read without a thread."""


class RowsScreen(LooksAhead):
    """Usage bar, stage strip, list and detail over one session."""

    class Described(Message):
        """A row was read."""

        def __init__(self, item: Item, said: Description) -> None:
            super().__init__()
            self.item = item
            self.said = said

    class Found(Message):
        """A search through all texts is done; `go` is whether the cursor shall go to the next match."""

        def __init__(self, text: str, rows: Sequence[int], *, go: bool) -> None:
            super().__init__()
            self.text = text
            self.rows = rows
            self.go = go

    begin_at = ""
    """The key of the row that the cursor begins on; empty for the first that is sent."""
    begin_with = ""
    """What is said first."""

    def __init__(self, opened: Opened, view: View | None = None) -> None:
        """`view` is the first one, where it was made already in another thread."""
        super().__init__(opened)
        self.view_now = view or first_view(self.workspace)
        self.shown: list[Item] = self.view_now.items
        """Those that the filter lets through, in their order."""
        self.only: Only | Within | None = None
        """The filter in force."""
        self.marks = Marks()
        self.problems: tuple[Problem, ...] | None = None
        """What is wrong as the steps so far leave it; None while the session is still being checked."""
        self.given_problems: tuple[Problem, ...] = ()
        """What was wrong when it was opened."""
        self._said: tuple[int, str, int] = (-1, "", 0)
        """A row, what is said while the cursor is on it, and how many operations were done by then."""
        self._laid_path = self.view_now.seen.state.path
        """The steps that the rows were laid out behind."""
        self._share = 0.0 if self.workspace.estimator.exact else 1.0
        self._resting: Timer | None = None
        self._scrolling: Timer | None = None
        self._moved_at = 0.0

    def body(self) -> Iterable[Widget]:
        yield UsageBar(glyphs=self.glyphs)
        yield MapBar(glyphs=self.glyphs)
        yield StageStrip(glyphs=self.glyphs)
        yield Container(MessageList(glyphs=self.glyphs), Detail(glyphs=self.glyphs), id="panes")

    @property
    def seen(self) -> Outlook:
        """The outlook that everything on the screen is seen in."""
        return self.view_now.seen

    @property
    def rows(self) -> MessageList:
        return self.query_one(MessageList)

    @property
    def item(self) -> Item | None:
        """What the cursor is on."""
        return self.shown[self.rows.cursor] if self.shown else None

    def on_mount(self) -> None:
        self.rows.focus()
        self.lay_rows()
        self.watch(self.rows, "scroll_y", self._scrolled, init=False)
        # The first row that is sent, with what stands before it out of sight above.
        live = next((place for place, item in enumerate(self.shown) if is_live(item)), 0)
        start = next((i for i, item in enumerate(self.shown) if key_of(item) == self.begin_at), live)
        self.rows.cursor = start
        self.say_row(self.begin_with)
        self.call_after_refresh(self._show_from, start)

    def _show_from(self, place: int) -> None:
        if self.rows.cursor == place:
            self.rows.scroll_to(y=max(0, place - 1), animate=False)

    def on_screen_resume(self) -> None:
        """Begin, or come back from a screen that may have changed everything."""
        self._look()

    def _look(self) -> None:
        self.look_ahead(self._in_view())

    def _in_view(self) -> frozenset[str]:
        top = round(self.rows.scroll_y)
        visible = self.shown[top : top + self.size.height]
        return frozenset(item.key for item in visible if isinstance(item, BlockRow))

    def _scrolled(self) -> None:
        if self._share < 1 and self._scrolling is None:
            self._scrolling = self.set_timer(SCROLL_SECONDS, self._came_to_rest)

    def _came_to_rest(self) -> None:
        self._scrolling = None
        self.count_rows(self._in_view())

    @on(RowsCounted)
    def _rows_counted(self) -> None:
        self.rows.rows_changed()

    def on_resize(self, event: events.Resize) -> None:
        self.refresh_lines()
        self._say()

    def did(self, words: str) -> None:
        """Say what a key did, until the cursor moves, and look at everything anew."""
        self.say_row(words)
        self._look()

    def say_row(self, words: str) -> None:
        """Say something until the cursor moves away from where it is now."""
        self._said = (self.rows.cursor, words, len(self.workspace.history.done))
        self._say()

    # What the workers found

    @on(Looked)
    def _looked(self, event: Looked) -> None:
        self.view_now = event.view
        self.lay_rows()

    @on(Counted)
    def _counted(self, event: Counted) -> None:
        if event.view.seen is not self.seen:
            return
        self._share, self.view_now = event.share, event.view
        # Rows under a moving cursor must not change places: the order is made anew at the end.
        if self.shell.preferences.by_tokens and event.share == 1:
            self.lay_rows()
        else:
            self.rows.rows_changed()
            self._refresh_figures()
            self._describe()

    @on(Checked)
    def _checked(self, event: Checked) -> None:
        self.problems, self.given_problems = event.found, event.given
        self.lay_rows()

    # Showing

    def lay_rows(self) -> None:
        """Show the rows that the filter lets through, in their order; the cursor stays on its row."""
        kept = self.item
        self.shown = arranged(
            self.view_now.items, self.seen, by_tokens=self.shell.preferences.by_tokens, only=self.only
        )
        warned = frozenset(problem.key for problem in self.problems or () if problem.key)
        source = Rows(self.shown, self.seen, warned, self.marks)
        last = len(self.workspace.session.messages)
        touches = self.seen.touches
        touched = [place for place, item in enumerate(self.shown) if key_of(item) in touches]
        self.rows.show(source, cursor=self._place_after(kept), last_number=last, stops=touched)
        if self.rows.sought:
            self._search(self.rows.sought, go=False)
        self._refresh_figures()
        self._describe()
        self.refresh_lines()
        self._scrolled()

    def _place_after(self, kept: Item | None) -> int | None:
        """Where the cursor goes: it stays on its row, but for one that a step just made lighter.

        Sorted by tokens that one sinks, and what is to be looked at next comes to its place.
        """
        path, self._laid_path = self._laid_path, self.seen.state.path
        sinks = self.shell.preferences.by_tokens and path != self._laid_path
        return self.rows.cursor if sinks else _place(self.shown, kept)

    def _refresh_figures(self) -> None:
        self.query_one(UsageBar).show(usage_figures(self.seen, self.view_now.figures, self.calibration))
        self.query_one(StageStrip).show(stage_items(self.seen), stages_note(self.seen, self.glyphs))
        self._say()

    def _say(self) -> None:
        place, words, done = self._said
        if place != self.rows.cursor or done != len(self.workspace.history.done) or not words:
            view = self.view_now
            words = self._sentence(view)
        right = f"{self.rows.cursor + 1:,} of {len(self.shown):,}" if self.shown else "no rows"
        if self.only is not None:
            right = f"only {one_line(self.only.value, min(20, cells(self.only.value)), self.glyphs)}  {right}"
        if tally := self.tally():
            right = f"{tally}  {right}"
        if self._share < 1:
            right = f"counting {percent(self._share, 1)}  {right}"
        self.status(spread(words, right, self.size.width - 2, self.glyphs))

    def _sentence(self, view: View) -> str:
        if not view.seen.ahead:
            return "running the stages ahead ..."
        by_hand = any(isinstance(step, Edited) for step in view.seen.state.path)
        if by_hand and view.cost is not None:
            return edited_sentence(view.figures, view.cost)
        return view.seen.sentence(view.figures)

    def tally(self) -> str:
        """What stands beside the place in the list; empty for nothing."""
        return ""

    @on(LineView.Moved, "MessageList")
    def _moved(self) -> None:
        self._say()
        self.refresh_lines()
        now = time.monotonic()
        if self._resting is not None:
            self._resting.stop()
            self._resting = None
        if now - self._moved_at > DETAIL_SECONDS:
            self._describe()
        else:
            self._resting = self.set_timer(DETAIL_SECONDS, self._describe)
        self._moved_at = now

    @property
    def resting(self) -> bool:
        """True while something waits for the cursor or the rows to rest."""
        return self._resting is not None or self._scrolling is not None

    def _describe(self) -> None:
        self._resting = None
        item = self.item
        if item is None:
            self.query_one(Detail).show(Description("no row", "", ()))
        elif size_of(item, self.workspace.session) <= READ_AT_ONCE:
            self._tell(self.Described(item, _described(item, self.seen)))
        else:
            self._read(item, self.seen)

    @work(thread=True, exit_on_error=False, exclusive=True, group="describe")
    def _read(self, item: Item, seen: Outlook) -> None:
        worker = get_current_worker()
        said = _described(item, seen)
        if not worker.is_cancelled:
            self.post_message(self.Described(item, said))

    @on(Described)
    def _tell(self, event: Described) -> None:
        if event.item is self.item:
            # A new search goes to where it is found, also in the text that is shown.
            key = f"{key_of(event.item)} {self.rows.sought}"
            self.query_one(Detail).show(event.said, key=key, sought=self.rows.sought)

    # Searching all texts, not only what the list shows

    def find(self, text: str) -> None:
        if not self._searches_list or not text:
            super().find(text)
            return
        self.status(f"looking for {text!r} ...")
        self._search(text, go=True)

    @property
    def _searches_list(self) -> bool:
        return self._before_prompt is None or isinstance(self._before_prompt, MessageList)

    @work(thread=True, exit_on_error=False, exclusive=True, group="search")
    def _search(self, text: str, *, go: bool) -> None:
        worker = get_current_worker()
        pattern = compile_query(text)
        found = []
        for position, block in searched(self.shown, self.seen):
            if worker.is_cancelled:
                return
            if pattern.search(text_of(block)):
                found.append(position)
        self.post_message(self.Found(text, found, go=go))

    @on(Found)
    def _found(self, event: Found) -> None:
        self.rows.set_matches(event.text, event.rows)
        if event.go:
            self.rows.to_match()
        count = counted(len(event.rows), "row") if event.rows else "nothing"
        self.say_row(f"{event.text!r}: {count}")


def _described(item: Item, seen: Outlook) -> Description:
    """What is said of a row, also where its file does not hold it any more."""
    try:
        return describe(item, seen)
    except FileChanged as error:
        return Description(key_of(item), str(error), ())


def _place(rows: Sequence[Item], item: Item | None) -> int | None:
    """Where a row stands now; None when it is not there any more."""
    if item is None:
        return None
    key = key_of(item)
    return next((place for place, other in enumerate(rows) if key_of(other) == key), None)
