"""Thinking of older turns goes, and of a turn either all of it or none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from app.compactability.turns import turns_of
from app.model import Role, Thinking
from app.stages.base import Context, Messages, Stage, StageResult, option
from app.stages.draft import Draft


@dataclass(frozen=True, kw_only=True)
class DropThinking(Stage):
    """Takes out the thinking of whole turns, oldest first; the newest reply's turn is never touched.

    Providers refuse a changed thinking block, and one that lacks others of its message; a turn without
    any is accepted.
    """

    name: ClassVar[str] = "drop_thinking"
    title: ClassVar[str] = "drop thinking"

    keep_turns: int = option(1, "newest turns whose thinking stays", unit="turns", minimum=0)

    def __call__(self, messages: Messages, context: Context) -> StageResult:
        draft = Draft(self, messages, context)
        turns = list(turns_of(messages))
        newest = next((i for i in reversed(range(len(messages))) if messages[i].role is Role.ASSISTANT), -1)
        kept = 0
        for number, turn in enumerate(turns, 1):
            if draft.is_met or number > len(turns) - self.keep_turns or newest in turn:
                break
            kept += self._drop(turn, draft)
        draft.protected = kept
        return draft.finish(
            trace=(f"compact.run stage=thinking droppedBlocks={draft.changed} strategy=drop_thinking",),
            idle="no turn holds thinking but those that keep it",
        )

    def _drop(self, turn: range, draft: Draft) -> int:
        """Take out all thinking of a turn; gives the blocks that stay because one of them must."""
        found = [
            (i, j)
            for i in turn
            for j, block in enumerate(draft.messages[i].blocks)
            if isinstance(block, Thinking)
        ]
        if any(draft.protection.keeps_place(draft.messages[i].blocks[j].key) for i, j in found):
            return len(found)
        for i, j in found:
            draft.drop(i, j, "thinking of an older turn")
        return 0
