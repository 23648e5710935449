"""Still over the limit after the gentler stages: the oldest turns go (seed 000)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from msgspec.structs import replace

from app.stages.base import Context, Messages, Stage, StageResult, option
from app.stages.ranges import all_user_text, drop_range, prologue, words_of_request
from app.stages.survey import Survey


@dataclass(frozen=True, kw_only=True)
class RetainTail(Stage):
    """Drops whole old turns, as a last resort: only while both size and count are over their limits."""

    name: ClassVar[str] = "retain_tail"
    title: ClassVar[str] = "retain tail"

    max_total_chars: int = option(
        80_000, "run only above this conversation size", unit="characters", minimum=0
    )
    max_messages: int = option(40, "messages of the tail", unit="messages", minimum=0)
    keep_first_user: bool = option(True, "keep the user's first request before the tail")

    def __call__(self, messages: Messages, context: Context) -> StageResult:
        estimator = context.estimator
        survey = context.survey(messages)
        size = survey.total(estimator)
        idle = StageResult(messages, size_before=size)
        if size <= self.max_total_chars:
            within = f"{size:,} {estimator.unit} are within {self.max_total_chars:,}"
            return replace(idle, note=f"{within}: earlier stages freed enough")
        if len(messages) <= self.max_messages:
            return replace(idle, note=f"{len(messages)} messages are within {self.max_messages}")
        candidates = range(len(messages) - self.max_messages, len(messages))
        start = next((i for i in candidates if all_user_text(messages[i])), None)
        if start is None:
            return replace(idle, note="no user message that could begin the tail: nothing is dropped")
        return self._drop_before(start, survey, context, idle)

    def _drop_before(self, start: int, survey: Survey, context: Context, idle: StageResult) -> StageResult:
        messages = survey.messages
        front = min(prologue(messages), start)
        protection = context.protection if self.protect else context.protection.only_pinned()
        spare = words_of_request(messages) if self.keep_first_user else ()
        reason = f"older than the last {len(messages) - start} messages"
        before = drop_range(survey, front, start, protection, reason, spare)
        if not before.removed and not before.changes:
            return replace(
                idle, note="nothing older than the tail can be removed", protected=before.protected
            )
        line = (
            f"compact.run stage=retain droppedMessages={before.removed} estimated={idle.size_before}"
            " overThreshold=true strategy=retain"
        )
        return StageResult(
            messages[:front] + before.kept + messages[start:],
            before.changes,
            trace=(line,),
            protected=before.protected,
            size_before=idle.size_before,
        )
