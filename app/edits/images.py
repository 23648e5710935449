"""What the edits of pictures share: finding them, and putting a line in the place of one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from app.edits.base import Aim, BlockEdit
from app.edits.scene import Obstacle, Position, Scene
from app.model import Author, Block, Held, Image, Part, Text, ToolResult, ToolUse
from app.stages.base import ChangeKind
from app.stages.draft import Draft

NO_PICTURE: Final = Obstacle("not an image")
REMOVED: Final = "[Image removed]"
REASON: Final = "image removed by you"


@dataclass(frozen=True, kw_only=True)
class ImageEdit(BlockEdit):
    """Base of the edits of pictures: in messages, in results, or single ones of these by their own keys."""

    @abstractmethod
    def line(self, image: Image) -> str:
        """What stands where the picture was; empty: nothing, if anything else is left there."""

    def aims(self, scene: Scene) -> Sequence[Aim]:
        aims: dict[Position, Aim] = {}
        for named in scene.named(self.keys):
            block = scene.block(named.at)
            meant = scene.results_of(named.at) if isinstance(block, ToolUse) else [named.at]
            places = [at for at in meant if self._chosen(scene.block(at))]
            if not places and named.by_itself:
                aims[named.at] = Aim(named.at, NO_PICTURE)
            aims |= {at: Aim(at, self.why_text_stays(scene, at)) for at in places}
        return list(aims.values())

    def _chosen(self, block: Block) -> list[Image]:
        """The pictures of a block that the keys mean: those they name, else all of them."""
        if isinstance(block, Image):
            return [block]
        parts = block.parts if isinstance(block, ToolResult) else ()
        pictures = [part for part in parts if isinstance(part, Image)]
        return [picture for picture in pictures if picture.key in self.keys] or pictures

    def change(self, draft: Draft, scene: Scene, aims: Sequence[Aim]) -> None:
        going = {aim.at for aim in aims}
        for aim in aims:
            block = scene.block(aim.at)
            if isinstance(block, ToolResult):
                new: Block = replace(block, parts=tuple(self._left(block)))
            elif isinstance(block, Image):
                line = self.line(block)
                if not line and _is_beside_others(scene, aim.at, going):
                    draft.drop(aim.at.message, aim.at.block, REASON)
                    continue
                new = _said(block, line or REMOVED)
            draft.change(aim.at.message, aim.at.block, new, ChangeKind.CUT, REASON)

    def _left(self, result: ToolResult) -> Iterator[Part]:
        """The parts of a result without the chosen pictures; a line at the least."""
        chosen = {picture.key for picture in self._chosen(result)}
        said = len(chosen) < len(result.parts)
        for part in result.parts:
            if not isinstance(part, Image) or part.key not in chosen:
                yield part
            elif line := self.line(part) or ("" if said else REMOVED):
                said = True
                yield _said(part, line)


def _said(image: Image, line: str) -> Text:
    return Text(image.key, Held(line), Author.INJECTED, image.place)


def _is_beside_others(scene: Scene, at: Position, going: Collection[Position]) -> bool:
    """Whether anything is left in the message of a picture without it; the first that goes leaves a line."""
    places = (Position(at.message, j) for j in range(len(scene.messages[at.message].blocks)))
    return any(place not in going or place.block < at.block for place in places)
