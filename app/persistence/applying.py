"""Applies a recipe to a session: each step as far as it fits, with a line for what does not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from app.errors import HandcompactError
from app.operation_text import check_rule, do_typed
from app.persistence.recipe import Recipe, load_recipe
from app.work.history import Operation
from app.work.replaying import Replay
from app.work.workspace import Workspace


class Applied(Struct, frozen=True):
    """The outcome of applying a recipe."""

    steps: int
    """Steps that it has."""
    done: int
    """Steps of which at least a part was done."""
    misfits: tuple[str, ...]
    """What does not fit this session, a line each."""

    @property
    def told(self) -> str:
        """The outcome in one line."""
        if not self.misfits:
            return f"all {self.done:,} steps were applied" if self.done != 1 else "its step was applied"
        return f"{self.done:,} of {self.steps:,} steps were applied"


def open_recipe(path: Path) -> Recipe:
    """The recipe in a file; raises BadRecipe."""
    return load_recipe(path, check_rule)


def apply_recipe(recipe: Recipe, workspace: Workspace) -> Applied:
    """Do the steps of a recipe in a workspace under its pipeline; each of them can be undone by itself."""
    misfits = list(recipe.misfits)
    done = 0
    for was_done, line in _apply(recipe, workspace):
        done += was_done
        if line:
            misfits.append(line)
    return Applied(len(recipe.steps), done, tuple(misfits))


def _apply(recipe: Recipe, workspace: Workspace) -> Iterator[tuple[bool, str]]:
    """Whether each step was done at least in part, and what does not fit of it."""
    again = Replay(workspace, recipe.looks)
    for number, operation in enumerate(recipe.steps, 1):
        if operation.rule:
            reason = _do_rule(workspace, operation)
            yield not reason, f"step {number}, {reason}" if reason else ""
        else:
            misfit = again.do(operation)
            is_done = misfit is None or not misfit.reason
            yield is_done, "" if misfit is None else f"step {number}, {misfit.told}"


def _do_rule(workspace: Workspace, operation: Operation) -> str:
    """Ask again which rows it means, and do it; what is in the way, in words."""
    try:
        do_typed(workspace, operation.rule)
    except HandcompactError as error:
        return str(error)
    return ""
