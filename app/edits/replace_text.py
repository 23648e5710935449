"""Words and results are written anew by the person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from msgspec.structs import replace

from app.edits.base import Aim, BlockEdit, allow_words_option
from app.edits.cut import NO_WORDS
from app.edits.scene import Obstacle, Position, Scene
from app.model import Held, Text, ToolResult, text_of
from app.stages.base import ChangeKind, Context, Messages, option
from app.stages.draft import Draft


@dataclass(frozen=True, kw_only=True)
class ReplaceText(BlockEdit):
    """Replaces the text of a message or a result; images in a result stay."""

    name: ClassVar[str] = "replace_text"
    title: ClassVar[str] = "rewrite"
    done: ClassVar[str] = "rewritten"
    unfit: ClassVar[str] = "the text is the same"
    only_if_smaller: ClassVar[bool] = False

    text: str = option("", "the new text")
    allow_words: bool = allow_words_option()

    @property
    def words_allowed(self) -> bool:
        return self.allow_words

    def why_not(self, messages: Messages, context: Context) -> str | None:
        if not self.text.strip():
            return "providers refuse empty texts: drop the block instead"
        return super().why_not(messages, context)

    def aims(self, scene: Scene) -> Sequence[Aim]:
        named = scene.named(self.keys)
        return [Aim(each.at, self._obstacle_at(scene, each.at)) for each in named]

    def _obstacle_at(self, scene: Scene, at: Position) -> Obstacle | None:
        if (obstacle := self.why_text_stays(scene, at)) is not None:
            return obstacle
        return None if isinstance(scene.block(at), Text | ToolResult) else NO_WORDS

    def change(self, draft: Draft, scene: Scene, aims: Sequence[Aim]) -> None:
        if not self.text.strip():
            return
        for aim in aims:
            block = scene.block(aim.at)
            if text_of(block) == self.text:
                continue
            if isinstance(block, Text):
                new = replace(block, content=Held(self.text))
                draft.change(aim.at.message, aim.at.block, new, ChangeKind.EDITED, "written by you")
            elif (at := scene.result_at(aim.at)) is not None:
                draft.set_text(at, self.text, ChangeKind.EDITED, "written by you")
