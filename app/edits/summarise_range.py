"""From one row to another: one message that says what was there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from app.display import counted
from app.edits.scene import Scene
from app.edits.spans import HEADING, STRUCTURED, SpanEdit, has_summary, structured
from app.model import Author, Boundary
from app.stages.base import Context, Messages, Protection, StageResult, option
from app.stages.boundary_message import boundary_message, index_line, made_change, sized
from app.stages.cut_points import whole_pairs_before, whole_pairs_behind
from app.stages.ranges import drop_range, prologue
from app.summarizers import SummaryRequest
from app.summarizers.model import summary_request
from app.summarizers.structured import structured_summary

HAND: Final = "hand"
MODEL: Final = "model"

ANY_TEXT: Final = "some text"
"""Stands for a text that is still to be written, when it is asked whether it could be put in."""

NO_EXCHANGE: Final = "these rows contain no complete call/result pair"


@dataclass(frozen=True, kw_only=True)
class SummariseRange(SpanEdit):
    """Replaces the messages from the first to the last given row with a summary.

    Where they are the first of the conversation it stands behind a boundary, else between its neighbours.
    The stretch is made smaller where a call or a result of it has its other half outside.
    """

    name: ClassVar[str] = "summarise_range"
    title: ClassVar[str] = "summarise"
    strategy: ClassVar[str] = "range"

    source: str = option(
        STRUCTURED, "by rules, written by you, or from a model", choices=(STRUCTURED, HAND, MODEL)
    )
    text: str = option("", "hand, model: the summary")
    input_chars: int = option(
        80_000, "model: characters of the rows to summarise, at most", unit="characters", minimum=1
    )

    def why_not(self, messages: Messages, context: Context) -> str | None:
        if self.source != STRUCTURED and not self.text.strip():
            return "the summary has no text yet"
        return super().why_not(messages, context)

    def request(self, messages: Messages, context: Context) -> SummaryRequest:
        """What a model would be asked for the text; the answer is given back as `text`."""
        start, end = self._stretch(self.scene(messages, context))
        return summary_request(messages[start:end], self.input_chars)

    def draft(self, messages: Messages, context: Context) -> str:
        """What the rules would say of the stretch; empty for no stretch."""
        start, end = self._stretch(self.scene(messages, context))
        return structured_summary(messages[start:end]) if start < end else ""

    def __call__(self, messages: Messages, context: Context) -> StageResult:
        scene = self.scene(messages, context)
        start, end = self._stretch(scene)
        if start >= end or (self.source != STRUCTURED and not self.text.strip()):
            return self.idle(messages, context, NO_EXCHANGE)
        if start <= prologue(messages):
            return self._at_front(messages, end, context)
        return self._between(messages, start, end, context)

    def _stretch(self, scene: Scene) -> tuple[int, int]:
        """Index of the first message and of the one behind the last."""
        named = scene.named(self.keys)
        if not named:
            return 0, 0
        messages = scene.messages
        start, end = named[0].at.message, named[-1].at.message + 1
        if start > prologue(messages):
            start = whole_pairs_behind(messages, start)
        return start, whole_pairs_before(messages, end)

    def _at_front(self, messages: Messages, end: int, context: Context) -> StageResult:
        written = self.source != STRUCTURED
        # A text that was written for it stands for an earlier summary too, if that was chosen.
        keep_earlier = not (written and has_summary(messages[:end], self.keys))
        cut = self.cut_before(messages, end, context, keep_earlier=keep_earlier)
        text = HEADING + self.text.strip() if written else structured(cut, context)
        return self.behind_boundary(cut, text, Author.SUMMARY, context)

    def _between(self, messages: Messages, start: int, end: int, context: Context) -> StageResult:
        stays = self._newest_stays(messages, context)
        drop = drop_range(context.survey(messages), start, end, stays, "replaced by a summary")
        if not drop.removed:
            return self.idle(messages, context, "nothing in it can be removed", drop.protected)
        if refused := self.why_words_stay(drop.changes):
            return self.idle(messages, context, refused)
        boundary = Boundary("", "manual", self.strategy, context.now, removed=drop.removed, hides=False)
        text = self._text(messages[start:end], drop.removed) + index_line(context, drop.gone, drop.kept)
        made = boundary_message(drop.first, text, Author.SUMMARY, boundary)
        after = sized((*messages[:start], made, *drop.kept, *messages[end:]), start, messages, context)
        reason = f"replaces {counted(drop.removed, 'message')}, by {self.source}"
        result = StageResult(
            after,
            (*drop.changes, made_change(made.blocks[0], reason)),
            boundary=after[start].boundary,
            protected=drop.protected,
            size_before=context.estimator.total(messages),
        )
        return self.proved(messages, result, context)

    def _newest_stays(self, messages: Messages, context: Context) -> Protection:
        """Protection in which the newest reply is always held: it only goes behind a boundary."""
        protection = self.protection(messages, context)
        newest = self.scene(messages, context).newest
        held = {block.key: "newest reply of the model" for block in messages[newest].blocks if newest >= 0}
        return Protection({**held, **protection.text}, protection.place, protection.pinned)

    def _text(self, gone: Messages, removed: int) -> str:
        said = structured_summary(gone) if self.source == STRUCTURED else self.text.strip()
        return f"[Summary of {removed} {'message' if removed == 1 else 'messages'}]\n\n{said}"
