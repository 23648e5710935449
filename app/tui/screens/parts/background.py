"""The work behind the inspect screen: stages ahead, counts, broken rules. None of it touches a widget."""

from __future__ import annotations

import time
from collections.abc import Sequence

from textual.message import Message
from textual.worker import Worker, get_current_worker

from app.collecting import collector_paused
from app.model import Block
from app.stages.base import Messages
from app.tokens.calibration import Calibration
from app.tui.in_thread import in_thread
from app.tui.screens.base import WorkScreen
from app.tui.view import View, counted_again, first_view, view_of
from app.views.outlook import outlook
from app.views.problems import Problem, problems, problems_with

TELL_SECONDS = 0.25
"""The least time between two messages about the counting."""
SLOW_SECONDS = 0.5
"""From so long a look ahead on, what was done is shown by itself first."""
TELL_SHARE = 8
"""Figures are made anew at most this part of the time: each time they take a look at every block."""


class Looked(Message):
    """The stages were run ahead."""

    def __init__(self, view: View) -> None:
        super().__init__()
        self.view = view


class Counted(Message):
    """Some more blocks were counted: `share` of the text, 1 when it is all."""

    def __init__(self, share: float, view: View) -> None:
        super().__init__()
        self.share = share
        self.view = view

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, Counted)


class RowsCounted(Message):
    """Rows that came into view were counted, before their turn."""

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, RowsCounted)


class Checked(Message):
    """The session was checked for damage and broken rules, as the steps so far leave it."""

    def __init__(self, found: tuple[Problem, ...], given: tuple[Problem, ...]) -> None:
        super().__init__()
        self.found = found
        self.given = given
        """What was wrong when it was opened."""


class LooksAhead(WorkScreen):
    """A screen that is told `Looked`, `Checked` and `Counted` as the work gets done, in this order.

    One thread does all of it: several would only take the interpreter from the screen and each other.
    Only the rows that a person moves to are counted beside it, and told with `RowsCounted`.
    """

    _is_slow = True
    """Whether it takes long to look ahead, as far as is known: the first time each block is counted."""
    calibration: Calibration | None = None
    """What the session's own usage says of the estimate; None while it is not known."""
    _given: tuple[Problem, ...] | None = None
    _checked_last: Messages | None = None
    """What was checked last."""

    @in_thread(exit_on_error=False, exclusive=True, group="look")
    def look_ahead(self, visible: Sequence[Block]) -> None:
        """Work everything out anew after something changed; these blocks are counted first."""
        worker = get_current_worker()
        counter = self.workspace.counter
        if self.workspace.estimator.exact:
            for _ in counter.run(visible, lambda: worker.is_cancelled):
                pass
        if self._is_slow and self.workspace.state.path and not worker.is_cancelled:
            # What was done is shown before the stages ahead are tried anew.
            self.post_message(Looked(first_view(self.workspace)))
        began = time.monotonic()
        with collector_paused(lasting=True):
            view = view_of(outlook(self.workspace))
        if worker.is_cancelled:
            return
        self._is_slow = time.monotonic() - began > SLOW_SECONDS
        self.post_message(Looked(view))
        self._check(view.seen.messages)
        self._count(view, worker)

    @in_thread(exit_on_error=False, exclusive=True, group="rows in view")
    def count_rows(self, visible: Sequence[Block]) -> None:
        """Count these blocks now, however far the counting of all of them is."""
        worker = get_current_worker()
        if self.workspace.counter.count(visible, lambda: worker.is_cancelled):
            self.post_message(RowsCounted())

    def _check(self, messages: Messages) -> None:
        session = self.workspace.session
        if messages is self._checked_last:
            return
        if self._given is None:
            self._given = problems(session)
        now = self._given if messages is session.live else problems_with(session, messages)
        self._checked_last = messages
        self.post_message(Checked(now, self._given))

    def _count(self, view: View, worker: Worker[None]) -> None:
        workspace = self.workspace
        if not workspace.estimator.exact:
            return
        due = time.monotonic() + TELL_SECONDS
        for counted in workspace.counter.run(workspace.to_count(), lambda: worker.is_cancelled):
            if (began := time.monotonic()) > due:
                self.post_message(Counted(counted.share, counted_again(view)))
                now = time.monotonic()
                due = now + max(TELL_SECONDS, TELL_SHARE * (now - began))
        if not worker.is_cancelled:
            # Only now are all figures counted that it is learnt from.
            self.calibration = workspace.calibration
            self.post_message(Counted(1.0, counted_again(view)))
