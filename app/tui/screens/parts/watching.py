"""Noticing that the open session's file has changed, and rereading it with the steps kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from textual import on
from textual.message import Message
from textual.worker import get_current_worker

from app.display import counted, short_path
from app.errors import HandcompactError
from app.formats.source import FileSource
from app.gc_control import collector_paused, free_what_was_left, session_left
from app.reopening import Reopened, SinceOpened, changed_since, is_own_work, reopen
from app.tui.in_thread import in_thread
from app.tui.screens.base import acts
from app.tui.screens.parts.opens import OpensSessions, Reading
from app.tui.screens.parts.unsaved_steps import KeepsSteps
from app.tui.view import View, first_view
from app.views.listing import key_of

WATCH_SECONDS: Final = 3.0
"""Polling interval of the file: one stat each time, in a thread, as some file systems are slow."""
WORDS: Final[Mapping[SinceOpened, str]] = {
    SinceOpened.GREW: "the file grew: r reloads it and keeps your steps",
    SinceOpened.CHANGED: "the file was rewritten: r reloads it",
    SinceOpened.REPLACED: "the file is now the one you wrote in place: r opens it",
    SinceOpened.GONE: "the file is gone (moved or deleted)",
}


class Watches(KeepsSteps, OpensSessions):
    """A screen that polls its session's file for changes."""

    since: SinceOpened | None = None
    """What happened to the file since it was opened, as of the last poll."""

    class Seen(Message):
        """A poll found a change of the file's state."""

        def __init__(self, since: SinceOpened | None) -> None:
            super().__init__()
            self.since = since

    class ReadAgain(Message):
        """The session was reread; `reopened` is the reason, as text, if it could not be."""

        def __init__(self, reopened: Reopened | str, view: View | None = None) -> None:
            super().__init__()
            self.reopened = reopened
            self.view = view

    class AtWork(Message):
        """Other programs use this session, or left something unfinished beside it."""

        def __init__(self, users: Sequence[str], left: Sequence[Path]) -> None:
            super().__init__()
            self.users = users
            self.left = left

    def on_mount(self) -> None:
        if isinstance(self.opened.source, FileSource):
            # From the app's context: asyncio keeps the context of a stopped timer until it is due,
            # and this screen's context would keep the session in memory until then.
            self.app.call_later(self._begin_watching)
            self.look_who_works()

    def _begin_watching(self) -> None:
        if self.is_running:
            self.set_interval(WATCH_SECONDS, self.look_at_file)

    def on_unmount(self) -> None:
        if self.app.is_running:  # else the program is ending
            session_left()

    @in_thread(exit_on_error=False, group="users")
    def look_who_works(self) -> None:
        """Check once who uses the session and what a killed export left behind; posts `AtWork`."""
        # Imported lazily, to not delay the first paint.
        from app.export.stray_files import strays
        from app.running import users_of

        source = self.opened.source
        if isinstance(source, FileSource):
            folder = source.path.resolve().parent
            users, left = users_of(source.path), strays((folder, folder / ".transcripts"))
            if users or left:
                self.post_message(self.AtWork(users, left))

    @on(AtWork)
    def _somebody_works(self, event: AtWork) -> None:
        if event.users:
            users = ", ".join(event.users)
            self.shell.say(
                f"in use by {users}; what is written to it now will not be in an export", warning=True
            )
        if event.left:
            what, where = counted(len(event.left), "unfinished file"), short_path(event.left[0].parent)
            words = (
                f"{what} left by a killed export in {where}: run handcompact restore --remove-strays there"
            )
            self.shell.say(words, warning=True)

    @in_thread(exit_on_error=False, exclusive=True, group="watch")
    def look_at_file(self) -> None:
        """Poll the file; posts `Seen` if its state has changed."""
        source = self.opened.source
        since = changed_since(source)
        if since is SinceOpened.CHANGED and self.since is SinceOpened.REPLACED:
            return  # already classified, which needs reading the file
        if since is SinceOpened.CHANGED and self.since is None and self.workspace.is_written:
            assert isinstance(source, FileSource), "no other changes"
            since = SinceOpened.REPLACED if is_own_work(source) else since
        if since is not self.since:
            self.post_message(self.Seen(since))

    @on(Seen)
    def _saw(self, event: Seen) -> None:
        self.since = event.since
        self.refresh_lines()
        if event.since is not None:
            self.say_row(WORDS[event.since])

    def why_not_reread(self) -> str | None:
        """Why the file cannot be reread; None if it can."""
        if not isinstance(self.opened.source, FileSource):
            return "a session from standard input cannot be reloaded"
        return "it is being read already" if self.is_opening else None

    @acts
    def action_reread(self) -> None:
        reading = Reading("the file again", given_up="not reloaded")
        self.begin_to_read(reading, self._read_again(reading))

    @in_thread(exit_on_error=False, exclusive=True, group="open")
    def _read_again(self, reading: Reading) -> None:
        worker = get_current_worker()
        free_what_was_left()
        try:
            with collector_paused(lasting=True):
                again = reopen(self.opened, reading.begin)
                answer = self.ReadAgain(again, first_view(again.opened.workspace))
        except HandcompactError as error:
            answer = self.ReadAgain(str(error))
        if not worker.is_cancelled:
            self.post_message(answer)

    @on(ReadAgain)
    def _show_again(self, event: ReadAgain) -> None:
        self.reading_done()
        if isinstance(event.reopened, str):
            self.say_row(event.reopened)
            return
        screen = type(self)(event.reopened.opened, event.view)
        screen.begin_at = "" if self.item is None else key_of(self.item)
        self.go_on(screen, event.reopened.told)
        if event.reopened.lost:
            self.shell.say(event.reopened.told, warning=True)
