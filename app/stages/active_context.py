"""The view starts at the newest boundary: what lies before it was summarised already (MiniCode)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from app.model import Role
from app.stages.base import Context, Messages, Stage, StageResult
from app.stages.clock import clock
from app.stages.ranges import drop_range
from app.stages.survey import Survey


@dataclass(frozen=True, kw_only=True)
class ActiveContext(Stage):
    """Narrows the conversation to what follows its newest boundary that hides earlier messages."""

    name: ClassVar[str] = "active_context"
    title: ClassVar[str] = "active"

    def __call__(self, messages: Messages, context: Context) -> StageResult:
        survey = context.survey(messages)
        size = survey.total(context.estimator)
        start = view_start(survey)
        boundary = messages[start].boundary if start is not None else None
        if start is None or boundary is None:
            nothing = "no earlier compaction: the view is the whole conversation"
            return StageResult(messages, note=nothing, size_before=size)
        when = "" if boundary.time is None else f" of {clock(boundary.time)} UTC"
        hidden = "" if boundary.removed is None else f", which removed {boundary.removed:,} messages"
        note = f"the view starts at the {boundary.trigger} compaction{when}{hidden}"
        protection = context.protection if self.protect else context.protection.only_pinned()
        system = {block.key for m in messages[:start] if m.role is Role.SYSTEM for block in m.blocks}
        drop = drop_range(survey, 0, start, protection, "before the newest boundary", system)
        if not drop.changes:
            return StageResult(messages, note=note, protected=drop.protected, size_before=size)
        front = tuple(message for message in drop.kept if message.role is Role.SYSTEM)
        kept = tuple(message for message in drop.kept if message.role is not Role.SYSTEM)
        return StageResult(
            (*front, messages[start], *kept, *messages[start + 1 :]),
            drop.changes,
            note=note,
            protected=drop.protected,
            size_before=size,
        )


def view_start(survey: Survey) -> int | None:
    """Index of the newest message that stands behind a boundary that hides; None without one."""
    for i in reversed(survey.notes):
        boundary = survey.messages[i].boundary
        if boundary is not None and boundary.hides:
            return i
    return None
