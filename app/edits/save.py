"""Results go to files, and their beginning stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from app.compactability.placeholders import placeholder_form
from app.edits.base import Aim, BlockEdit
from app.edits.clear import NO_RESULT
from app.edits.scene import Obstacle, Position, Scene
from app.model import ToolResult
from app.stages.base import option
from app.stages.draft import Draft
from app.stages.saving import ClientForm, Saver, check_folders

FOLDER = "tool-results"
"""Below the new session's side folder this is where Claude Code keeps its own."""

SHORT = Obstacle("already saved or cleared")


@dataclass(frozen=True, kw_only=True)
class Save(BlockEdit):
    """Saves results to files, written by the export; a preview that names the file remains."""

    name: ClassVar[str] = "save"
    title: ClassVar[str] = "save"
    done: ClassVar[str] = "saved"
    unfit: ClassVar[str] = "there is no tool result in it"

    preview_chars: int = option(
        2_000, "how much of the beginning to keep as a preview", unit="characters", minimum=0
    )
    folder: str = option(FOLDER, "folder for the files, under the new session's own")

    def __post_init__(self) -> None:
        check_folders(self.name, self.folder, "")

    def aims(self, scene: Scene) -> Sequence[Aim]:
        return [Aim(at, self._obstacle_at(scene, at)) for at, _ in self.result_aims(scene)]

    def _obstacle_at(self, scene: Scene, at: Position) -> Obstacle | None:
        block = scene.block(at)
        if not isinstance(block, ToolResult):
            return NO_RESULT
        return SHORT if placeholder_form(block) else self.why_text_stays(scene, at)

    def change(self, draft: Draft, scene: Scene, aims: Sequence[Aim]) -> None:
        saver = Saver(draft, self.folder)
        for aim in aims:
            if (at := scene.result_at(aim.at)) is not None:
                saver.save(at, ClientForm(self.preview_chars), "saved by you")
