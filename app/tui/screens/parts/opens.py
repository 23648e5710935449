"""Opening a session in the background: a line that says so, and escape gives up waiting."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on
from textual.worker import Worker, WorkerState, get_current_worker

from app.display import human_bytes, percent
from app.errors import HandcompactError
from app.gc_control import collector_paused, free_what_was_left
from app.settings import cache_dir
from app.tui.in_thread import in_thread
from app.tui.messages import HeadRead, OpenFailed, SessionOpened
from app.tui.responsive import importing
from app.tui.screens.parts.progress import TellsWaits

if TYPE_CHECKING:
    from app.formats.source import Source

HEAD_SECONDS: Final = 0.2
"""How long reading waits at most until the beginning of a file is painted."""


class Reading:
    """How far the reading of a file is, told by the source that it is read from."""

    def __init__(self, name: str, *, given_up: str = "not opened") -> None:
        self.name = name
        """What is read, for people."""
        self.given_up = given_up
        """What came of it when it was given up."""
        self._source: Source | None = None

    def begin(self, source: Source) -> None:
        """It is read from this now."""
        self._source = source

    def now(self) -> tuple[str, str]:
        """What is being done now, and how far it is."""
        source = self._source
        if source is None or not source.reached:
            return f"reading {self.name}", ""
        if source.reached == source.size:
            return f"classifying {self.name}", ""
        how_far = f"{percent(source.reached, source.size)} of {human_bytes(source.size)}"
        return f"reading {self.name}", how_far


class OpensSessions(TellsWaits):
    """A screen that can open a session; `SessionOpened` or `OpenFailed` comes when it is done."""

    LOOKS_AT_HEADS: ClassVar[bool] = False
    """Whether the screen shows the beginning of a large file, by a `HeadRead`, until all of it is read."""

    _reading: tuple[Reading, Worker[None]] | None = None
    opened_files: tuple[str, ...] = ()
    """The names of the sessions that were opened from here."""

    @property
    def is_opening(self) -> bool:
        """Whether a session is being read now."""
        return self._reading is not None

    def begin_to_read(self, reading: Reading, worker: Worker[None]) -> None:
        """Say how far a worker is with reading, until `reading_done` is called or escape gives it up."""
        self._reading = (reading, worker)
        self.wait_for(reading.now, way_out="esc cancels", at_once=True)

    def open_session(
        self, file: str, pipeline: str, *, leaf: str | None = None, settings: Iterable[str] = ()
    ) -> None:
        """Begin to read a session; what was being read before is given up."""
        self.give_up_opening()
        reading = Reading(file)
        self.begin_to_read(reading, self._read_session(reading, pipeline, leaf, tuple(settings)))

    def give_up_opening(self) -> bool:
        """Wait no longer; False when nothing was being read."""
        if self._reading is None:
            return False
        reading, worker = self._reading
        worker.cancel()
        self.reading_done()
        self.status(reading.given_up)
        return True

    def reading_done(self) -> None:
        """It is read, or given up."""
        self._reading = None
        self.waited()

    @in_thread(exit_on_error=False, group="open")
    def _read_session(
        self, reading: Reading, pipeline: str, leaf: str | None, settings: tuple[str, ...]
    ) -> None:
        worker, file = get_current_worker(), reading.name
        # Imported here: most of the program is not needed for its first paint, which would wait for it.
        with importing:
            from app.opening import open_head, open_workspace
            from app.persistence.recovery import find
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
        free_what_was_left()
        try:
            with collector_paused(lasting=True):
                opened = open_workspace(
                    file,
                    leaf=leaf,
                    pipeline=pipeline,
                    settings=settings,
                    counts_soon=False,
                    watch=reading.begin,
                )
                # Judging and estimating take as long as reading: the next screen finds them done.
                view = first_view(opened.workspace)
            answer: SessionOpened | OpenFailed = SessionOpened(opened, view, find(opened.source))
        except HandcompactError as error:
            answer = OpenFailed(str(error))
        if not worker.is_cancelled:
            self.post_message(answer)

    @on(SessionOpened)
    def _remember(self, event: SessionOpened) -> None:
        self.opened_files = (*self.opened_files, event.opened.source.name)

    @on(Worker.StateChanged)
    def _reading_failed(self, event: Worker.StateChanged) -> None:
        """Wait no longer for a thread that ended by a mistake of ours, which is told elsewhere."""
        if self._reading is None or event.worker is not self._reading[1]:
            return
        if event.state is WorkerState.ERROR:
            given_up = self._reading[0].given_up
            self.reading_done()
            self.status(f"{given_up}: {type(event.worker.error).__name__}: {event.worker.error}")

    @on(SessionOpened)
    @on(OpenFailed)
    def _answered(self) -> None:
        self.reading_done()
        self.status("")
