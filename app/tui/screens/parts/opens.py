"""Opening a session in the background, with a progress line; escape cancels."""

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
"""Longest time that reading waits for the first messages to be painted."""


class Reading:
    """The progress of reading a file, taken from its source."""

    def __init__(self, name: str, *, given_up: str = "not opened") -> None:
        self.name = name
        """The display name of what is read."""
        self.given_up = given_up
        """The text shown if reading is cancelled."""
        self._source: Source | None = None

    def begin(self, source: Source) -> None:
        """Take the progress from this source from now on."""
        self._source = source

    def now(self) -> tuple[str, str]:
        """The current phase and its progress."""
        source = self._source
        if source is None or not source.reached:
            return f"reading {self.name}", ""
        if source.reached == source.size:
            return f"classifying {self.name}", ""
        how_far = f"{percent(source.reached, source.size)} of {human_bytes(source.size)}"
        return f"reading {self.name}", how_far


class OpensSessions(TellsWaits):
    """A screen that can open a session; it receives `SessionOpened` or `OpenFailed` at the end."""

    LOOKS_AT_HEADS: ClassVar[bool] = False
    """Whether the screen receives `HeadRead` to show the first messages of a large file early."""

    _reading: tuple[Reading, Worker[None]] | None = None
    opened_files: tuple[str, ...] = ()
    """The names of the sessions that were opened from here."""

    @property
    def is_opening(self) -> bool:
        """Whether a session is being read now."""
        return self._reading is not None

    def begin_to_read(self, reading: Reading, worker: Worker[None]) -> None:
        """Show the progress of a reading worker, until `reading_done` is called or escape cancels it."""
        self._reading = (reading, worker)
        self.wait_for(reading.now, way_out="esc cancels", at_once=True)

    def open_session(
        self, file: str, pipeline: str, *, leaf: str | None = None, settings: Iterable[str] = ()
    ) -> None:
        """Start reading a session; cancels a read in progress."""
        self.give_up_opening()
        reading = Reading(file)
        self.begin_to_read(reading, self._read_session(reading, pipeline, leaf, tuple(settings)))

    def give_up_opening(self) -> bool:
        """Cancel reading; False if nothing was being read."""
        if self._reading is None:
            return False
        reading, worker = self._reading
        worker.cancel()
        self.reading_done()
        self.status(reading.given_up)
        return True

    def reading_done(self) -> None:
        """Reset the state after reading ended or was cancelled."""
        self._reading = None
        self.waited()

    @in_thread(exit_on_error=False, group="open")
    def _read_session(
        self, reading: Reading, pipeline: str, leaf: str | None, settings: tuple[str, ...]
    ) -> None:
        worker, file = get_current_worker(), reading.name
        # Imported lazily: the first paint needs little of the program and would wait for it.
        with importing:
            from app.opening import open_head, open_workspace
            from app.persistence.recovery import find
            from app.tokens.encode import keep_counts
            from app.tui.view import first_view

            import_module("app.tui.rows")
        if self.LOOKS_AT_HEADS:
            with suppress(HandcompactError):  # errors are reported when the whole file is read
                head = open_head(file, pipeline)
                if head is not None and not worker.is_cancelled:
                    beginning = HeadRead(first_view(head.workspace))
                    self.post_message(beginning)
                    # Reading on at once would delay the paint that the user waits for.
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
                # Verdicts and estimates take as long as reading: compute them here for the next screen.
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
        """Reset the state after a thread failed unexpectedly; the error is reported elsewhere."""
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
