"""Thinking goes, and of a turn either all of it or none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from app.compactability.turns import turns_of
from app.edits.base import Aim, BlockEdit
from app.edits.scene import Obstacle, Scene
from app.model import Thinking
from app.stages.base import option
from app.stages.draft import Draft

NEWEST_TURN = Obstacle("thinking of the turn of the newest reply")


@dataclass(frozen=True, kw_only=True)
class StripThinking(BlockEdit):
    """Removes all thinking from the turns of the given rows; without rows, from older turns."""

    name: ClassVar[str] = "strip_thinking"
    title: ClassVar[str] = "strip thinking"
    done: ClassVar[str] = "dropped"
    unfit: ClassVar[str] = "no thinking in these turns"
    needs_keys: ClassVar[bool] = False

    keep_turns: int = option(
        1, "without rows: newest turns that keep their thinking", unit="turns", minimum=0
    )

    def aims(self, scene: Scene) -> Sequence[Aim]:
        return [aim for turn in self._turns(scene) for aim in _aims_in(scene, turn, chosen=bool(self.keys))]

    def _turns(self, scene: Scene) -> Iterator[range]:
        turns = list(turns_of(scene.messages))
        if not self.keys:
            yield from turns[: max(0, len(turns) - self.keep_turns)]
            return
        numbers = {named.at.message for named in scene.named(self.keys)}
        for turn in turns:
            if any(number in numbers for number in turn):
                yield turn

    def change(self, draft: Draft, scene: Scene, aims: Sequence[Aim]) -> None:
        for aim in aims:
            draft.drop(aim.at.message, aim.at.block, "thinking removed by you")


def _aims_in(scene: Scene, turn: range, *, chosen: bool) -> Iterator[Aim]:
    """The thinking of one turn: what keeps one block of it keeps all."""
    thinking = [at for at, block in scene.blocks(turn) if isinstance(block, Thinking)]
    if scene.newest in turn:
        # Nobody meant the newest turn where no row was chosen.
        yield from (Aim(at, NEWEST_TURN) for at in thinking if chosen)
        return
    kept = next((o for at in thinking if (o := scene.why_place_stays(at)) is not None), None)
    yield from (Aim(at, kept) for at in thinking)
