"""Saving the steps as a recipe, and applying a recipe."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace
from textual import on
from textual.message import Message
from textual.worker import get_current_worker

from app.display import counted, short_path
from app.errors import HandcompactError
from app.gc_control import collector_paused
from app.opening import Opened
from app.persistence.applying import Applied, apply_recipe, open_recipe
from app.persistence.recipe import Recipe, save_recipe
from app.tui.in_thread import in_thread
from app.tui.screens.base import Prompt, acts
from app.tui.screens.choose import Choice, ChooseScreen
from app.tui.screens.confirm import ConfirmScreen
from app.tui.screens.parts.unsaved_steps import KeepsSteps
from app.tui.view import View, first_view


class Recipes(KeepsSteps):
    """A screen that can save its steps as a recipe and apply one."""

    class Read(Message):
        """A recipe was read."""

        def __init__(self, recipe: Recipe) -> None:
            super().__init__()
            self.recipe = recipe

    class Refused(Message):
        """Nothing was done, for the given reason."""

        def __init__(self, reason: str) -> None:
            super().__init__()
            self.reason = reason

    class WasApplied(Message):
        """The steps were applied in a separate workspace."""

        def __init__(self, opened: Opened, view: View, applied: Applied) -> None:
            super().__init__()
            self.opened = opened
            self.view = view
            self.applied = applied

    # Saving

    @acts
    def action_save_recipe(self) -> None:
        self.ask("recipe-save", "save your steps as a recipe in:", self._usual_recipe)

    @acts
    def action_apply_recipe(self) -> None:
        usual = self._usual_recipe
        self.ask("recipe-apply", "apply the recipe in:", usual if Path(usual).is_file() else "")

    @property
    def _usual_recipe(self) -> str:
        name = Path(self.workspace.session.name).stem.strip("-") or "session"
        return f"{name}.recipe.toml"

    def why_not_save_recipe(self) -> str | None:
        """Why there is nothing to save."""
        return None if self.workspace.history.done else "no steps yet: there is nothing to save"

    @on(Prompt.Taken)
    def _recipe_asked(self, event: Prompt.Taken) -> None:
        if event.purpose not in ("recipe-save", "recipe-apply") or not event.text.strip():
            return
        path = Path(event.text.strip()).expanduser()
        if event.purpose == "recipe-save":
            self._save_recipe(path)
        else:
            self.say_row("reading the recipe ...")
            self._read_recipe(path)

    def _save_recipe(self, path: Path) -> None:
        try:
            left_out = save_recipe(self.workspace, path)
        except (HandcompactError, ValueError) as error:
            self.say_row(f"not saved: {error}")
            return
        self.say_row(f"saved: {short_path(path.absolute())}")
        if left_out:
            self.shell.say(f"not in the recipe: {'; '.join(left_out)}", warning=True)

    # Applying

    @in_thread(exit_on_error=False, exclusive=True, group="recipe")
    def _read_recipe(self, path: Path) -> None:
        try:
            answer: Message = self.Read(open_recipe(path))
        except (HandcompactError, ValueError) as error:
            answer = self.Refused(str(error))
        if not get_current_worker().is_cancelled:
            self.post_message(answer)

    @on(Refused)
    def _say_refused(self, event: Refused) -> None:
        self.say_row(event.reason)

    @on(Read)
    def _ask_for_recipe(self, event: Read) -> None:
        """A recipe for another pipeline replaces the steps; one for the same pipeline is added to them."""
        recipe, workspace = event.recipe, self.workspace
        pipeline = recipe.pipeline or workspace.pipeline
        is_same = pipeline.steps == workspace.pipeline.steps
        done = len(workspace.history.done)
        if is_same or not done:
            self._begin(recipe, anew=not is_same)
            return

        def answer(sure: bool | None) -> None:
            if sure:
                self._begin(recipe, anew=True)
            else:
                self.say_row("nothing changed")

        question = f"Undo {counted(done, 'step')} and start over with {pipeline.name}?"
        detail = f"The recipe has {counted(len(recipe.steps), 'step')} for that pipeline."
        self.app.push_screen(ConfirmScreen(question, yes="Start over", detail=detail), answer)

    def _begin(self, recipe: Recipe, *, anew: bool) -> None:
        self.say_row(f"applying {counted(len(recipe.steps), 'step')} ...")
        self._apply(recipe, anew)

    @in_thread(exit_on_error=False, exclusive=True, group="recipe")
    def _apply(self, recipe: Recipe, anew: bool) -> None:
        workspace = self.workspace
        pipeline = workspace.pipeline if recipe.pipeline is None or not anew else recipe.pipeline
        other = workspace.fork(pipeline)
        history = workspace.history
        other.history.begin_with(() if anew else history.done)
        with collector_paused(lasting=True):
            applied = apply_recipe(recipe, other)
            opened = replace(self.opened, workspace=other)
            answer = self.WasApplied(opened, first_view(other), applied)
        if not get_current_worker().is_cancelled:
            self.post_message(answer)

    @on(WasApplied)
    def _show_applied(self, event: WasApplied) -> None:
        applied = event.applied
        if not applied.done:
            self._say_misfits(applied)
            self.say_row("no step fits this session: nothing changed")
            return
        if not self.is_current:
            self.shell.say("another screen was opened meanwhile: the recipe was not applied", warning=True)
            return
        self.go_on(type(self)(event.opened, event.view), applied.told)
        self._say_misfits(applied)

    def _say_misfits(self, applied: Applied) -> None:
        if applied.misfits:
            lines = [Choice(line) for line in applied.misfits]
            self.app.push_screen(
                ChooseScreen("Steps that do not fit this session", lines, about=applied.told)
            )
