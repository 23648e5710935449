"""The list of rows with the details of the current one: sorting, filtering, updating."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct
from textual import events, on
from textual.containers import Container
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.worker import get_current_worker

from app.display import cells, one_line, percent, spread
from app.errors import FileChanged
from app.model import Block
from app.opening import Opened
from app.tui.figures import edited_sentence, stage_items, stages_note, usage_figures
from app.tui.in_thread import in_thread
from app.tui.rows import Rows
from app.tui.screens.parts.background import Checked, Counted, Looked, LooksAhead, RowsCounted, Tried
from app.tui.screens.parts.behind import WorksBehind
from app.tui.view import View, first_view
from app.tui.widgets.detail import Detail
from app.tui.widgets.line_view import LineView
from app.tui.widgets.map_bar import MapBar
from app.tui.widgets.message_list import MessageList
from app.tui.widgets.stage_strip import StageStrip
from app.tui.widgets.usage_bar import UsageBar
from app.views.describe import Description, describe, size_of
from app.views.listing import Arrangement, FacetFilter, Item, KeysFilter, arrange, as_listed, key_of, place_of
from app.views.marks import Marks
from app.views.outlook import Outlook
from app.views.problems import Problem
from app.work.history import Edited
from app.work.rows import BlockRow

DETAIL_SECONDS = 0.05
"""How long the cursor must rest before the details of its row are shown."""
SCROLL_SECONDS = 0.04
"""How long rows must be in view before they are counted, so that rows scrolled past are not."""
READ_AT_ONCE = 256 * 1024
"""Largest record, in bytes, that is read on the UI thread."""


class Laid(Struct, frozen=True):
    """Rearranged rows, and the new index of one of them."""

    arrangement: Arrangement
    kept: Item | None
    """The item under the cursor when this was requested."""
    place: int | None
    """Its new index."""


class RowsScreen(LooksAhead, WorksBehind):
    """Usage bar, stage strip, list and detail over one session."""

    class Described(Message):
        """A row was read."""

        def __init__(self, item: Item, said: Description) -> None:
            super().__init__()
            self.item = item
            self.said = said

    begin_at = ""
    """The key of the row for the initial cursor; empty for the first row that is sent."""
    begin_with = ""
    """The initial status text."""

    def __init__(self, opened: Opened, view: View | None = None) -> None:
        """`view` is the initial view, if it was already built in another thread."""
        super().__init__(opened)
        self.view_now = view or first_view(self.workspace)
        self.laid: Arrangement = as_listed(self.view_now.items)
        """The rows that pass the filter, in display order."""
        self.only: FacetFilter | KeysFilter | None = None
        """The active filter."""
        self.marks = Marks()
        self.problems: tuple[Problem, ...] | None = None
        """The problems after the steps so far; None while the session is being checked."""
        self.given_problems: tuple[Problem, ...] = ()
        """The problems when the session was opened."""
        self._said: tuple[int, str, int] = (-1, "", 0)
        """A row, the status text while the cursor is on it, and the number of operations at that time."""
        self._then: list[Callable[[], object]] = []
        """Callbacks for when the rows are arranged."""
        self._asked = False
        """Whether the user waits for the rows, so that the cursor must be in view afterwards."""
        self._laid_path = self.view_now.seen.state.path
        """The steps done when the rows were last arranged."""
        self._share = 0.0 if self.workspace.estimator.exact else 1.0
        self._resting: Timer | None = None
        self._scrolling: Timer | None = None
        self._moved_at = 0.0
        self._looks_soon = False
        self._looks = False
        """Whether the view does not yet reflect the last key press."""
        self._looked_at: tuple[object, ...] = ()
        """The steps and pipeline for which everything was last computed."""
        self._looks_since = time.monotonic()
        self._run_ahead = (0, 0)
        """(stages ahead that have run, total); the total is 0 while it is unknown."""
        self._looking: Timer | None = None
        """Updates the time that the stages ahead have taken."""

    def body(self) -> Iterable[Widget]:
        yield UsageBar(glyphs=self.glyphs)
        yield MapBar(glyphs=self.glyphs)
        yield StageStrip(glyphs=self.glyphs)
        yield Container(MessageList(glyphs=self.glyphs), Detail(glyphs=self.glyphs), id="panes")

    @property
    def seen(self) -> Outlook:
        """The outlook that the whole screen shows."""
        return self.view_now.seen

    @property
    def rows(self) -> MessageList:
        return self.query_one(MessageList)

    @property
    def shown(self) -> Sequence[Item]:
        """The items that pass the filter, in display order."""
        return self.laid.rows

    @property
    def item(self) -> Item | None:
        """The item under the cursor."""
        return self.shown[self.rows.cursor] if self.shown else None

    def on_mount(self) -> None:
        self.rows.focus()
        self._show_rows()
        self.watch(self.rows, "scroll_y", self._scrolled, init=False)
        self._to_start()
        if self.shell.preferences.by_tokens:
            self.lay_rows(self._to_start)

    def _to_start(self) -> None:
        """Put the cursor on the first row that is sent, and scroll the rows before it out of view."""
        first = 0 if self.shell.preferences.by_tokens else self.view_now.begins
        keys = enumerate(map(key_of, self.shown)) if self.begin_at else ()
        start = next((place for place, key in keys if key == self.begin_at), first)
        self.rows.cursor = start
        self.say_row(self.begin_with)
        self.call_after_refresh(self._show_from, start)

    def _show_from(self, place: int) -> None:
        if self.rows.cursor == place:
            self.rows.scroll_to(y=max(0, place - 1), animate=False)

    def on_screen_resume(self) -> None:
        """Start, or refresh after a screen on top that may have changed the workspace."""
        workspace = self.workspace
        state = (workspace.history.done, workspace.pipeline, workspace.index)
        if state == self._looked_at:
            self.rows.repaint_rows()
            self._say()
            self.refresh_lines()
            return
        # A busy worker thread would delay the paint.
        self._looks_soon = True
        self.call_after_refresh(self._look)

    def _look(self) -> None:
        workspace = self.workspace
        self._looked_at = (workspace.history.done, workspace.pipeline, workspace.index)
        self._looks_soon, self._looks = False, True
        self._looks_since, self._run_ahead = time.monotonic(), (0, 0)
        if self._looking is None:
            self._looking = self.set_interval(1, self._say_how_long)
        self.look_ahead(self._in_view())

    @property
    def _is_looking(self) -> bool:
        return self._looks or not self.seen.ahead

    def _say_how_long(self) -> None:
        if self._is_looking:
            self._say()
        elif self._looking is not None:
            self._looking.stop()
            self._looking = None

    def _in_view(self) -> tuple[Block, ...]:
        top = round(self.rows.scroll_y)
        visible = self.shown[top : top + self.size.height]
        blocks = (self.seen.block(item) or item.block for item in visible if isinstance(item, BlockRow))
        return tuple(blocks)

    def _scrolled(self) -> None:
        if self._share < 1 and self._scrolling is None:
            self._scrolling = self.set_timer(SCROLL_SECONDS, self._came_to_rest)

    def _came_to_rest(self) -> None:
        self._scrolling = None
        self.count_rows(self._in_view())

    @on(RowsCounted)
    def _rows_counted(self, event: RowsCounted) -> None:
        self.rows.repaint_rows()
        self._describe()
        if event.share is not None:
            self._share = event.share
            self._say()

    @on(Tried)
    def _tried_stages(self, event: Tried) -> None:
        self._run_ahead = (event.done, event.of)
        self._say()

    def on_resize(self, event: events.Resize) -> None:
        self.refresh_lines()
        self._say()

    def did(self, words: str) -> None:
        """Report what a key did, until the cursor moves, and recompute everything."""
        self.rows.reveal(self.rows.cursor)
        self._look()
        self.say_row(words)

    def say_row(self, words: str) -> None:
        """Show a status text until the cursor moves."""
        self._said = (self.rows.cursor, words, len(self.workspace.history.done))
        self._say()

    # Results of the workers

    @on(Looked)
    def _looked(self, event: Looked) -> None:
        self.view_now, self._looks = event.view, not event.view.seen.ahead
        self.lay_rows(asked=False)

    @on(Counted)
    def _counted(self, event: Counted) -> None:
        if event.view.seen is not self.seen:
            return
        self._share, self.view_now = event.share, event.view
        # Rows must not move under the cursor, so they are sorted again only at the end.
        if self.shell.preferences.by_tokens and event.share == 1:
            self.lay_rows(asked=False)
        else:
            self.rows.repaint_rows()
            self.refresh_figures()
            self._describe()

    @on(Checked)
    def _checked(self, event: Checked) -> None:
        self.problems, self.given_problems = event.found, event.given
        self._show_rows(top=self.rows.scrolled_to)

    # Showing

    def lay_rows(self, then: Callable[[], object] = lambda: None, *, asked: bool = True) -> None:
        """Show the rows that pass the filter, in display order, and then call `then`.

        The cursor stays on its row, and is scrolled into view if the user `asked` for this. Otherwise the
        scroll position is kept.
        """
        self._asked = self._asked or asked
        view, only, kept, near = self.view_now, self.only, self.item, self.rows.cursor
        by_tokens = self.shell.preferences.by_tokens

        def laid() -> Laid:
            found = arrange(view.items, view.seen, by_tokens=by_tokens, only=only)
            return Laid(found, kept, place_of(found.rows, kept, near))

        # A newer call replaces this one, but not the callbacks.
        self._then.append(then)
        self.behind(len(view.items), laid, self._lay, group="rows")

    def _lay(self, new: Laid) -> None:
        here, top = self.item, None if self._asked else self.rows.scrolled_to
        on_top = self.shown[top] if top is not None and self.shown else None
        self.laid, self._asked = new.arrangement, False
        place = new.place if here is new.kept else place_of(self.shown, here, new.place or 0)
        if top is not None:
            there = place_of(self.shown, on_top, top)
            top = top if there is None else there
        self._show_rows(self._place_after(place), top=top)
        self.rows_laid()
        waiting, self._then = self._then, []
        for then in waiting:
            then()

    def rows_laid(self) -> None:
        """Called after the rows or their order changed."""

    def _show_rows(self, cursor: int | None = None, top: int | None = None) -> None:
        warned = frozenset(problem.key for problem in self.problems or () if problem.key)
        source = Rows(self.shown, self.seen, warned, self.marks)
        last = len(self.workspace.session.messages)
        stops, by_tokens = self.laid.touched, self.shell.preferences.by_tokens
        self.rows.show(source, cursor=cursor, last_number=last, stops=stops, top=top, by_tokens=by_tokens)
        self.refresh_figures()
        self._describe()
        self.refresh_lines()
        self._scrolled()

    def _place_after(self, place: int | None) -> int | None:
        """The new cursor index: normally the same row, at `place`.

        But when sorted by tokens, a row that a step just shrank sinks; then the cursor keeps its index, where
        the next row to look at is.
        """
        path, self._laid_path = self._laid_path, self.seen.state.path
        sinks = self.shell.preferences.by_tokens and path != self._laid_path
        return self.rows.cursor if sinks else place

    def refresh_figures(self) -> None:
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
        if self._is_looking:
            seconds, (done, of) = round(time.monotonic() - self._looks_since), self._run_ahead
            how_far = f": {done} of {of} done" if of else ""
            return f"running the stages ahead{how_far} ... {f'{seconds} s' if seconds else ''}".rstrip()
        by_hand = any(isinstance(step, Edited) for step in view.seen.state.path)
        if by_hand and view.cost is not None:
            return edited_sentence(view.figures, view.cost)
        return view.seen.sentence(view.figures)

    def tally(self) -> str:
        """The text beside the list position; may be empty."""
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
        """Whether something still waits for a paint, or for the cursor or scrolling to rest."""
        return self._looks_soon or self._resting is not None or self._scrolling is not None

    def _describe(self) -> None:
        self._resting = None
        item = self.item
        if item is None:
            self.query_one(Detail).show(Description("no row", "", ()))
        elif size_of(item, self.workspace.session) <= READ_AT_ONCE:
            self._tell(self.Described(item, _described(item, self.seen)))
        else:
            self._read(item, self.seen)

    @in_thread(exit_on_error=False, exclusive=True, group="describe")
    def _read(self, item: Item, seen: Outlook) -> None:
        worker = get_current_worker()
        said = _described(item, seen)
        if not worker.is_cancelled:
            self.post_message(self.Described(item, said))

    @on(Described)
    def _tell(self, event: Described) -> None:
        if event.item is self.item:
            # A new search also scrolls the detail text to its match.
            key = f"{key_of(event.item)} {self.rows.sought}"
            self.query_one(Detail).show(event.said, key=key, sought=self.rows.sought)


def _described(item: Item, seen: Outlook) -> Description:
    """The description of a row, even if the file no longer contains it."""
    try:
        return describe(item, seen)
    except FileChanged as error:
        return Description(key_of(item), str(error), ())
