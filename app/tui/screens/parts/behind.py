"""Slow computations over a large session: run in a thread, with the result shown at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from textual import on
from textual.message import Message
from textual.worker import get_current_worker

from app.tui.screens.base import WorkScreen
from app.tui.screens.busy import BusyScreen

AT_ONCE = 2_000
"""The most rows that can be visited on the UI thread without a noticeable delay."""

Outcome = TypeVar("Outcome")


class WorksBehind(WorkScreen):
    """A screen that stays responsive whatever the number of rows."""

    class WorkedOut(Message):
        """The result is there; `then` shows it."""

        def __init__(self, outcome: Any, then: Callable[[Any], None], busy: BusyScreen | None) -> None:
            super().__init__()
            self.outcome = outcome
            self.then = then
            self.busy = busy
            """The modal that swallows keys until then."""

    def behind(
        self,
        rows: int,
        make: Callable[[], Outcome],
        then: Callable[[Outcome], None],
        *,
        group: str = "asked",
        words: str = "",
    ) -> None:
        """Call `make`, which visits that many rows, then `then` with its result.

        Many rows are visited in a thread; a newer call of the same group replaces one that is not done.
        With `words` no key acts until the result is there, except escape, which cancels.
        """
        if rows <= AT_ONCE:
            then(make())
            return
        busy = BusyScreen(words) if words else None
        worker = self.run_worker(
            lambda: self._make(make, then, busy),
            thread=True,
            exit_on_error=False,
            exclusive=True,
            group=group,
            description=group,
        )
        if busy is not None:
            self.app.push_screen(busy, lambda gives_up: worker.cancel() if gives_up else None)

    def _make(
        self, make: Callable[[], Outcome], then: Callable[[Outcome], None], busy: BusyScreen | None
    ) -> None:
        worker = get_current_worker()
        outcome = make()
        if not worker.is_cancelled:
            self.post_message(self.WorkedOut(outcome, then, busy))

    @on(WorkedOut)
    def _show_outcome(self, event: WorkedOut) -> None:
        if event.busy is not None:
            if not event.busy.is_current:
                return  # it was cancelled just now
            event.busy.dismiss(False)
        event.then(event.outcome)
