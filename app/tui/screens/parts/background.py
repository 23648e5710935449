"""Background work of the inspect screen: stages ahead, counts, broken rules. It touches no widget."""

from __future__ import annotations

import time
from collections.abc import Sequence

from textual.message import Message
from textual.worker import Worker, get_current_worker

from app.gc_control import collector_paused
from app.model import Block, blocks_of
from app.stages.base import Messages
from app.tokens.calibration import Calibration
from app.tui.in_thread import in_thread
from app.tui.screens.base import WorkScreen
from app.tui.view import View, counted_again, first_view, view_of
from app.views.outlook import outlook
from app.views.problems import Problem, problems, problems_with

TELL_SECONDS = 0.25
"""Least time between two messages about counting."""
STEP_SECONDS = 0.5
"""The same while the stages ahead wait for it."""
SLOW_SECONDS = 0.5
"""If the stages ahead take longer than this, the steps so far are shown first without them."""
TELL_SHARE = 8
"""Recomputing figures takes at most 1/8 of the time, because it looks at every block."""


class Tried(Message):
    """`done` of the `of` stages ahead have run, and the next one is running."""

    def __init__(self, done: int, of: int) -> None:
        super().__init__()
        self.done = done
        self.of = of


class Looked(Message):
    """The stages ahead were run."""

    def __init__(self, view: View) -> None:
        super().__init__()
        self.view = view


class Counted(Message):
    """More blocks were counted: `share` of the text, 1 when complete."""

    def __init__(self, share: float, view: View) -> None:
        super().__init__()
        self.share = share
        self.view = view

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, Counted)


class RowsCounted(Message):
    """Rows were counted out of order: those in view, or those that the stages ahead measure."""

    def __init__(self, share: float | None = None) -> None:
        super().__init__()
        self.share = share
        """The counted share, in characters, of the text that the stages measure; None for rows in view."""

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, RowsCounted)


class Checked(Message):
    """The session, with the steps so far, was checked for damage and broken rules."""

    def __init__(self, found: tuple[Problem, ...], given: tuple[Problem, ...]) -> None:
        super().__init__()
        self.found = found
        self.given = given
        """The problems when the session was opened."""


class LooksAhead(WorkScreen):
    """A screen that receives `Looked`, `Checked` and `Counted`, in this order, as the work progresses.

    `RowsCounted` and `Tried` report progress until the stages have run.
    One thread does all of it: several would only compete with the UI for the interpreter lock.
    Only rows that come into view are counted in another thread, and also reported by `RowsCounted`.
    """

    _is_slow = True
    """Whether running the stages ahead is slow. Assumed at first, when no block is counted yet."""
    _is_counted = False
    """Whether everything was counted once; later steps count what they add."""
    calibration: Calibration | None = None
    """The calibration by the session's recorded usage; None while it is not known."""
    _given: tuple[Problem, ...] | None = None
    _checked_last: Messages | None = None
    """The messages that were checked last."""

    @in_thread(exit_on_error=False, exclusive=True, group="look")
    def look_ahead(self, visible: Sequence[Block]) -> None:
        """Recompute everything after a change; the `visible` blocks are counted first."""
        worker = get_current_worker()
        counter = self.workspace.counter
        if self.workspace.estimator.exact:
            for _ in counter.run(visible, lambda: worker.is_cancelled):
                pass
            self.post_message(RowsCounted())
        if self._is_slow and self.workspace.state.path and not worker.is_cancelled:
            # The steps so far are shown before the stages ahead run again.
            self.post_message(Looked(first_view(self.workspace)))
        if not self._count_measured(worker):
            return
        began = time.monotonic()
        with collector_paused(lasting=True):
            told = outlook(self.workspace, lambda done, of: self.post_message(Tried(done, of)))
            view = view_of(told)
        if worker.is_cancelled:
            return
        self._is_slow = time.monotonic() - began > SLOW_SECONDS
        self.post_message(Looked(view))
        self._check(view.seen.messages)
        self._count(view, worker)

    @in_thread(exit_on_error=False, exclusive=True, group="rows in view")
    def count_rows(self, visible: Sequence[Block]) -> None:
        """Count these blocks now, independently of the full count."""
        worker = get_current_worker()
        if self.workspace.counter.count(visible, lambda: worker.is_cancelled):
            self.post_message(RowsCounted())

    def _count_measured(self, worker: Worker[None]) -> bool:
        """Count what the stages measure before they run; False if cancelled.

        A stage that counted it itself could not be cancelled and would not report progress.
        """
        workspace = self.workspace
        if self._is_counted or not workspace.estimator.exact or workspace.pipeline.estimator != "tokens":
            return not worker.is_cancelled
        blocks = [block for _, block in blocks_of(workspace.messages)]
        due = time.monotonic() + STEP_SECONDS
        for counted in workspace.counter.run(blocks, lambda: worker.is_cancelled):
            if (now := time.monotonic()) > due:
                self.post_message(RowsCounted(counted.share))
                due = now + STEP_SECONDS
        return not worker.is_cancelled

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
            self._is_counted = True
            # Only now are all the figures that the calibration uses counted.
            self.calibration = workspace.calibration
            self.post_message(Counted(1.0, counted_again(view)))
