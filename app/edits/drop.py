"""Blocks are taken out, and with them what cannot stay without them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from msgspec.structs import replace

from app.edits.base import Aim, BlockEdit, allow_words_option
from app.edits.scene import SEALED, WORDS, Obstacle, Position, Scene, is_typed
from app.model import Role, Thinking, ToolUse
from app.stages.draft import Draft


@dataclass(frozen=True, kw_only=True)
class Drop(BlockEdit):
    """Removes blocks. A call and its result are removed together, or both stay.

    Thinking goes when all goes that it led to; by itself it is left to `strip_thinking`.
    """

    name: ClassVar[str] = "drop"
    title: ClassVar[str] = "drop"
    done: ClassVar[str] = "dropped"
    unfit: ClassVar[str] = "nothing in it can be dropped"

    allow_words: bool = allow_words_option()

    @property
    def words_allowed(self) -> bool:
        return self.allow_words

    def aims(self, scene: Scene) -> Sequence[Aim]:
        chosen = {named.at for named in scene.named(self.keys)}
        aims: dict[Position, Aim] = {}
        for at in sorted(chosen, key=_order):
            if at not in aims and not isinstance(scene.block(at), Thinking):
                aims |= {aim.at: aim for aim in self._together(scene, at, chosen)}
        for number in {at.message for at in (*aims, *chosen)}:
            for aim in self._thinking(scene, number, chosen, aims):
                aims[aim.at] = aim
        return sorted(aims.values(), key=lambda aim: _order(aim.at))

    def _together(self, scene: Scene, at: Position, chosen: Collection[Position]) -> Iterator[Aim]:
        """A block with the other half of its pair: what keeps one keeps both."""
        group = scene.partners(at)
        obstacle = self._why_stays(scene, at)
        for other in group[1:]:
            kept = self._why_stays(scene, other)
            if kept is not None and obstacle is None:
                half = "result" if isinstance(scene.block(at), ToolUse) else "call"
                obstacle = replace(kept, reason=f"its {half} must stay too ({kept.reason})")
        for each in group:
            half = "call" if isinstance(scene.block(at), ToolUse) else "result"
            reason = "dropped by you" if each in chosen else f"dropped by you with its {half}"
            yield Aim(each, obstacle, reason)

    def _why_stays(self, scene: Scene, at: Position) -> Obstacle | None:
        if (obstacle := scene.why_place_stays(at)) is not None:
            return obstacle
        return WORDS if is_typed(scene.block(at)) and not self.allow_words else None

    def _thinking(
        self, scene: Scene, number: int, chosen: Collection[Position], aims: dict[Position, Aim]
    ) -> Iterator[Aim]:
        """What becomes of the thinking in a reply, and of what it led to where it must stay."""
        for thinking, led_to in _runs(scene, number):
            goes = bool(led_to) and all(at in aims and aims[at].obstacle is None for at in led_to)
            kept = next((o for at in thinking if (o := scene.why_place_stays(at))), None)
            if goes and kept is None:
                yield from (Aim(at, None, "everything it led to was dropped") for at in thinking)
            elif goes and kept is not None:
                obstacle = replace(kept, reason=f"its thinking must stay too ({kept.reason})")
                for at in led_to:
                    yield from (Aim(half, obstacle) for half in scene.partners(at))
            else:
                yield from (Aim(at, kept or SEALED) for at in thinking if at in chosen)

    def change(self, draft: Draft, scene: Scene, aims: Sequence[Aim]) -> None:
        for aim in aims:
            draft.drop(aim.at.message, aim.at.block, aim.reason)


def _runs(scene: Scene, number: int) -> Iterator[tuple[list[Position], list[Position]]]:
    """Each run of thinking in a reply, with the blocks up to the next one."""
    message = scene.messages[number]
    if message.role is not Role.ASSISTANT:
        return
    thinking: list[Position] = []
    led_to: list[Position] = []
    for j, block in enumerate(message.blocks):
        if isinstance(block, Thinking):
            if led_to and thinking:
                yield thinking, led_to
                thinking = []
            led_to = []
            thinking.append(Position(number, j))
        else:
            led_to.append(Position(number, j))
    if thinking:
        yield thinking, led_to


def _order(at: Position) -> tuple[int, int]:
    return at.message, at.block
