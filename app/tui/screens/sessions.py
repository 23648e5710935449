"""The sessions on this machine, newest first; the first screen if no file was given."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from app.discovery.catalogue import Catalogue, Row, SessionFilter, SortOrder, by_project
from app.discovery.found_session import FoundSession, SearchedFolder
from app.display import counted, safe_text, short_path, spread
from app.tui.keys import KeyScope
from app.tui.messages import OpenFailed, SessionOpened
from app.tui.screens.base import Line, Prompt, acts
from app.tui.screens.parts.compare_sessions import ComparesSessions
from app.tui.screens.parts.discovering import LooksForSessions, places_words
from app.tui.screens.parts.file_head import ShowsHeads
from app.tui.widgets.line_view import LineView
from app.tui.widgets.session_list import SessionList

if TYPE_CHECKING:
    from app.tui.app import Opening


class SessionsScreen(ShowsHeads, LooksForSessions, ComparesSessions):
    """The session list; the progress and the errors of opening a file are shown here."""

    WHERE: ClassVar[KeyScope] = KeyScope.SESSIONS

    def __init__(self, opening: Opening) -> None:
        super().__init__()
        self._opening = opening
        self.opens_first = opening.file is not None
        """Whether the given file must be opened before the search for sessions starts."""
        self._catalogue = Catalogue()
        self._rows: Sequence[Row] = ()
        self._shelves: Sequence[SearchedFolder] = ()
        self._at_work: Mapping[str, Sequence[str]] = {}
        self._left: Mapping[str, int] = {}
        """Number of unexported steps by session name."""
        self._looking = False
        self._sieve = SessionFilter()
        self._sort = SortOrder.AGE
        self._folded: set[str] = set()

    def body(self) -> Iterable[Widget]:
        yield Line(id="looked")
        yield SessionList(glyphs=self.glyphs)
        yield self.head_list()
        yield Static(id="error", markup=False)

    def header(self) -> str:
        if self.has_class("-first-open"):
            return "handcompact"
        words = counted(len(self._catalogue), "session")
        if self._sieve != SessionFilter():
            shown = sum(isinstance(row, FoundSession) for row in self._rows)
            held = f" with {self._sieve.words!r}" if self._sieve.words else ""
            words = f"{shown:,} of {words} {self._sieve.only}".rstrip() + held
        by = (f"by {self._sort}",) if self._sort is not SortOrder.AGE else ()
        return f" {self.glyphs.dot} ".join(("handcompact", words, *by))

    @property
    def _list(self) -> SessionList:
        return self.query_one(SessionList)

    def at_hand(self) -> FoundSession | None:
        row = self._list.current
        return row if isinstance(row, FoundSession) else None

    @property
    def _grouped(self) -> bool:
        return self.shell.preferences.by_project

    def on_mount(self) -> None:
        self._list.focus()
        if self._opening.file is None:
            self._look()
        else:
            self.set_class(True, "-first-open")
            # A reading thread would delay the first paint.
            self.call_after_refresh(self._open, self._opening.file, self._opening.leaf)

    def on_screen_resume(self) -> None:
        if not (self.opens_first or len(self._catalogue) or self._looking or self.is_opening):
            self._look()
        elif len(self._catalogue):
            self._look_for_steps()

    def _look_for_steps(self) -> None:
        self.look_for_steps([found.name for found in self._catalogue])

    @on(LooksForSessions.Left)
    def _some_left(self, event: LooksForSessions.Left) -> None:
        if event.steps != self._left:
            self._left = event.steps
            self._show()

    # Discovery

    def _look(self) -> None:
        self.remove_class("-first-open")
        self._looking = True
        self._catalogue.clear()
        self.look_for_sessions()

    @on(LooksForSessions.Came)
    def _more(self, event: LooksForSessions.Came) -> None:
        self._catalogue.add(event.found)
        if event.at_work is not None:
            self._at_work, self._shelves, self._looking = event.at_work, event.shelves, False
            self._look_for_steps()
        self._show()

    # Showing

    def _show(self, *, to_start: bool = False) -> None:
        """Show what is known now; a cursor that was moved stays on its session."""
        here = self._key(self._list.current) if self._list.cursor and not to_start else None
        now = time.time()
        shown = self._catalogue.shown(self._sieve, self._sort, now)
        self._rows = by_project(shown, self._folded) if self._grouped else shown
        place = next((i for i, row in enumerate(self._rows) if self._key(row) == here), 0) if here else 0
        self._list.show(
            self._rows,
            now=now,
            sort=self._sort,
            grouped=self._grouped,
            running=self._at_work,
            left=self._left,
            cursor=place,
        )
        self.query_one("#looked", Line).say(
            "looking ..." if self._looking else places_words(self._catalogue, self._shelves)
        )
        self._tell_row()
        self.refresh_lines()

    @staticmethod
    def _key(row: Row | None) -> str | None:
        return row.name if row is not None else None

    def _tell_row(self) -> None:
        if self.is_opening:
            return
        row = self._list.current
        if row is None:
            self.status("no session matches" if self._sieve != SessionFilter() else "")
        elif isinstance(row, FoundSession):
            self.status(spread(short_path(row.path), self._facts(row), self.size.width - 2, self.glyphs))
        else:
            self.status(f"enter {'shows' if row.folded else 'hides'} the sessions in {row.name}")

    def _facts(self, found: FoundSession) -> str:
        users = self._at_work.get(found.name, ())
        facts = [f"{self.glyphs.warning} in use: {', '.join(users)}"] if users else []
        if steps := self._left.get(found.name):
            facts.append(f"{self.glyphs.pinned} {counted(steps, 'step')} not exported")
        facts += [found.agent] if not found.is_sample else []
        facts += [f"a: {counted(found.subagents, 'subagent')}"] if found.subagents else []
        return f" {self.glyphs.dot} ".join(facts)

    @on(LineView.Moved, "SessionList")
    def _moved(self) -> None:
        self._tell_row()

    # Keys

    def why_not(self, action: str) -> str | None:
        row = self._list.current if self.is_mounted else None
        match action:
            case "open" if row is None:
                return "the list is empty"
            case "agents" | "hold" if not isinstance(row, FoundSession):
                return "no session under the cursor"
            case "agents" if isinstance(row, FoundSession) and not row.subagents:
                return "this session has no subagent transcripts"
        return None

    @on(LineView.Opened, "SessionList")
    def _opened_row(self) -> None:
        self.action_open()

    @acts
    def action_open(self) -> None:
        row = self._list.current
        if isinstance(row, FoundSession):
            self._open(row.name)
        elif row is not None:
            self._folded ^= {row.name}
            self._show()

    def action_path(self) -> None:
        self.ask("path", "open a file:")

    def action_sort(self) -> None:
        self._sort = self._sort.next
        self._show(to_start=True)

    def action_projects(self) -> None:
        self.shell.prefer(by_project=not self._grouped)
        self._show()

    def action_reload(self) -> None:
        self._look()

    # Imported lazily, to not delay the first paint.

    def action_backups(self) -> None:
        from app.tui.screens.backups import BackupsScreen

        self.app.push_screen(BackupsScreen(self.opened_files))

    def action_filter(self) -> None:
        from app.tui.screens.choose import ChooseScreen
        from app.tui.screens.parts.session_filters import sieves_of

        sieves, choices = sieves_of(self._catalogue, self._shelves, self._sieve)

        def choose(position: int | None) -> None:
            if position is not None:
                self._sieve = sieves[position]
                self._show(to_start=True)

        current = sieves.index(self._sieve) if self._sieve in sieves else 0
        self.app.push_screen(ChooseScreen("Show only ...", choices, current=current), choose)

    @acts
    def action_agents(self) -> None:
        from app.tui.screens.choose import ChooseScreen
        from app.tui.screens.parts.session_filters import subagents_to_choose

        row = self._list.current
        assert isinstance(row, FoundSession)
        there, choices = subagents_to_choose(row)

        def choose(position: int | None) -> None:
            if position is not None:
                self._open(str(there[position].path))

        about = "A transcript opens as a session of its own; its export is a new file beside it."
        self.app.push_screen(ChooseScreen(f"Subagents of {row.title}", choices, about=about), choose)

    def action_find(self) -> None:
        self.ask("find", "show sessions containing:", self._sieve.words)

    def find(self, text: str) -> None:
        """Show the sessions whose title, project, path or agent contains every word."""
        self._sieve = SessionFilter(text, self._sieve.agent, self._sieve.project, self._sieve.days)
        self._show(to_start=True)

    def action_close(self) -> None:
        self._say_error("")
        if not self.give_up_opening():
            self._sieve = SessionFilter()
            self._show()
        elif not len(self._catalogue):
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
        self.opens_first = False
        self._say_error("")
        opening = self._opening
        self.open_session(file, opening.pipeline, leaf=leaf, settings=opening.settings)

    @on(SessionOpened)
    def _show_session(self, event: SessionOpened) -> None:
        from app.tui.screens.inspect import InspectScreen

        screen = InspectScreen(event.opened, event.view)
        screen.kept = event.kept
        self.app.push_screen(screen)

    @on(OpenFailed)
    def _show_failure(self, event: OpenFailed) -> None:
        self._say_error(event.reason)
        if not len(self._catalogue):
            self._look()

    def _say_error(self, reason: str) -> None:
        error = self.query_one("#error", Static)
        error.update(Content(safe_text(reason, self.glyphs)))
        error.set_class(bool(reason), "-said")
