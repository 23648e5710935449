"""A comparison of two sessions, message by message."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.message import Message
from textual.widget import Widget
from textual.worker import get_current_worker

from app.display import spread
from app.errors import HandcompactError
from app.formats import open_session
from app.session_diff.lines import Line, Tone, contrast_parts
from app.session_diff.sessions import Contrast, contrast
from app.tokens import token_estimator
from app.tokens.counter import Counter
from app.tui.in_thread import in_thread
from app.tui.keys import KeyScope
from app.tui.screens.base import BaseScreen
from app.tui.widgets.diff_pane import DiffItem, DiffPane, Heading

SPLIT_FROM = 120
"""Least columns for a side-by-side view."""


class ContrastScreen(BaseScreen):
    """What two sessions both send and what only one of them sends; sizes are estimates."""

    WHERE: ClassVar[KeyScope] = KeyScope.CONTRAST

    class Ready(Message):
        """Both were read and paired."""

        def __init__(self, items: list[DiffItem]) -> None:
            super().__init__()
            self.items = items

    class Failed(Message):
        """One of them could not be read."""

        def __init__(self, reason: str) -> None:
            super().__init__()
            self.reason = reason

    def __init__(self, before: Path, after: Path, title: str) -> None:
        super().__init__()
        self._before = before
        self._after = after
        self._title = title

    def body(self) -> Iterable[Widget]:
        yield DiffPane(wrap=self.shell.preferences.wrap, glyphs=self.glyphs)

    def header(self) -> str:
        return spread(self._title, "~ rough, from lengths", self.size.width - 2, self.glyphs)

    @property
    def _pane(self) -> DiffPane:
        return self.query_one(DiffPane)

    def on_mount(self) -> None:
        self._pane.focus()
        self.status("reading both ...  esc goes back")
        self._compare()

    @in_thread(exit_on_error=False, exclusive=True, group="contrast")
    def _compare(self) -> None:
        try:
            found = contrast(open_session(self._before)[0], open_session(self._after)[0])
            answer: ContrastScreen.Ready | ContrastScreen.Failed = self.Ready(list(_items(found)))
        except (HandcompactError, OSError) as error:
            answer = self.Failed(str(error))
        if not get_current_worker().is_cancelled:
            self.post_message(answer)

    @on(Ready)
    def _show(self, event: Ready) -> None:
        last = event.items[-1]
        self._pane.show(event.items)
        self.status(last.text if isinstance(last, Heading) else "")

    @on(Failed)
    def _fail(self, event: Failed) -> None:
        self.status(event.reason)

    # Keys

    def why_not(self, action: str) -> str | None:
        if action == "split" and self.size.width < SPLIT_FROM:
            return f"side by side needs {SPLIT_FROM} columns"
        return None

    def action_next_change(self) -> None:
        self._pane.action_next_stop()

    def action_previous_change(self) -> None:
        self._pane.action_previous_stop()

    def action_split(self) -> None:
        if reason := self.why_not("split"):
            self.status(reason)
        else:
            self._pane.split = not self._pane.split

    def action_wrap(self) -> None:
        self._pane.wrap = not self._pane.wrap
        self.shell.prefer(wrap=self._pane.wrap)

    def action_close(self) -> None:
        self.dismiss()


def _items(found: Contrast) -> Iterator[DiffItem]:
    rough = token_estimator(found.before.model, exact=False)
    for part in contrast_parts(found, Counter(rough, rough), whole_paths=False):
        if isinstance(part, Line):
            is_change = part.tone in (Tone.CHANGED, Tone.GONE, Tone.ADDED)
            yield Heading(part.text, stop=is_change, faint=part.tone in (Tone.FAINT, Tone.PLAIN))
        else:
            yield part
