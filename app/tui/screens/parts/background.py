"""The work behind the inspect screen: stages ahead, counts, broken rules. None of it touches a widget."""

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
"""The least time between two messages about the counting."""
STEP_SECONDS = 0.5
"""The same while the stages ahead wait for it."""
SLOW_SECONDS = 0.5
"""From so long a look ahead on, what was done is shown by itself first."""
TELL_SHARE = 8
"""Recomputing figures takes at most 1/8 of the time, because it looks at every block."""


class Tried(Message):
    """Of the stages ahead `done` of `of` were run, and the next one is."""

    def __init__(self, done: int, of: int) -> None:
        super().__init__()
        self.done = done
        self.of = of


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
    """Rows were counted before their turn: those that came into view, or what the stages ahead measure."""

    def __init__(self, share: float | None = None) -> None:
        super().__init__()
        self.share = share
        """Of the text that the stages measure, by characters; None where it was not about that."""

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

    `RowsCounted` and `Tried` tell how far it is until the stages are run.
    One thread does all of it: several would only take the interpreter from the screen and each other.
    Only the rows that a person moves to are counted beside it, and told with `RowsCounted`, too.
    """

    _is_slow = True
    """Whether it takes long to look ahead, as far as is known: the first time each block is counted."""
    _is_counted = False
    """Whether all was counted once; what steps make is counted with them."""
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
            self.post_message(RowsCounted())
        if self._is_slow and self.workspace.state.path and not worker.is_cancelled:
            # What was done is shown before the stages ahead are tried anew.
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
        """Count these blocks now, however far the counting of all of them is."""
        worker = get_current_worker()
        if self.workspace.counter.count(visible, lambda: worker.is_cancelled):
            self.post_message(RowsCounted())

    def _count_measured(self, worker: Worker[None]) -> bool:
        """Count what the stages measure before they are run; False when that was given up.

        One that has to count it all by itself cannot be given up, and tells nobody how far it is.
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
            # Only now are all figures counted that it is learnt from.
            self.calibration = workspace.calibration
            self.post_message(Counted(1.0, counted_again(view)))
