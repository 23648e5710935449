"""Journaling steps, offering leftover steps, and asking before unexported steps are discarded."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import on
from textual.app import App
from textual.message import Message
from textual.worker import get_current_worker

from app.display import counted
from app.errors import HandcompactError
from app.gc_control import collector_paused
from app.persistence.journal import Journal
from app.persistence.recovery import Leftovers, LeftoverSteps, RecoveredSteps, forget, state_of, take_up
from app.tui.in_thread import in_thread
from app.tui.screens.choose import Choice, ChooseScreen
from app.tui.screens.parts.rows import RowsScreen
from app.tui.view import View, first_view

SHOWN = 5
"""The most leftover step lists offered at once, newest first."""


class KeepsSteps(RowsScreen):
    """The main screen of an open session, which journals its steps."""

    journal: Journal | None = None
    """Taken over from the screen that this one replaces; else a new one is started."""
    kept = Leftovers()
    """Leftover steps for this file, offered first."""

    class NotKept(Message):
        """The steps cannot be journaled."""

        def __init__(self, words: str) -> None:
            super().__init__()
            self.words = words

    class Took(Message):
        """Leftover steps were reapplied; `taken` is the reason, as text, if they could not be."""

        def __init__(
            self, kept: LeftoverSteps, taken: RecoveredSteps | str, view: View | None = None
        ) -> None:
            super().__init__()
            self.kept = kept
            self.taken = taken
            self.view = view

    def on_mount(self) -> None:
        if self.journal is None:
            self.journal = Journal(self._not_kept)
        self.journal.follow(self.opened)
        self._offer_kept()

    def _not_kept(self, words: str) -> None:
        # Can be called from a thread.
        self.post_message(self.NotKept(words))

    @on(NotKept)
    def _say_not_kept(self, event: NotKept) -> None:
        self.shell.say(event.words, warning=True)

    # Leftover steps

    def _offer_kept(self) -> None:
        for note in self.kept.notes:
            self.shell.say(note, warning=True)
        kept = self.kept.kept[:SHOWN]
        if not kept:
            return
        took = [self._to_take_up(found, is_one_of_many=len(kept) > 1) for found in kept]
        if len(kept) > 1 or len(kept[0].done) > 1:
            left, forgot = "Not now: you will be asked again next time", "Discard them"
        else:
            left, forgot = "Not now: you will be asked again next time", "Discard it"
        choices = [*took, Choice(left), Choice(forgot)]

        def choose(position: int | None) -> None:
            if position is not None and position < len(kept):
                self.say_row("reapplying the steps ...")
                self._take_up(kept[position])
            elif position == len(kept) + 1:
                self._forget(kept)

        steps = counted(sum(len(found.done) for found in kept), "step")
        question = f"{steps} on this file {'was' if steps == '1 step' else 'were'} not exported"
        self.app.push_screen(ChooseScreen(question, choices), choose)

    def _to_take_up(self, found: LeftoverSteps, *, is_one_of_many: bool) -> Choice:
        """The choice that offers these steps, with when they were done and what they are."""
        about = f"{found.origin_words}: {found.deeds}" if is_one_of_many else found.deeds
        return Choice(f"Reapply {found.words}", state_of(self.opened.source, found), about)

    def _forget(self, kept: tuple[LeftoverSteps, ...]) -> None:
        try:
            for found in kept:
                forget(found)
        except HandcompactError as error:
            self.say_row(str(error))
        else:
            self.say_row("discarded")

    @in_thread(exit_on_error=False, exclusive=True, group="kept")
    def _take_up(self, kept: LeftoverSteps) -> None:
        worker = get_current_worker()
        try:
            with collector_paused(lasting=True):
                taken = take_up(self.opened, kept)
                answer = self.Took(kept, taken, first_view(taken.opened.workspace))
        except HandcompactError as error:
            answer = self.Took(kept, str(error))
        if not worker.is_cancelled:
            self.post_message(answer)

    @on(Took)
    def _took(self, event: Took) -> None:
        if isinstance(event.taken, str):
            self.say_row(event.taken)
            return
        if not self.is_current or self.workspace.history.done:
            self.shell.say("you have made changes meanwhile: reopen the file to reapply the other steps")
            return
        lost = event.taken.lost
        done = counted(len(event.taken.opened.workspace.history.done), "step")
        told = f"reapplied {done}" if not lost else f"reapplied {done}, but not all: {'; '.join(lost)}"
        self.go_on(type(self)(event.taken.opened, event.view), told)
        if self.journal is not None and self.journal.path is not None:
            try:
                forget(event.kept)
            except HandcompactError as error:
                self.shell.say(str(error), warning=True)
        if lost:
            self.shell.say(told, warning=True)

    def go_on(self, screen: KeepsSteps, told: str) -> None:
        """Continue in another screen over the same file, with this one's journal and position."""
        screen.begin_with = told
        if self.journal is not None:
            screen.journal = self.journal
            self.journal.follow(screen.opened)
        self.app.switch_screen(screen)

    def again(self) -> KeepsSteps:
        """Create the screen again, with the same work and the same journal."""
        screen = type(self)(self.opened)
        screen.journal = self.journal
        return screen

    # Leaving

    def leave(self) -> None:
        """Close the session, after asking what to do with steps that were not exported."""
        ask_to_leave(self.app, (self,), self.dismiss, verb="Close")

    @property
    def is_kept(self) -> bool:
        """Whether the steps are saved on disk."""
        return self.journal is not None and self.journal.path is not None


def ask_to_leave(
    app: App[None], screens: Sequence[KeepsSteps], go: Callable[[], object], *, verb: str
) -> None:
    """Ask what to do with the unexported steps on these screens, if any, before calling `go`.

    `verb` names the action of `go` in the choices.
    """
    unsaved = [screen for screen in screens if screen.workspace.is_unsaved]
    if not unsaved:
        _leave(screens, go, keep=False)
        return
    count = sum(len(screen.workspace.history.done) for screen in unsaved)
    is_kept = all(screen.is_kept for screen in unsaved)
    ways = [Choice("Stay", "")]
    if is_kept:
        ways.append(Choice(f"{verb} and keep them: offered when you reopen the file"))
    ways.append(Choice(f"{verb} and discard them"))

    def choose(position: int | None) -> None:
        if position:
            _leave(screens, go, keep=is_kept and position == 1)

    question = "1 step is not exported" if count == 1 else f"{count:,} steps are not exported"
    about = "" if is_kept else "They could not be saved to disk either."
    app.push_screen(ChooseScreen(question, ways, about=about), choose)


def _leave(screens: Sequence[KeepsSteps], go: Callable[[], object], *, keep: bool) -> None:
    for screen in screens:
        if screen.journal is not None:
            (screen.journal.close if keep else screen.journal.discard)()
    go()
