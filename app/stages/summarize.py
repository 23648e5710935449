"""What came before is replaced by a summary behind a boundary (MiniCode, learn-claude-code)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from msgspec.structs import replace

from app.stages.base import Context, Messages, StageResult, option
from app.stages.boundary_message import tokens_of
from app.stages.cut_points import weigh
from app.stages.summarizing import Summarizing


@dataclass(frozen=True, kw_only=True)
class Summarize(Summarizing):
    """Writes a summary once the conversation is too large, and restarts it after a boundary."""

    name: ClassVar[str] = "summarize"
    title: ClassVar[str] = "summarize"

    when: str = option(
        "high-water",
        "run at a share of the window, over a size in the pipeline's measure, over min_messages, or always",
        choices=("high-water", "over-threshold", "over-count", "always"),
    )
    window_tokens: int = option(0, "high-water: the window; 0: the model's", unit="tokens", minimum=0)
    high_water: float = option(0.85, "high-water: share of the window at which it runs", minimum=0, maximum=1)
    usage_tokens: int = option(
        0, "high-water: tokens in the window as measured elsewhere; 0: estimate", unit="tokens", minimum=0
    )
    max_total_chars: int = option(
        50_000, "over-threshold: run only above this size", unit="characters", minimum=0
    )
    max_failures: int = option(3, "failures in a row after which it stops until reset; 0: never", minimum=0)

    def __call__(self, messages: Messages, context: Context) -> StageResult:
        size = context.survey(messages).total(context.estimator)
        idle = StageResult(messages, size_before=size)
        if self.max_failures and context.failures >= self.max_failures:
            stopped = f"stopped after {context.failures} failures in a row; reset it to try again"
            return replace(idle, note=stopped)
        if within := self._within(messages, size, context):
            return replace(idle, note=within)
        trigger = "manual" if self.when == "always" else "auto"
        result = self.summarised(messages, context, self.usage_tokens or size, trigger)
        return replace(result, size_before=size)

    def _within(self, messages: Messages, size: int, context: Context) -> str:
        """Why there is no need yet; empty when there is."""
        match self.when:
            case "high-water":
                window = self.window_tokens or context.window_tokens
                used = self.usage_tokens or tokens_of(messages, context) or 0
                mark = int(window * self.high_water)
                # What others of this program show is counted by tokenizer, and is another number.
                whose = " (MiniCode's count)" if context.estimator.name == "minicode" else ""
                under = f"{used:,} tokens{whose} are under the high-water mark of {mark:,}"
                return "" if used >= mark else under
            case "over-count":
                count = weigh(context.survey(context.survey(messages).rest), self.counts)
                within = f"{count:,} {self.counts} are within {self.min_messages:,}"
                return "" if count > self.min_messages else within
            case "over-threshold" if size <= self.max_total_chars:
                return f"{size:,} {context.estimator.unit} are within {self.max_total_chars:,}"
            case _:
                return ""
