"""The work behind the export screen: planning and writing. None of it moves a widget."""

from __future__ import annotations

import threading
from typing import Final

from textual.message import Message
from textual.worker import Worker, get_current_worker

from app.errors import HandcompactError
from app.export.cancellation import Stopper
from app.export.plan import ExportOptions, ExportPlan, make_plan
from app.export.sharing import Sharing, foreseen
from app.export.write import Written, write
from app.formats.source import FileSource
from app.model import blocks_of, chars_of
from app.opening import Opened
from app.tui.in_thread import in_thread
from app.tui.screens.base import WorkScreen
from app.views.lost import losses

MOST_STAYS: Final = 20_000_000
"""Code points of what stays up to which lost facts are looked for unasked: some seconds."""


class Planned(Message):
    """A plan was made."""

    def __init__(self, plan: ExportPlan, size: int, shared: Sharing | None) -> None:
        super().__init__()
        self.plan = plan
        self.shared = shared
        """What would be masked; None for an export that is not for other people."""
        self.size = size
        """Bytes of the file that it would write."""


class Progressed(Message):
    """What goes on now."""

    def __init__(self, words: str) -> None:
        super().__init__()
        self.words = words


class Failed(Message):
    """Planning or writing ended with an error."""

    def __init__(self, reason: str) -> None:
        super().__init__()
        self.reason = reason


class LossesKnown(Message):
    """It is known how many facts go that what stays still speaks of; None where that was not looked for."""

    def __init__(self, facts: int | None) -> None:
        super().__init__()
        self.facts = facts


class Done(Message):
    """It is written."""

    def __init__(self, written: Written) -> None:
        super().__init__()
        self.written = written


class Exports(WorkScreen):
    """A screen that is told `Planned`, `LossesKnown`, `Progressed`, `Failed` and `Done`."""

    def __init__(self, opened: Opened) -> None:
        super().__init__(opened)
        self._stopped = threading.Event()
        self._one_plan = threading.Lock()
        self._index = self.workspace.index
        """Where the results that are gone are listed, if they are."""

    @in_thread(exclusive=True, group="plan")
    def plan(self, options: ExportOptions, *, index: bool) -> None:
        """Count what is not counted yet, and plan; a plan that is being made is given up.

        `index` is whether the results that are gone are listed.
        """
        worker = get_current_worker()
        # One that was given up is waited for until it stops: two would both take twice as long.
        with self._one_plan:
            if not worker.is_cancelled:
                self._plan(options, worker, index=index)

    def _plan(self, options: ExportOptions, worker: Worker[None], *, index: bool) -> None:
        workspace = self.workspace
        try:
            self._list_results(index)
            workspace.count(workspace.to_count(), lambda: worker.is_cancelled, self._say)
            if worker.is_cancelled:
                return
            stopper = Stopper(lambda: worker.is_cancelled, "there is no plan")
            plan = make_plan(workspace, self.opened.source, options, stopper)
            found: Message = Planned(plan, plan.size_after(stopper), foreseen(plan, stopper))
        except (HandcompactError, OSError) as error:
            found = Failed(self._reason(error, options))
        if not worker.is_cancelled:
            self.post_message(found)

    def _list_results(self, listed: bool) -> None:
        workspace = self.workspace
        if workspace.index:
            self._index = workspace.index
        if listed != bool(workspace.index):
            # Summaries name the list, so the stages run again.
            workspace.list_results_in(self._index if listed else "")

    @in_thread(exclusive=True, group="losses")
    def look_for_losses(self) -> None:
        """Find what goes although the rest still speaks of it, unless very much stays."""
        worker, workspace = get_current_worker(), self.workspace
        live, after = workspace.session.live, workspace.messages
        if sum(chars_of(block) for _, block in blocks_of(after)) > MOST_STAYS:
            self.post_message(LossesKnown(None))
            return
        try:
            lost = losses(live, after, workspace.judgements, lambda: worker.is_cancelled)
        except (HandcompactError, OSError):
            return  # the plan says what is wrong with the file
        if not worker.is_cancelled:
            is_seen = bool(lost.looked) or not lost.total
            self.post_message(LossesKnown(len(lost.facts) if is_seen else None))

    def _reason(self, error: Exception, options: ExportOptions) -> str:
        has_place = isinstance(self.opened.source, FileSource) or options.out is not None
        return str(error) if has_place else "a session from standard input has no file: name one to write"

    @in_thread(exclusive=True, group="write")
    def write(self, plan: ExportPlan, *, drop_user_words: bool) -> None:
        """Carry out a plan, until it is done or `stop_writing` is called."""
        worker = get_current_worker()
        self._stopped.clear()
        try:
            written = write(
                plan,
                drop_user_words=drop_user_words,
                progress=self._say,
                stop=lambda: self._stopped.is_set() or worker.is_cancelled,
            )
        except (HandcompactError, OSError) as error:
            self.post_message(Failed(str(error)))
        else:
            self.post_message(Done(written))

    def stop_writing(self) -> None:
        """Give up the write, unless the file has its name already."""
        self._stopped.set()

    def _say(self, words: str) -> None:
        self.post_message(Progressed(words))
