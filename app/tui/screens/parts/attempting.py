"""Trying a hand edit in a thread, asking if it touches protected content, and applying it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from textual import on
from textual.message import Message
from textual.worker import get_current_worker

from app.display import counted
from app.edits import Edit
from app.tui.in_thread import in_thread
from app.tui.screens.base import WorkScreen
from app.tui.screens.choose import Choice, ChooseScreen
from app.tui.screens.confirm import ConfirmScreen
from app.work.attempts import Attempt, EditVariant, attempt, take

NOTHING_CHANGED = "nothing changed"
WORDS_NAMED = 6
"""The most user texts that a question lists."""


Then: TypeAlias = Callable[[Attempt, EditVariant], None]
"""Called with the chosen variant of an edit."""


class Tried(Message):
    """An edit was tried."""

    def __init__(self, edit: Edit, found: Attempt, then: Then) -> None:
        super().__init__()
        self.edit = edit
        self.found = found
        self.then = then


class Attempts(WorkScreen):
    """A screen that applies hand edits: each is one undoable operation, and a refusal says why."""

    def did(self, words: str) -> None:
        """Report what a key did, and refresh the screen."""
        raise NotImplementedError

    def tell(self, words: str) -> None:
        """Say why nothing was done."""
        self.status(words)

    def edited(self, way: EditVariant) -> None:
        """An edit was done."""
        self.did(f"{way.words}: u undoes it")

    def attempt(self, edit: Edit, then: Then | None = None, rule: str = "") -> None:
        """Apply an edit if it is allowed, after a confirmation if one is needed.

        `then` is called instead of applying it, with the variant that was found or chosen; `rule` is what
        selected the edit's blocks.
        """
        self.tell(f"{edit.label}: working out what it would change ...")
        self._try(edit, then or self._take, rule)

    @in_thread(exit_on_error=False, exclusive=True, group="edit")
    def _try(self, edit: Edit, then: Then, rule: str) -> None:
        worker = get_current_worker()
        found = attempt(self.workspace, edit, rule)
        if not worker.is_cancelled:
            self.post_message(Tried(edit, found, then))

    @on(Tried)
    def _tried(self, event: Tried) -> None:
        found = event.found
        if not found.ways:
            self.tell(f"{event.edit.label}: {found.reason}")
        elif not found.reason:
            event.then(found, found.ways[0])
        elif len(found.ways) == 1:
            self._confirm(found, found.ways[0], event.then)
        else:
            self._offer(found, event.then)

    def _take(self, found: Attempt, way: EditVariant) -> None:
        if take(self.workspace, found, way):
            self.edited(way)
        else:
            self.attempt(way.edit)

    def _offer(self, found: Attempt, then: Then) -> None:
        """Let the user choose between the variants of the edit."""
        choices = [
            Choice(f"{way.words}; with {way.touches}" if way.touches else way.words) for way in found.ways
        ]

        def choose(position: int | None) -> None:
            if position is None:
                self.tell(NOTHING_CHANGED)
                return
            way = found.ways[position]
            if way.touches:
                self._confirm(found, way, then)
            else:
                then(found, way)

        self.app.push_screen(
            ChooseScreen("How much of it?", choices, about=f"Not all of it: {found.reason}."), choose
        )

    def _confirm(self, found: Attempt, way: EditVariant, then: Then) -> None:
        """Ask for confirmation, and list the user's own words that would be touched."""
        touches = f", with {way.touches}" if way.touches else ""
        named = [f"- {' '.join(words.split())[:60]}" for words in way.own_words[:WORDS_NAMED]]
        if (more := len(way.own_words) - WORDS_NAMED) > 0:
            named.append(f"and {counted(more, 'text')} more")
        detail = "  ".join(named) if named else f"Not all of it: {found.reason}."

        def answer(sure: bool | None) -> None:
            if sure:
                then(found, way)
            else:
                self.tell(NOTHING_CHANGED)

        question = f"{_capital(way.words)}{touches}?"
        self.app.push_screen(ConfirmScreen(question, yes=_capital(way.edit.label), detail=detail), answer)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
