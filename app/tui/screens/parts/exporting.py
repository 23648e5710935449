"""Background work of the export screen: planning and writing. It touches no widget."""

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
"""Most code points of remaining text that are searched for lost facts unasked: some seconds."""


class Planned(Message):
    """A plan was made."""

    def __init__(self, plan: ExportPlan, size: int, shared: Sharing | None) -> None:
        super().__init__()
        self.plan = plan
        self.shared = shared
        """What would be masked; None for an export that is not for other people."""
        self.size = size
        """Bytes of the file that the plan would write."""


class Progressed(Message):
    """A progress text."""

    def __init__(self, words: str) -> None:
        super().__init__()
        self.words = words


class Failed(Message):
    """Planning or writing ended with an error."""

    def __init__(self, reason: str) -> None:
        super().__init__()
        self.reason = reason


class LossesKnown(Message):
    """How many removed facts the remaining text still mentions; None if not searched for."""

    def __init__(self, facts: int | None) -> None:
        super().__init__()
        self.facts = facts


class Done(Message):
    """The export was written."""

    def __init__(self, written: Written) -> None:
        super().__init__()
        self.written = written


class Exports(WorkScreen):
    """A screen that receives `Planned`, `LossesKnown`, `Progressed`, `Failed` and `Done`."""

    def __init__(self, opened: Opened) -> None:
        super().__init__(opened)
        self._stopped = threading.Event()
        self._one_plan = threading.Lock()
        self._index = self.workspace.index
        """The index file that lists removed results, if there is one."""

    @in_thread(exclusive=True, group="plan")
    def plan(self, options: ExportOptions, *, index: bool) -> None:
        """Count what is not counted yet, and plan; cancels a plan in progress.

        `index`: whether removed results are listed in an index file.
        """
        worker = get_current_worker()
        # Wait until a cancelled plan has stopped: two at once would each take twice as long.
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
            # Summaries mention the index, so the stages run again.
            workspace.list_results_in(self._index if listed else "")

    @in_thread(exclusive=True, group="losses")
    def look_for_losses(self) -> None:
        """Find removed facts that the remaining text still mentions, unless too much text remains."""
        worker, workspace = get_current_worker(), self.workspace
        live, after = workspace.session.live, workspace.messages
        if sum(chars_of(block) for _, block in blocks_of(after)) > MOST_STAYS:
            self.post_message(LossesKnown(None))
            return
        try:
            lost = losses(live, after, workspace.judgements, lambda: worker.is_cancelled)
        except (HandcompactError, OSError):
            return  # the plan reports the problem with the file
        if not worker.is_cancelled:
            is_seen = bool(lost.looked) or not lost.total
            self.post_message(LossesKnown(len(lost.facts) if is_seen else None))

    def _reason(self, error: Exception, options: ExportOptions) -> str:
        has_place = isinstance(self.opened.source, FileSource) or options.out is not None
        return str(error) if has_place else "a session from standard input has no file: name one to write"

    @in_thread(exclusive=True, group="write")
    def write(self, plan: ExportPlan, *, drop_user_words: bool) -> None:
        """Write a plan; `stop_writing` cancels it."""
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
        """Cancel the write, unless the file was already renamed into place."""
        self._stopped.set()

    def _say(self, words: str) -> None:
        self.post_message(Progressed(words))
