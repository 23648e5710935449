"""The work behind the export screen: planning and writing. None of it moves a widget."""

from __future__ import annotations

import threading

from textual.message import Message
from textual.worker import get_current_worker

from app.errors import HandcompactError
from app.export.plan import ExportPlan, Wishes, make_plan
from app.export.sharing import Sharing, foreseen
from app.export.write import Written, write
from app.formats.source import FileSource
from app.opening import Opened
from app.tui.in_thread import in_thread
from app.tui.screens.base import WorkScreen


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


class Done(Message):
    """It is written."""

    def __init__(self, written: Written) -> None:
        super().__init__()
        self.written = written


class Exports(WorkScreen):
    """A screen that is told `Planned`, `Progressed`, `Failed` and `Done`."""

    def __init__(self, opened: Opened) -> None:
        super().__init__(opened)
        self._stopped = threading.Event()

    @in_thread(exclusive=True, group="plan")
    def plan(self, wishes: Wishes) -> None:
        """Count what is not counted yet, and plan; a plan that is being made is given up."""
        worker, workspace = get_current_worker(), self.workspace
        try:
            workspace.count(workspace.to_count(), lambda: worker.is_cancelled, self._say)
            if worker.is_cancelled:
                return
            plan = make_plan(workspace, self.opened.source, wishes)
            found: Message = Planned(plan, plan.size_after(), foreseen(plan))
        except (HandcompactError, OSError) as error:
            found = Failed(self._reason(error, wishes))
        if not worker.is_cancelled:
            self.post_message(found)

    def _reason(self, error: Exception, wishes: Wishes) -> str:
        has_place = isinstance(self.opened.source, FileSource) or wishes.out is not None
        return str(error) if has_place else "a session from standard input has no place: name a file to write"

    @in_thread(exclusive=True, group="write")
    def write(self, plan: ExportPlan, *, drop_user_words: bool) -> None:
        """Carry out a plan, until it is done or `stop_writing` is called."""
        worker = get_current_worker()
        self._stopped.clear()
        try:
            written = write(
                plan,
                drop_user_words=drop_user_words,
                progress=lambda words: self._say(f"{words}  (esc stops)"),
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
