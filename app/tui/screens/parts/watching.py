"""Noticing that an agent goes on writing the open session, and reading it again with the steps kept."""

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
"""Time between two looks at the file: one stat each, in a thread, as some file systems take long."""
WORDS: Final[Mapping[SinceOpened, str]] = {
    SinceOpened.GREW: "the file grew: r reloads it and keeps your steps",
    SinceOpened.CHANGED: "the file was rewritten: r reloads it",
    SinceOpened.REPLACED: "the file is now the one you wrote in place: r opens it",
    SinceOpened.GONE: "the file is gone (moved or deleted)",
}


class Watches(KeepsSteps, OpensSessions):
    """A screen that looks whether its session's file is as it was opened."""

    since: SinceOpened | None = None
    """What became of the file, as far as was seen."""

    class Seen(Message):
        """A look at the file."""

        def __init__(self, since: SinceOpened | None) -> None:
            super().__init__()
            self.since = since

    class ReadAgain(Message):
        """The session was read again; `reopened` is the reason, in words, where it could not be."""

        def __init__(self, reopened: Reopened | str, view: View | None = None) -> None:
            super().__init__()
            self.reopened = reopened
            self.view = view

    class AtWork(Message):
        """Other programs work on this session, or left something unfinished beside it."""

        def __init__(self, users: Sequence[str], left: Sequence[Path]) -> None:
            super().__init__()
            self.users = users
            self.left = left

    def on_mount(self) -> None:
        if isinstance(self.opened.source, FileSource):
            # From the app's context: asyncio keeps the context of a stopped timer until its time has
            # come, and that of this screen would keep the session in memory for so long.
            self.app.call_later(self._begin_watching)
            self.look_who_works()

    def _begin_watching(self) -> None:
        if self.is_running:
            self.set_interval(WATCH_SECONDS, self.look_at_file)

    def on_unmount(self) -> None:
        if self.app.is_running:  # else no other session will be read
            session_left()

    @in_thread(exit_on_error=False, group="users")
    def look_who_works(self) -> None:
        """See once who is at work on the session, and what a killed export left; `AtWork` tells."""
        # Imported here: the first paint does not wait for what is not on it.
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
        """See what became of the file; `Seen` tells when it is another thing than before."""
        source = self.opened.source
        since = changed_since(source)
        if since is SinceOpened.CHANGED and self.since is SinceOpened.REPLACED:
            return  # what it is was looked at, which takes reading it
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
        """Why the file cannot be read again, in words."""
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
