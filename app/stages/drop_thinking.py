"""Thinking of older turns goes, and of a turn either all of it or none."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from app.stages.base import Context, Messages, Stage, StageResult, option
from app.stages.draft import Draft
from app.stages.survey import Survey


@dataclass(frozen=True, kw_only=True)
class DropThinking(Stage):
    """Removes the thinking of whole turns, oldest first; never from the turn of the newest reply.

    Providers refuse a changed thinking block, and one that lacks others of its message; a turn without
    any is accepted.
    """

    name: ClassVar[str] = "drop_thinking"
    title: ClassVar[str] = "drop thinking"

    keep_turns: int = option(1, "newest turns that keep their thinking", unit="turns", minimum=0)

    def __call__(self, messages: Messages, context: Context) -> StageResult:
        draft = Draft(self, messages, context)
        survey = context.survey(messages)
        kept = 0
        for found in self._of_older_turns(survey) if survey.thinking else ():
            if draft.is_met:
                break
            kept += self._drop(found, draft)
        draft.protected = kept
        return draft.finish(
            trace=(f"compact.run stage=thinking droppedBlocks={draft.changed} strategy=drop_thinking",),
            idle="no other turn has thinking to drop",
        )

    def _of_older_turns(self, survey: Survey) -> Iterator[Sequence[tuple[int, int]]]:
        """The thinking of each turn that may lose its own, by message and block."""
        newest, first = survey.replies[-1] if survey.replies else -1, 0
        for turn in survey.turns[: max(0, len(survey.turns) - self.keep_turns)]:
            if newest in turn:
                return
            behind = bisect_left(survey.thinking, (turn.stop, 0), first)
            if behind > first:
                yield survey.thinking[first:behind]
            first = behind

    def _drop(self, found: Sequence[tuple[int, int]], draft: Draft) -> int:
        """Take out all thinking of a turn; gives the blocks that stay because one of them must."""
        if any(draft.protection.keeps_place(draft.messages[i].blocks[j].key) for i, j in found):
            return len(found)
        for i, j in found:
            draft.drop(i, j, "thinking of an older turn")
        return 0
