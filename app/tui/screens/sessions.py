"""The sessions on this machine, newest first: what opens when no file was named."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static
from textual.worker import get_current_worker

from app.display import counted, safe_text
from app.tui.keys import Where
from app.tui.messages import OpenFailed, SessionOpened
from app.tui.screens.base import Line, Prompt, acts
from app.tui.screens.parts.opens import OpensSessions
from app.tui.widgets.line_view import LineView
from app.tui.widgets.session_list import SessionList, SessionRow

if TYPE_CHECKING:
    from app.discovery import Found, Shelf
    from app.tui.app import Opening

BATCH_SECONDS = 0.1
"""Time between two batches of sessions as their heads are read."""


class SessionsScreen(OpensSessions):
    """A list to choose from; opening a file shows its progress here, and what was wrong with it."""

    WHERE: ClassVar[Where] = Where.SESSIONS

    class Came(Message):
        """Some more sessions were found; after the last batch `whole` is true."""

        def __init__(self, found: tuple[Found, ...], shelves: tuple[Shelf, ...], *, whole: bool) -> None:
            super().__init__()
            self.found = found
            self.shelves = shelves
            self.whole = whole

    def __init__(self, opening: Opening) -> None:
        super().__init__()
        self._opening = opening
        self._found: tuple[Found, ...] = ()
        self._shown: list[Found] = []
        self._shelves: tuple[Shelf, ...] = ()
        self._looking = False
        self._filter = ""
        self._by_size = False
        self._held: Path | None = None
        """The session that another is to be held against."""

    def body(self) -> Iterable[Widget]:
        yield Line(id="looked")
        yield SessionList(glyphs=self.glyphs)
        yield Static(id="error", markup=False)

    def header(self) -> str:
        if self.has_class("-first-open"):
            return "handcompact"
        words = counted(len(self._found), "session")
        if self._filter:
            words = f"{len(self._shown):,} of {words} with {self._filter!r}"
        parts = ("handcompact", words, *(("by size",) if self._by_size else ()))
        return f" {self.glyphs.dot} ".join(parts)

    @property
    def _list(self) -> SessionList:
        return self.query_one(SessionList)

    def on_mount(self) -> None:
        self._list.focus()
        if self._opening.file is None:
            self._look()
        else:
            self.set_class(True, "-first-open")
            # A thread that reads takes the interpreter from the first paint.
            self.call_after_refresh(self._open, self._opening.file, self._opening.leaf)

    def on_screen_resume(self) -> None:
        if not self._found and not self._looking and not self.is_opening:
            self._look()

    # Looking

    def _look(self) -> None:
        self.remove_class("-first-open")
        self._looking = True
        self._found = ()
        self._search_folders()

    @work(thread=True, exit_on_error=False, exclusive=True, group="look")
    def _search_folders(self) -> None:
        # Imported here and below: the first paint does not wait for what is not on it.
        from app.discovery import Look

        worker = get_current_worker()
        look = Look()
        batch: list[Found] = []
        sent = time.monotonic()
        for found in look.sessions():
            if worker.is_cancelled:
                return
            batch.append(found)
            if time.monotonic() - sent > BATCH_SECONDS:
                self.post_message(self.Came(tuple(batch), look.shelves, whole=False))
                batch, sent = [], time.monotonic()
        self.post_message(self.Came(tuple(batch), look.shelves, whole=True))

    @on(Came)
    def _more(self, event: Came) -> None:
        self._found += event.found
        self._shelves = event.shelves
        self._looking = not event.whole
        self._show()

    # Showing

    def _show(self) -> None:
        words = self._filter.casefold().split()
        self._shown = [found for found in self._found if _holds(found, words)]
        if self._by_size:
            self._shown.sort(key=lambda found: -found.size)
        now = time.time()
        self._list.show([_row(found, now) for found in self._shown])
        self.query_one("#looked", Line).say(self._looked())
        self._tell_path()
        self.refresh_lines()

    def _looked(self) -> str:
        if self._looking:
            return "looking ..."
        samples = counted(sum(found.is_sample for found in self._found), "sample")
        full = [shelf for shelf in self._shelves if shelf.found]
        if not full:
            # The samples come first: they are what there is to open, and the line may be cut at its end.
            return f"{samples} below; no sessions in {', '.join(_home(s.folder) for s in self._shelves)}"
        places = [f"{counted(s.found, 'session')} in {_home(s.folder)} ({s.agent})" for s in full]
        return f"{', '.join(places)}; {samples} below"

    def _tell_path(self) -> None:
        if not self.is_opening:
            found = self._current
            self.status(_home(found.path) if found else "nothing here holds that" if self._filter else "")

    @property
    def _current(self) -> Found | None:
        return self._shown[self._list.cursor] if self._shown else None

    @on(LineView.Moved)
    def _moved(self) -> None:
        self._tell_path()

    # Keys

    def why_not(self, action: str) -> str | None:
        if action in ("open", "hold") and not self._shown:
            return "there is no session in the list"
        return None

    @on(LineView.Opened)
    def _opened_row(self) -> None:
        self.action_open()

    @acts
    def action_open(self) -> None:
        if self._current is not None:
            self._open(str(self._current.path))

    def action_path(self) -> None:
        self.ask("path", "open a file:")

    def action_sort(self) -> None:
        self._by_size = not self._by_size
        self._show()

    def action_reload(self) -> None:
        self._look()

    def action_backups(self) -> None:
        from app.tui.screens.backups import BackupsScreen

        self.app.push_screen(BackupsScreen())

    @acts
    def action_hold(self) -> None:
        from app.tui.screens.contrast import ContrastScreen

        assert self._current is not None
        one, other = self._held, self._current.path
        if one is None:
            self._held = other
            self.status(f"d on another session compares it with {_home(other)}")
            return
        self._held = None
        if one == other:
            self.status("let go")
        else:
            self.app.push_screen(ContrastScreen(one, other, f"{one.name} {self.glyphs.arrow} {other.name}"))

    def action_find(self) -> None:
        self.ask("find", "show only those with:", self._filter)

    def find(self, text: str) -> None:
        """Show the sessions whose title, project or path holds every word."""
        self._filter = text
        self._show()

    def action_close(self) -> None:
        if not self.give_up_opening():
            self.find("")
        elif not self._found:
            self._look()

    @on(Prompt.Typed)
    def _typed(self, event: Prompt.Typed) -> None:
        if event.purpose == "find":
            self.find(event.text)

    @on(Prompt.Taken)
    def _typed_path(self, event: Prompt.Taken) -> None:
        if event.purpose == "path" and event.text:
            self._open(str(Path(event.text).expanduser()))

    # Opening

    def _open(self, file: str, leaf: str | None = None) -> None:
        self._say_error("")
        opening = self._opening
        self.open_session(file, opening.pipeline, leaf=leaf, settings=opening.settings)

    @on(SessionOpened)
    def _show_session(self, event: SessionOpened) -> None:
        from app.tui.screens.inspect import InspectScreen

        self.app.push_screen(InspectScreen(event.opened, event.view))

    @on(OpenFailed)
    def _show_failure(self, event: OpenFailed) -> None:
        self._say_error(event.reason)
        if not self._found:
            self._look()

    def _say_error(self, reason: str) -> None:
        error = self.query_one("#error", Static)
        error.update(Content(safe_text(reason, self.glyphs)))
        error.set_class(bool(reason), "-said")


def _holds(found: Found, words: list[str]) -> bool:
    text = f"{found.title} {found.project} {found.path} {found.agent}".casefold()
    return all(word in text for word in words)


def _row(found: Found, now: float) -> SessionRow:
    age = None if found.is_sample else now - found.modified
    return SessionRow(found.title, found.project, found.agent, age, found.size)


def _home(path: Path) -> str:
    """A path as a person writes it."""
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) and path != home else str(path)
