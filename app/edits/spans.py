"""What the edits of whole stretches share: one message takes their place, most often behind a boundary."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar, Final

from app.display import counted
from app.edits.base import Edit, allow_words_option
from app.edits.scene import ALLOW_WORDS, is_typed
from app.edits.soundness import why_unsound
from app.model import Author, Boundary, Role, blocks_of
from app.stages.base import Change, Context, Messages, Protection, StageResult
from app.stages.clock import clock
from app.stages.cut_points import whole_pairs_before
from app.stages.replace_before import Cut, cut_at, replaced
from app.summarizers import NO_SUMMARIES, Job, summarizer_named

STRUCTURED: Final = "structured"
MARKER: Final = "marker"
HEADING: Final = "[Compacted]\n\n"


@dataclass(frozen=True, kw_only=True)
class SpanEdit(Edit):
    """Base of the edits that put one message in the place of many."""

    strategy: ClassVar[str]
    """As on the boundary that it makes."""

    allow_words: bool = allow_words_option()

    def cut_before(
        self,
        messages: Messages,
        index: int,
        context: Context,
        *,
        keep_earlier: bool,
        keep_first: bool = False,
    ) -> Cut:
        """What would go if the conversation began at message `index`, or before it for the sake of a pair."""
        survey = context.survey(messages)
        cut = sum(message.role is not Role.SYSTEM for message in messages[:index])
        return cut_at(
            survey,
            whole_pairs_before(survey.rest, cut),
            self.protection(messages, context),
            "removed by you",
            keep_earlier=keep_earlier,
            keep_first_user=keep_first,
        )

    def behind_boundary(self, cut: Cut, text: str, author: Author, context: Context) -> StageResult:
        """The conversation with `text` behind a boundary in the place of what goes; else why it cannot be."""
        if not cut.removed:
            return self.idle(cut.given, context, "nothing before it can be removed", cut.protected)
        if refused := self.why_words_stay(cut.changes):
            return self.idle(cut.given, context, refused)
        boundary = Boundary("", "manual", self.strategy)
        reason = f"replaces {counted(cut.removed, 'message')}"
        return self.proved(cut.given, replaced(cut, text, author, boundary, context, reason), context)

    def proved(self, messages: Messages, result: StageResult, context: Context) -> StageResult:
        """The result, or the conversation as it was with the reason why the result will not do."""
        if unsound := why_unsound(messages, result.messages):
            return self.idle(messages, context, unsound)
        if context.estimator.total(result.messages) >= result.size_before:
            longer = "the replacement would not be shorter than what it replaces"
            return self.idle(messages, context, longer, result.protected)
        return result

    def protection(self, messages: Messages, context: Context) -> Protection:
        """The protection; the newest reply stays whole or not at all."""
        scene = self.scene(messages, context)
        newest = messages[scene.newest].blocks if scene.newest >= 0 else ()
        if any(scene.protection.keeps_place(block.key) for block in newest):
            text = {block.key: "newest reply of the model" for block in newest}
            return replace(scene.protection, text={**text, **scene.protection.text})
        return scene.protection

    def why_words_stay(self, changes: Iterable[Change]) -> str | None:
        """Why this may not be done for the sake of the person's own words; None when it may."""
        words = sum(change.before is not None and is_typed(change.before) for change in changes)
        if not words or self.allow_words:
            return None
        return (
            f"{counted(words, 'message')} of yours would be removed: this needs your consent ({ALLOW_WORDS})"
        )

    def idle(self, messages: Messages, context: Context, note: str, protected: int = 0) -> StageResult:
        """The unchanged conversation, with the reason."""
        size = context.estimator.total(messages)
        return StageResult(messages, note=note, protected=protected, size_before=size)


def structured(cut: Cut, context: Context) -> str:
    """What the rules find in what goes, as the message that stands for it."""
    job = Job(
        messages=cut.gone,
        gone=cut.gone,
        removed=cut.removed,
        total=len(cut.given),
        tokens=context.counts.total(cut.given),
        clock=clock(context.now),
        heading=HEADING,
        input_chars=0,
        summaries=NO_SUMMARIES,
    )
    return summarizer_named(STRUCTURED)(job).text


def dropped_marker(cut: Cut) -> str:
    """The line that says how many messages went, those of earlier compactions included."""
    number = cut.removed + cut.carried
    return f"[{number} earlier {'message' if number == 1 else 'messages'} dropped]"


def has_summary(messages: Messages, keys: Iterable[str]) -> bool:
    """Whether a message of these keys stands behind a boundary that hides what came before."""
    chosen = set(keys)
    return any(
        message.boundary is not None
        and message.boundary.hides
        and (message.key in chosen or block.key in chosen)
        for message, block in blocks_of(messages)
    )
