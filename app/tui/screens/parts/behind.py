"""What takes long in a large session is worked out behind the screen, and its outcome shown in one go."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from textual import on
from textual.message import Message
from textual.worker import Worker, get_current_worker

from app.tui.screens.base import WorkScreen

AT_ONCE = 2_000
"""Rows up to which a look at every one of them keeps no key waiting."""

Outcome = TypeVar("Outcome")


class WorksBehind(WorkScreen):
    """A screen whose keys are never held up by the number of rows."""

    _asked_for: Worker[None] | None = None
    """What a key asked for and is still being worked out."""

    class WorkedOut(Message):
        """What was asked for is there; `then` shows it."""

        def __init__(self, outcome: Any, then: Callable[[Any], None]) -> None:
            super().__init__()
            self.outcome = outcome
            self.then = then

    def behind(
        self, rows: int, make: Callable[[], Outcome], then: Callable[[Outcome], None], group: str = "asked"
    ) -> None:
        """Call `make`, which looks at so many rows, then `then` with what it gave.

        In a thread where the rows are many; a newer call of the same group takes the place of one that
        is not done, and escape gives up what was `asked`.
        """
        if rows <= AT_ONCE:
            then(make())
            return
        worker = self.run_worker(
            lambda: self._make(make, then),
            thread=True,
            exit_on_error=False,
            exclusive=True,
            group=group,
            description=group,
        )
        if group == "asked":
            self._asked_for = worker

    def _make(self, make: Callable[[], Outcome], then: Callable[[Outcome], None]) -> None:
        worker = get_current_worker()
        outcome = make()
        if not worker.is_cancelled:
            self.post_message(self.WorkedOut(outcome, then))

    @on(WorkedOut)
    def _show_outcome(self, event: WorkedOut) -> None:
        event.then(event.outcome)

    def give_up_waiting(self) -> bool:
        """Do without what a key asked for; False when nothing was being worked out."""
        worker, self._asked_for = self._asked_for, None
        if worker is None or worker.is_finished:
            return False
        worker.cancel()
        return True
