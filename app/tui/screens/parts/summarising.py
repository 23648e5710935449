"""Replacing rows by a summary, written by rules, by hand or by a model, and checking it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from app.edits import Edit
from app.edits.spans import STRUCTURED
from app.edits.summarise_range import ANY_TEXT, HAND, MODEL, SummariseRange
from app.tui.screens.choose import Choice, ChooseScreen
from app.tui.screens.parts.attempting import Attempts
from app.tui.screens.parts.models import model_choice, prompt_screen
from app.tui.screens.proof import ProofScreen
from app.tui.screens.rewrite import RewriteScreen
from app.work.attempts import Attempt, EditVariant
from app.work.summary_requests import ForRange


class Summarises(Attempts):
    """A screen whose rows can be replaced by a summary."""

    def summarise(self, keys: tuple[str, ...]) -> None:
        """Ask where the summary of the rows from the first to the last should come from."""
        offers: tuple[tuple[Choice, Callable[[], None]], ...] = (
            (Choice("rules only", "structured, no model"), lambda: self.attempt(_by(STRUCTURED, keys))),
            (Choice("written by you", "editor"), lambda: self._by_hand(keys)),
            (model_choice(), lambda: self.attempt(_by(MODEL, keys, ANY_TEXT), self._ask_model)),
        )

        def choose(position: int | None) -> None:
            if position is not None:
                offers[position][1]()

        about = "One message replaces everything from the first of these rows to the last."
        choices = [choice for choice, _ in offers]
        self.app.push_screen(ChooseScreen("Summary of these rows from", choices, about=about), choose)

    def _by_hand(self, keys: tuple[str, ...]) -> None:
        text = SummariseRange(keys=keys).draft(self.workspace.messages, self.workspace.context)
        make = partial(_by, HAND, keys)
        self.app.push_screen(RewriteScreen(self.opened, "Summary by hand", text, make, self._written))

    def _written(self, way: EditVariant) -> None:
        self.edited(way)
        newest = self.workspace.steps[-1].edit
        assert isinstance(newest, SummariseRange), "a summary was just taken"
        self.app.push_screen(ProofScreen(self.opened, ForRange(self.workspace, newest)))

    def _ask_model(self, found: Attempt, way: EditVariant) -> None:
        """Show the prompt that would be sent, once the edit's variant is chosen."""
        edit = way.edit
        assert isinstance(edit, SummariseRange), "that is what was tried"
        if self.workspace.history.done != found.done:
            self.attempt(edit, self._ask_model)
            return
        self.tell("")
        wish = ForRange(self.workspace, edit)
        self.app.push_screen(prompt_screen(self.opened, wish, lambda: self.edited(way)))


def _by(source: str, keys: tuple[str, ...], text: str = "") -> Edit:
    return SummariseRange(keys=keys, source=source, text=text)
