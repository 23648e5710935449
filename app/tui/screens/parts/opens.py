"""Opening a session in the background: a line that says so, and escape gives up waiting."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module
from typing import ClassVar, Final

from textual import on
from textual.worker import Worker, WorkerState, get_current_worker

from app.collecting import collector_paused
from app.errors import HandcompactError
from app.settings import cache_dir
from app.tui.in_thread import in_thread
from app.tui.messages import HeadRead, OpenFailed, SessionOpened
from app.tui.responsive import importing
from app.tui.screens.parts.waits import TellsWaits

HEAD_SECONDS: Final = 0.2
"""How long reading waits at most until the beginning of a file is painted."""


class OpensSessions(TellsWaits):
    """A screen that can open a session; `SessionOpened` or `OpenFailed` comes when it is done."""

    LOOKS_AT_HEADS: ClassVar[bool] = False
    """Whether the screen shows the beginning of a large file, by a `HeadRead`, until all of it is read."""

    _reading: Worker[None] | None = None

    @property
    def is_opening(self) -> bool:
        """Whether a session is being read now."""
        return self._reading is not None

    def open_session(
        self, file: str, pipeline: str, *, leaf: str | None = None, settings: Iterable[str] = ()
    ) -> None:
        """Begin to read a session; what was being read before is given up."""
        self.give_up_opening()
        self.wait_for(f"reading {file}", way_out="esc gives up", at_once=True)
        self._reading = self._read_session(file, pipeline, leaf, tuple(settings))

    def give_up_opening(self) -> bool:
        """Wait no longer; False when nothing was being read."""
        if self._reading is None:
            return False
        self._reading.cancel()
        self._done()
        self.status("not opened")
        return True

    def _done(self) -> None:
        self._reading = None
        self.waited()

    @in_thread(exit_on_error=False, group="open")
    def _read_session(self, file: str, pipeline: str, leaf: str | None, settings: tuple[str, ...]) -> None:
        worker = get_current_worker()
        # Imported here: most of the program is not needed for its first paint, which would wait for it.
        with importing:
            from app.keeping.kept import find
            from app.opening import open_head, open_workspace
            from app.tokens.encode import keep_counts
            from app.tui.view import first_view

            import_module("app.tui.rows")
        if self.LOOKS_AT_HEADS:
            with suppress(HandcompactError):  # what is wrong is told when all of it is read
                head = open_head(file, pipeline)
                if head is not None and not worker.is_cancelled:
                    beginning = HeadRead(first_view(head.workspace))
                    self.post_message(beginning)
                    # To read on at once would take the interpreter from the paint that somebody waits for.
                    beginning.painted.wait(HEAD_SECONDS)
        with importing:
            import_module("app.tui.screens.inspect")
        keep_counts(cache_dir() if self.shell.opening.keep_counts else None)
        try:
            with collector_paused(lasting=True):
                opened = open_workspace(
                    file, leaf=leaf, pipeline=pipeline, settings=settings, counts_soon=False
                )
                # Judging and estimating take as long as reading: the next screen finds them done.
                view = first_view(opened.workspace)
            answer: SessionOpened | OpenFailed = SessionOpened(opened, view, find(opened.source))
        except HandcompactError as error:
            answer = OpenFailed(str(error))
        if not worker.is_cancelled:
            self.post_message(answer)

    @on(Worker.StateChanged)
    def _reading_failed(self, event: Worker.StateChanged) -> None:
        """Wait no longer for a thread that ended by a mistake of ours, which is told elsewhere."""
        if event.worker is self._reading and event.state is WorkerState.ERROR:
            self._done()
            self.status(f"not opened: {type(event.worker.error).__name__}: {event.worker.error}")

    @on(SessionOpened)
    @on(OpenFailed)
    def _answered(self) -> None:
        self._done()
        self.status("")
