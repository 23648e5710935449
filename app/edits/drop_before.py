"""Everything before a row goes, and a line or a summary stands for it behind a boundary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from app.edits.spans import MARKER, STRUCTURED, SpanEdit, dropped_marker, structured
from app.model import Author
from app.stages.base import Context, Messages, StageResult, option


@dataclass(frozen=True, kw_only=True)
class DropBefore(SpanEdit):
    """Drops everything before the message of the first given row."""

    name: ClassVar[str] = "drop_before"
    title: ClassVar[str] = "drop before"
    strategy: ClassVar[str] = "drop-before"

    leave: str = option(
        MARKER, "what replaces it: one line, or a summary by rules", choices=(MARKER, STRUCTURED)
    )
    keep_first_user: bool = option(False, "keep your first request, after the boundary")

    def __call__(self, messages: Messages, context: Context) -> StageResult:
        named = self.scene(messages, context).named(self.keys)
        if not named:
            return self.idle(messages, context, "the row is not in the conversation as it is now")
        return self.begin_at(named[0].at.message, messages, context)

    def begin_at(self, index: int, messages: Messages, context: Context) -> StageResult:
        """The conversation begun at message `index`."""
        cut = self.cut_before(messages, index, context, keep_earlier=True, keep_first=self.keep_first_user)
        if self.leave == STRUCTURED:
            return self.behind_boundary(cut, structured(cut, context), Author.SUMMARY, context)
        return self.behind_boundary(cut, dropped_marker(cut), Author.MARKER, context)
