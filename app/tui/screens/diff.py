"""The diff: one changed message at a time, with what surrounds it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.message import Message
from textual.widget import Widget
from textual.worker import get_current_worker

from app.display import safe_lines, spread
from app.errors import HandcompactError
from app.opening import Opened
from app.tui.diff_page import Page, diff_page, figure, page_line
from app.tui.in_thread import in_thread
from app.tui.keys import KeyScope
from app.tui.screens.base import acts
from app.tui.screens.parts.progress import TellsWaits
from app.tui.screens.parts.undoing import TakesBack
from app.tui.stage_words import why_not_refuse
from app.tui.widgets.line_view import LineView
from app.tui.widgets.message_diff import MessageDiff
from app.views.comparison import ChangedBlock, Comparison, KeepReason, compare_all, compare_step
from app.views.describe import readable

SPLIT_FROM = 120
"""Least columns for a side-by-side view."""


@dataclass(frozen=True)
class Shown:
    """The content of the screen, computed in a thread."""

    comparison: Comparison
    place: int | None
    """Index of the message in the comparison; None if nothing differs."""
    key: str | None
    """The block under the cursor."""
    page: Page | None


class DiffScreen(TakesBack, TellsWaits):
    """What one stage, or all of them together, change in the conversation's messages."""

    WHERE: ClassVar[KeyScope] = KeyScope.DIFF

    class Ready(Message):
        """A page was computed."""

        def __init__(self, shown: Shown) -> None:
            super().__init__()
            self.shown = shown

    class Failed(Message):
        """The texts could not be read."""

        def __init__(self, reason: str) -> None:
            super().__init__()
            self.reason = reason

    def __init__(self, opened: Opened, *, key: str | None = None, step: str | None = None) -> None:
        """Opens at the block `key`; compares before and after `step`, or all steps if it is None."""
        super().__init__(opened)
        self._step = step
        self._key = key
        self._shown: Shown | None = None
        self._full: set[str] = set()

    def body(self) -> Iterable[Widget]:
        yield MessageDiff(wrap=self.shell.preferences.wrap, glyphs=self.glyphs)

    def header(self) -> str:
        shown = self._shown
        if shown is None:
            return ""
        places = shown.comparison.places
        if shown.place is None or shown.page is None:
            return f"{shown.comparison.title} {self.glyphs.dot} nothing differs"
        at = f"message {places.index(shown.place) + 1:,} of {len(places):,} changed"
        page = shown.page
        before, after = figure(page.before, exact=page.exact), figure(page.after, exact=page.exact)
        sizes = f"{before} {self.glyphs.arrow} {after}"
        left = f"{shown.comparison.title} {self.glyphs.dot} {at}"
        return spread(left, f"{self._title(shown.place)}  {sizes}", self.size.width - 2, self.glyphs)

    def _title(self, place: int) -> str:
        assert self._shown is not None
        row = self._shown.comparison.pairs[place]
        message = row.before or row.after
        assert message is not None
        number = self._shown.comparison.numbers.get(message.key)
        return f"new {message.role}" if number is None else f"#{number} {message.role}"

    @property
    def pane(self) -> MessageDiff:
        return self.query_one(MessageDiff)

    @property
    def _block(self) -> ChangedBlock | None:
        """The changed block under the cursor."""
        if self._shown is None or self._shown.place is None:
            return None
        blocks = self._shown.comparison.at(self._shown.place)
        key = self.pane.key_at(self.pane.cursor)
        return next((block for block in blocks if block.key == key), blocks[0] if blocks else None)

    # Computing the page

    @on(events.ScreenResume)
    def _back_on_top(self) -> None:
        self.pane.focus()
        self._work_out(self._key, None)

    def _work_out(self, key: str | None, place: int | None) -> None:
        """Show the message at `place` of the current comparison, or else the one with the block `key`."""
        self.wait_for("comparing", way_out="esc goes back")
        self._compare_behind(key, place)

    @in_thread(exclusive=True, group="diff")
    def _compare_behind(self, key: str | None, place: int | None) -> None:
        worker, workspace = get_current_worker(), self.workspace
        try:
            known = self._shown.comparison if self._shown is not None and place is not None else None
            comparison = known or self._compare()
            places = comparison.places
            if place is None:
                at = comparison.place_of(key) if key is not None else None
                place = at if at is not None else self._nearest(comparison)
            if not places or place is None:
                self.post_message(self.Ready(Shown(comparison, None, None, None)))
                return
            changes = [block.change for block in comparison.at(place)]
            sides = [side for change in changes for side in (change.before, change.after) if side is not None]
            workspace.count(sides, lambda: worker.is_cancelled)
            page = diff_page(workspace, comparison, place, self.glyphs, self._full)
        except (HandcompactError, OSError) as error:
            self.post_message(self.Failed(str(error)))
            return
        if not worker.is_cancelled:
            self.post_message(self.Ready(Shown(comparison, place, key, page)))

    def _compare(self) -> Comparison:
        workspace = self.workspace
        # A pending stage is compared as if those before it were accepted.
        step = next((step for step in workspace.ahead if step.name == self._step), None)
        return compare_all(workspace) if step is None else compare_step(workspace, step)

    def _nearest(self, comparison: Comparison) -> int | None:
        """The nearest message to show if the block shown before does not differ any more."""
        old = None if self._shown is None else self._shown.place
        return min(comparison.places, key=lambda place: abs(place - (old or 0)), default=None)

    @on(Ready)
    def _show(self, event: Ready) -> None:
        self.waited()
        shown = self._shown = event.shown
        self.pane.show(() if shown.page is None else shown.page.items)
        key = shown.key
        if key is None and shown.place is not None:
            key = shown.comparison.at(shown.place)[0].key
        if key is not None:
            self._key = key
            self.pane.go_to_key(key)
        self.refresh_lines()
        self._say_page()

    def _say_page(self) -> None:
        shown = self._shown
        if shown is not None:
            page = shown.page
            self.status("nothing differs" if page is None else page_line(page, shown.comparison.checks))

    @on(Failed)
    def _fail(self, event: Failed) -> None:
        self.waited()
        self.status(event.reason)

    def on_resize(self, event: events.Resize) -> None:
        self.pane.split = self.shell.preferences.split and event.size.width >= SPLIT_FROM
        self._say_page()

    # Keys

    def why_not(self, action: str) -> str | None:
        block = self._block
        match action:
            case "split" if self.size.width < SPLIT_FROM:
                return f"side by side needs {SPLIT_FROM} columns, this terminal has {self.size.width}"
            case "undo" | "redo":
                return self.why_not_back(action)
            case "refuse" | "pin" | "copy" if block is None:
                return "nothing differs"
            case "next_change" | "previous_change" if self._shown is None or not self._shown.page:
                return "nothing differs"
            case "refuse" if block is not None:
                return why_not_refuse(block)
        return None

    @on(MessageDiff.Onward)
    def _go_onward(self, event: MessageDiff.Onward) -> None:
        self._go(event.by)

    @acts
    def action_next_change(self) -> None:
        self._go(1)

    @acts
    def action_previous_change(self) -> None:
        self._go(-1)

    def _go(self, by: int) -> None:
        if self._shown is None or self._shown.place is None:
            return
        places = self._shown.comparison.places
        at = places.index(self._shown.place) + by
        if not 0 <= at < len(places):
            self.status(f"that was the {'last' if by > 0 else 'first'} changed message")
            return
        self._work_out(None, places[at])

    @on(LineView.Opened)
    def _compare_in_full(self) -> None:
        block, shown = self._block, self._shown
        if block is None or shown is None or shown.page is None or block.key not in shown.page.uncompared:
            return
        self._full.add(block.key)
        self._work_out(block.key, shown.place)

    @acts
    def action_split(self) -> None:
        self.pane.split = not self.pane.split
        self.shell.prefer(split=self.pane.split)

    @acts
    def action_wrap(self) -> None:
        self.pane.wrap = not self.pane.wrap
        self.shell.prefer(wrap=self.pane.wrap)

    @acts
    def action_refuse(self) -> None:
        block = self._block
        assert block is not None
        if block.kept is KeepReason.REFUSED:
            self.workspace.allow(block.steps[0], [block.key])
        else:
            self.workspace.refuse(block.steps[0], [block.key])
        self._work_out(block.key, None)

    @acts
    def action_pin(self) -> None:
        block = self._block
        assert block is not None
        if block.key in self.workspace.state.pins:
            self.workspace.unpin([block.key])
        else:
            self.workspace.pin([block.key])
        self._work_out(block.key, None)

    def did(self, words: str) -> None:
        self._work_out(self._key, None)

    @acts
    def action_copy(self) -> None:
        block = self._block
        assert block is not None
        side = block.change.before or block.change.after
        assert side is not None
        text = "\n".join(safe_lines(readable(side)))
        self.app.copy_to_clipboard(text)
        which = "before" if block.change.before else "made"
        self.status(f"copied {len(text):,} characters of the text {which}")

    def action_close(self) -> None:
        self.dismiss()
