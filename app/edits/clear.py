"""Results become a line that says what they were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from app.compactability.placeholders import Form, placeholder_form, saved_path
from app.edits.base import Aim, BlockEdit
from app.edits.scene import Obstacle, Position, Scene
from app.model import Placeholder, ToolResult, ToolUse, text_of
from app.stages.base import option
from app.stages.draft import Draft, ResultAt
from app.stages.saving import saved_at
from app.stages.survey import path_clue

NO_RESULT = Obstacle("not a tool result")
CLEARED = Obstacle("already a placeholder")


@dataclass(frozen=True, kw_only=True)
class Clear(BlockEdit):
    """Replaces results with placeholders that name the call; a call's key means its result."""

    name: ClassVar[str] = "clear"
    title: ClassVar[str] = "clear"
    done: ClassVar[str] = "cleared"
    unfit: ClassVar[str] = "there is no tool result in it"

    clue: bool = option(True, "name the tool and its file or command in the placeholder")
    note: str = option("", "a note to add to the placeholder, on one line")

    def aims(self, scene: Scene) -> Sequence[Aim]:
        return [Aim(at, self._obstacle_at(scene, at)) for at, _ in self.result_aims(scene)]

    def _obstacle_at(self, scene: Scene, at: Position) -> Obstacle | None:
        block = scene.block(at)
        if not isinstance(block, ToolResult):
            return NO_RESULT
        if placeholder_form(block) in (Form.CLEARED, Form.STUB):
            return CLEARED
        return self.why_text_stays(scene, at)

    def change(self, draft: Draft, scene: Scene, aims: Sequence[Aim]) -> None:
        for aim in aims:
            if (at := scene.result_at(aim.at)) is not None:
                draft.clear(at, Placeholder.of(self._placeholder(at)), "cleared by you")

    def _placeholder(self, at: ResultAt) -> str:
        if placeholder_form(at.result) is Form.SAVED and (path := saved_path(text_of(at.result))) is not None:
            return saved_at(path)
        where = f"tool={at.tool} {clue(at.call) if at.call else ''}" if self.clue else ""
        said = ("[Old tool result content cleared]", where.rstrip(), " ".join(self.note.split()))
        return " ".join(filter(None, said))


def clue(call: ToolUse) -> str:
    """The file that a call is about, on one line; empty where it names none."""
    return " ".join((call.path or path_clue(call)).splitlines())
