"""The provider refused the request as too long: ever harder cuts (MiniCode, learn-claude-code)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from msgspec import structs

from app.model import Author, Boundary
from app.refusal import Refusal
from app.stages.base import Context, Messages, StageResult, option
from app.stages.boundary_message import tokens_of
from app.stages.cut_points import tail_of, weigh, whole_pairs_before
from app.stages.replace_before import cut_at, replaced
from app.stages.summarizing import Summarizing
from app.summarizers import SOURCES

_USABLE = 0.97
"""Share of a window that can be filled before requests are refused."""
_MARGIN = 0.9
"""Share of that which a recovered conversation may fill, since figures are estimates."""


@dataclass(frozen=True, kw_only=True)
class Recover(Summarizing):
    """Cuts a conversation that a provider refused: first a summary, then ever shorter tails."""

    name: ClassVar[str] = "recover"
    title: ClassVar[str] = "recover"

    source: tuple[str, ...] = option(
        ("structured",), "sources of the summary; the first that has one is used", choices=SOURCES
    )
    keep_first_user: bool = option(True, "keep the user's first request where no summary includes it")
    heading: str = option("[Reactive compact]\n\n", "model, hand: how the message begins")
    attempts: int = option(3, "refusals in a row to handle before giving up", minimum=1)
    full_first: bool = option(True, "first try a summary, if the conversation then fits")
    ratios: tuple[float, ...] = option(
        (0.30, 0.20, 0.15),
        "share of the messages kept at each attempt; none: only the summary",
        minimum=0,
        maximum=1,
    )
    floor_messages: int = option(3, "messages to keep at least", unit="messages", minimum=1)
    window_tokens: int = option(
        0, "the window; 0: the one the refusal names, or the model's", unit="tokens", minimum=0
    )

    def __call__(self, messages: Messages, context: Context) -> StageResult:
        size = context.survey(messages).total(context.estimator)
        idle = StageResult(messages, size_before=size)
        refusal = context.refusal
        if refusal is None:
            return structs.replace(idle, note="no provider refused the conversation as too long")
        if refusal.attempt > self.attempts:
            tried = "1 attempt" if self.attempts == 1 else f"{self.attempts} attempts"
            return structs.replace(idle, note=f"gives up: {tried} did not make it fit", failed=True)
        if self.full_first and refusal.attempt == 1:
            first = self._summary(messages, context, size)
            if not self.ratios or (
                first.boundary is not None and self._fits(first.messages, messages, context)
            ):
                return first
            if self._fits(messages, messages, context):
                return structs.replace(idle, note="by the estimate it fits already")
        return self._truncated(messages, context, refusal, idle)

    def _summary(self, messages: Messages, context: Context, size: int) -> StageResult:
        """A summary in the place of all but the tail; the first request is part of it."""
        stage = replace(self, keep_first_user=False)
        return structs.replace(
            stage.summarised(messages, context, size, "reactive", "recover"), size_before=size
        )

    def _truncated(
        self, messages: Messages, context: Context, refusal: Refusal, idle: StageResult
    ) -> StageResult:
        """Only a tail, its share of the messages as the attempt says."""
        if not self.ratios:
            return structs.replace(idle, note="no share of the messages is set for this attempt", failed=True)
        ratio = self.ratios[min(refusal.attempt, len(self.ratios)) - 1]
        survey = context.survey(messages)
        rest = survey.rest
        # A share such as 0.3 is a little less than it says, and 3 of 10 must not become 2.
        keep = max(self.floor_messages, int(weigh(context.survey(rest), self.counts) * ratio + 1e-9))
        cut = cut_at(
            survey,
            whole_pairs_before(rest, tail_of(rest, keep, self.counts)),
            context.protection if self.protect else context.protection.only_pinned(),
            f"not among the newest {keep} {self.counts}",
            keep_earlier=True,
            keep_first_user=self.keep_first_user,
        )
        if not cut.removed:
            return structs.replace(
                idle, note="nothing before the tail can be removed", failed=True, protected=cut.protected
            )
        text = (
            f"[Context aggressively truncated for recovery — attempt {refusal.attempt}]\n"
            "Earlier conversation was removed to fit context limits."
        )
        boundary = Boundary("", "reactive", "recover")
        reason = f"replaces {cut.removed} messages"
        result = replaced(cut, text, Author.MARKER, boundary, context, reason)
        fits = self._fits(result.messages, messages, context)
        note = "" if fits else "still too long by the estimate: another refusal cuts more"
        return structs.replace(result, note=note)

    def _fits(self, after: Messages, before: Messages, context: Context) -> bool:
        """Whether a conversation has room now, its estimate set right by what the provider counted."""
        refusal = context.refusal
        size, was = tokens_of(after, context), tokens_of(before, context)
        if size is None or was is None:
            return False
        known = refusal.room if refusal is not None else None
        window = self.window_tokens or known or context.window_tokens
        real = refusal.tokens if refusal is not None and refusal.tokens and was else None
        scale = max(1.0, real / was) if real else 1.0
        return size * scale < int(window * _USABLE) * _MARGIN
