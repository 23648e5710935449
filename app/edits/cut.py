"""Texts lose their middle: so many lines or characters of both ends stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import ClassVar, Final

from msgspec.structs import replace

from app.compactability import CUT_MIDDLE
from app.edits.base import Aim, BlockEdit, allow_words_option
from app.edits.scene import Obstacle, Position, Scene
from app.model import Held, Text, ToolResult, ToolUse, text_of
from app.stages.base import ChangeKind, option
from app.stages.cut_middle import without
from app.stages.draft import Draft
from app.stages.graphemes import whole_end, whole_start

LINES: Final = "lines"
CHARACTERS: Final = "characters"

CUT_TEXT: Final = "\n\n[... middle cut ...]\n\n"
"""What stands for the middle of a text that is no result."""

NO_WORDS: Final = Obstacle("neither text nor a result")


@dataclass(frozen=True, kw_only=True)
class Cut(BlockEdit):
    """Cuts the middle out of results and texts, never inside a user-perceived character."""

    name: ClassVar[str] = "cut"
    title: ClassVar[str] = "cut"
    done: ClassVar[str] = "cut"
    unfit: ClassVar[str] = (
        "nothing in it is longer than what would be kept (for long lines use unit=characters)"
    )

    head: int = option(20, "how much of the beginning to keep", minimum=0)
    tail: int = option(10, "how much of the end to keep", minimum=0)
    unit: str = option(LINES, "unit of head and tail", choices=(LINES, CHARACTERS))
    allow_words: bool = allow_words_option()

    @property
    def words_allowed(self) -> bool:
        return self.allow_words

    def aims(self, scene: Scene) -> Sequence[Aim]:
        aims: dict[Position, Aim] = {}
        for named in scene.named(self.keys):
            block = scene.block(named.at)
            if isinstance(block, Text | ToolResult):
                aims[named.at] = Aim(named.at, self.why_text_stays(scene, named.at))
            elif isinstance(block, ToolUse):
                results = [at for at in scene.results_of(named.at) if at not in aims]
                aims |= {at: Aim(at, self.why_text_stays(scene, at)) for at in results}
                if not results and named.by_itself and not scene.results_of(named.at):
                    aims[named.at] = Aim(named.at, NO_WORDS)
            elif named.by_itself:
                aims[named.at] = Aim(named.at, self.why_text_stays(scene, named.at) or NO_WORDS)
        return list(aims.values())

    def change(self, draft: Draft, scene: Scene, aims: Sequence[Aim]) -> None:
        for aim in aims:
            block = scene.block(aim.at)
            text = text_of(block)
            start, end = self._middle(text)
            marker = CUT_MIDDLE if isinstance(block, ToolResult) else CUT_TEXT
            if end - start <= len(marker):
                continue
            if isinstance(block, ToolResult):
                new: Text | ToolResult = replace(block, parts=without(block.parts, start, end, marker))
            else:
                assert isinstance(block, Text), "aims hold texts and results"
                # No provider takes a final text that ends in white space.
                rest = marker + text[end:] if end < len(text) else marker.rstrip()
                new = replace(block, content=Held(text[:start] + rest))
            draft.change(aim.at.message, aim.at.block, new, ChangeKind.CUT, "cut by you")

    def _middle(self, text: str) -> tuple[int, int]:
        """Where what goes starts and ends, in code points."""
        if self.unit == CHARACTERS:
            start, end = min(self.head, len(text)), max(0, len(text) - self.tail)
            return len(whole_start(text, text[:start])), whole_end(text, end)
        lines = [len(line) + 1 for line in text.removesuffix("\n").split("\n")]
        ends = [0, *accumulate(lines[:-1]), len(text)]
        return ends[min(self.head, len(lines))], ends[max(0, len(lines) - self.tail)]
