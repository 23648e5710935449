"""One result, or the newest batch of results, is too big: cut it, or save it and leave a preview.

Cutting is react-agent-mini's first step; saving each is MiniCode's second, saving the biggest of a
batch is learn-claude-code's first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from app.compactability.placeholders import CUT_TAIL, compacted_form, placeholder_form
from app.model import Role, text_of
from app.stages.base import ChangeKind, Context, Messages, Stage, StageResult, option
from app.stages.draft import Draft, ResultAt
from app.stages.graphemes import whole_start
from app.stages.saving import (
    HeadForm,
    LinesForm,
    SavedForm,
    Saver,
    check_folders,
    folder_option,
    root_option,
)


@dataclass(frozen=True, kw_only=True)
class ToolResultBudget(Stage):
    """Cuts or saves each result over a limit, or the biggest of the last batch until it fits."""

    name: ClassVar[str] = "tool_result_budget"
    title: ClassVar[str] = "budget"
    local: ClassVar[tuple[str, ...]] = ("root",)

    scope: str = option(
        "each",
        "each result by itself, or all results of the last message together",
        choices=("each", "last-batch"),
    )
    action: str = option(
        "truncate",
        "cut off the end, or save the whole result to a file and leave a preview",
        choices=("truncate", "save"),
    )
    max_result_chars: int = option(
        4000, "truncate: results up to this length are left whole", unit="characters", minimum=0
    )
    save_over_chars: int = option(
        4000, "save: results up to this length are left whole", unit="characters", minimum=0
    )
    max_batch_chars: int = option(
        200_000, "last-batch: run only if the batch is above this size", unit="characters", minimum=0
    )
    preview: str = option(
        "lines",
        "preview of a saved result: first 8 and last 3 lines (MiniCode's file and stub), or the head"
        " (file named by call id)",
        choices=("lines", "head"),
    )
    preview_chars: int = option(500, "longest preview", unit="characters", minimum=0)
    folder: str = folder_option()
    root: str = root_option()
    whole_graphemes: bool = option(True, "never cut inside a user-perceived character")

    def __post_init__(self) -> None:
        check_folders(self.name, self.folder, self.root)

    def __call__(self, messages: Messages, context: Context) -> StageResult:
        draft = Draft(self, messages, context)
        saver = Saver(draft, self.folder, self.root) if self.action == "save" else None
        if self.scope == "last-batch":
            idle = self._shrink_batch(draft, saver)
        else:
            idle = self._shrink_each(draft, saver)
        word, strategy = ("truncatedBlocks", "truncate") if saver is None else ("savedResults", "save")
        return draft.finish(
            trace=(f"compact.run stage=budget {word}={draft.changed} strategy={strategy}",), idle=idle
        )

    def _shrink_each(self, draft: Draft, saver: Saver | None) -> str:
        """Shorten what is over the limit, one by one; gives what to say when nothing was."""
        # A text is never longer in any unit than twice its code points, so most are not looked at.
        for at in sorted(draft.context.survey(draft.messages).longer_than(self._limit // 2)):
            if draft.is_met:
                break
            self._shrink(draft, saver, at)
        return f"no result is longer than {self._limit:,} {draft.context.estimator.length_unit}"

    def _shrink_batch(self, draft: Draft, saver: Saver | None) -> str:
        """Shorten the biggest of the last batch first, until it fits; gives what to say, as above."""
        estimator = draft.context.estimator
        results = draft.context.survey(draft.messages).results
        batch = [(estimator.length(text_of(at.result)), at) for at in _last_batch(draft.messages, results)]
        if not batch:
            return "the last message has no results"
        total = sum(length for length, _ in batch)
        if total <= self.max_batch_chars:
            return f"the last batch of {total:,} {estimator.length_unit} is within {self.max_batch_chars:,}"
        for length, at in sorted(batch, key=lambda sized: sized[0], reverse=True):
            if total <= self.max_batch_chars or draft.is_met:
                break
            if self._shrink(draft, saver, at) and draft.newest is not None:
                total -= length - estimator.length(text_of(draft.newest))
        return f"no result of the last batch is longer than {self._limit:,} {estimator.length_unit}"

    @property
    def _limit(self) -> int:
        return self.max_result_chars if self.action == "truncate" else self.save_over_chars

    def _shrink(self, draft: Draft, saver: Saver | None, at: ResultAt) -> bool:
        """Cut or save one result if it is over the limit; says whether it was done."""
        estimator = draft.context.estimator
        if 2 * at.chars <= self._limit or placeholder_form(at.result):
            return False
        text = text_of(at.result)
        length = estimator.length(text)
        if length <= self._limit:
            return False
        reason = f"result of {length:,} {estimator.length_unit} is over {self._limit:,}"
        if saver is not None:
            return saver.save(at, self._form, reason)
        if compacted_form(at.result) or text.endswith(CUT_TAIL):
            return False
        start = estimator.cut(text, self.max_result_chars)
        if self.whole_graphemes:
            start = whole_start(text, start)
        return draft.set_text(at, start + CUT_TAIL, ChangeKind.CUT, reason)

    @property
    def _form(self) -> SavedForm:
        form = LinesForm if self.preview == "lines" else HeadForm
        return form(self.preview_chars, self.whole_graphemes)


def _last_batch(messages: Messages, results: Sequence[ResultAt]) -> Iterator[ResultAt]:
    """The results of the last message, or of the run of result messages that it ends."""
    first = len(messages) - 1
    while first > 0 and messages[first].role is Role.TOOL and messages[first - 1].role is Role.TOOL:
        first -= 1
    return (at for at in results if at.message >= first)
