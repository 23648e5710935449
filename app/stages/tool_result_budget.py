"""One result is too big: cut it (seed 000, `applyToolResultBudget`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from app.compactability.placeholders import CUT_TAIL, compacted_form
from app.model import chars_of, text_of
from app.stages.base import ChangeKind, Context, Messages, Stage, StageResult, option
from app.stages.draft import Draft, results_of
from app.stages.graphemes import whole_start


@dataclass(frozen=True, kw_only=True)
class ToolResultBudget(Stage):
    """Cuts each tool_result that is longer than a limit, whether or not the conversation is full."""

    name: ClassVar[str] = "tool_result_budget"
    title: ClassVar[str] = "budget"

    max_result_chars: int = option(4000, "longest result that is left whole", unit="characters", minimum=0)
    whole_graphemes: bool = option(True, "a cut moves back to a whole user-perceived character")

    def __call__(self, messages: Messages, context: Context) -> StageResult:
        estimator = context.estimator
        draft = Draft(self, messages, context)
        for at in results_of(messages):
            # A text is never longer in this unit than twice its code points, so most are not read.
            if 2 * chars_of(at.result) <= self.max_result_chars or compacted_form(at.result):
                continue
            text = text_of(at.result)
            length = estimator.length(text)
            if length <= self.max_result_chars or text.endswith(CUT_TAIL):
                continue
            start = estimator.cut(text, self.max_result_chars)
            if self.whole_graphemes:
                start = whole_start(text, start)
            draft.set_text(
                at,
                start + CUT_TAIL,
                ChangeKind.CUT,
                f"result of {length:,} {estimator.unit} is over {self.max_result_chars:,}",
            )
        return draft.finish(
            trace=(f"compact.run stage=budget truncatedBlocks={draft.changed} strategy=truncate",),
            idle=f"no result is longer than {self.max_result_chars:,} {estimator.unit}",
            size_before=estimator.total(messages),
        )
