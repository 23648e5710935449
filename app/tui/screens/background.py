"""The work behind the inspect screen: stages ahead, counts, broken rules. None of it touches a widget."""

from __future__ import annotations

import time
from collections.abc import Collection

from textual import work
from textual.message import Message
from textual.worker import get_current_worker

from app.listing import Item, items
from app.outlook import Outlook, outlook
from app.problems import Problem, problems
from app.tui.screens.base import WorkScreen

TELL_SECONDS = 0.25
"""Time between two messages about the counting."""


class Looked(Message):
    """The stages were run ahead; these are the rows as they are now."""

    def __init__(self, seen: Outlook, found: list[Item]) -> None:
        super().__init__()
        self.seen = seen
        self.found = found


class Counted(Message):
    """Some more blocks were counted: `share` of the text, 1 when it is all."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share


class Checked(Message):
    """The session was checked for damage and broken rules."""

    def __init__(self, found: tuple[Problem, ...]) -> None:
        super().__init__()
        self.found = found


class LooksAhead(WorkScreen):
    """A screen that is told `Looked`, `Counted` and `Checked` as the work gets done."""

    @work(thread=True, exit_on_error=False, exclusive=True, group="look")
    def look_ahead(self) -> None:
        """Work out what the stages did and would do, after anything changed."""
        worker = get_current_worker()
        seen = outlook(self.workspace)
        found = items(seen)
        if not worker.is_cancelled:
            self.post_message(Looked(seen, found))

    @work(thread=True, exit_on_error=False, exclusive=True, group="count")
    def count(self, visible: Collection[str]) -> None:
        """Count every block with the tokenizer, those of these keys first."""
        worker = get_current_worker()
        workspace = self.workspace
        if not workspace.estimator.exact:
            return
        told = time.monotonic()
        for counted in workspace.counter.run(workspace.to_count(), lambda: worker.is_cancelled, visible):
            if time.monotonic() - told > TELL_SECONDS:
                told = time.monotonic()
                self.post_message(Counted(counted.share))
        if not worker.is_cancelled:
            self.post_message(Counted(1.0))

    @work(thread=True, exit_on_error=False, exclusive=True, group="check")
    def check(self) -> None:
        """Look for damage and broken rules."""
        self.post_message(Checked(problems(self.workspace.session)))
