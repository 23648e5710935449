"""The newest turns stay, and a line or a summary stands for the others behind a boundary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from app.compactability.turns import turns_of
from app.edits.drop_before import DropBefore
from app.stages.base import Context, Messages, StageResult, option


@dataclass(frozen=True, kw_only=True)
class KeepLastTurns(DropBefore):
    """Drops everything before the newest turns; a turn starts at a message you typed."""

    name: ClassVar[str] = "keep_last_turns"
    title: ClassVar[str] = "keep last turns"
    strategy: ClassVar[str] = "keep-last-turns"
    needs_keys: ClassVar[bool] = False

    turns: int = option(3, "newest turns to keep", unit="turns", minimum=1)

    def __call__(self, messages: Messages, context: Context) -> StageResult:
        turns = list(turns_of(messages))
        if len(turns) <= self.turns:
            return self.idle(messages, context, f"there are only {len(turns)} turns")
        return self.begin_at(turns[-self.turns].start, messages, context)
