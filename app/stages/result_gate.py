"""Cuts the middle of long results that the model has seen often enough, once the conversation is long.

Before the latch opens nothing is changed, which keeps the provider's prompt cache valid. A saved session is
replayed: its model calls are visited in order, the latch opens when the prompt size crosses the limit, and
results present at that moment are never cut. No counter is written into the session.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from msgspec.structs import replace

from app.compactability.placeholders import CUT_MIDDLE, compacted_form
from app.display import counted
from app.errors import BadPipeline
from app.stages.base import ChangeKind, Context, Messages, Stage, StageResult, option
from app.stages.cut_middle import cut_middle
from app.stages.draft import Draft, ResultAt
from app.stages.prompt_sizes import PromptSize
from app.stages.replay import Replay, ReplayOutcome, WatchedResult
from app.stages.tool_list import aliases_option, is_listed

TOOLS = (
    "read",
    "glob",
    "grep",
    "bash",
    "web_search",
    "web_fetch",
    "mcp__browser-mcp__web_search",
    "mcp__browser-mcp__fetch_page",
)


@dataclass(frozen=True, kw_only=True)
class ResultGate(Stage):
    """Cuts the middle of long results that came after the latch opened, once enough prompts held them."""

    name: ClassVar[str] = "result_gate"
    title: ClassVar[str] = "8K gate"

    open_at_tokens: int = option(
        100_000, "prompt size at which the latch opens, for good", unit="tokens", minimum=0
    )
    max_result_chars: int = option(
        8192, "results up to this length are left whole", unit="characters", minimum=1
    )
    head_chars: int = option(4096, "first characters to keep", unit="characters", minimum=0)
    tail_chars: int = option(1024, "last characters to keep", unit="characters", minimum=0)
    views: int = option(3, "prompts that may contain a result whole", unit="model calls", minimum=0)
    tools: tuple[str, ...] = option(TOOLS, "tools whose results pass the gate; * matches any ending")
    aliases: str = aliases_option()
    whole_graphemes: bool = option(True, "never cut inside a user-perceived character")

    def __post_init__(self) -> None:
        left = self.head_chars + len(CUT_MIDDLE) + self.tail_chars
        if left > self.max_result_chars:
            raise BadPipeline(
                f"result_gate: head_chars, tail_chars and the marker of {len(CUT_MIDDLE)} add up to {left},"
                f" more than max_result_chars, which is {self.max_result_chars}"
            )

    def __call__(self, messages: Messages, context: Context) -> StageResult:
        return self.walk(messages, context.survey(messages).readings(context.counts), context)

    def walk(self, messages: Messages, readings: Sequence[PromptSize], context: Context) -> StageResult:
        """Replay these prompts in order and return the resulting conversation."""
        walk = _Walk(self, messages, context, readings)
        for number, reading in enumerate(readings, 1):
            if not walk.is_settled or reading.restarted:
                walk.meet(number, reading)
        return walk.finish()


class _Walk:
    """One replay: the latch, the frozen results, and the results that wait for their last view."""

    def __init__(
        self, gate: ResultGate, messages: Messages, context: Context, readings: Sequence[PromptSize]
    ) -> None:
        self._gate = gate
        self._draft = Draft(gate, messages, context)
        survey = context.survey(messages)
        self._results = survey.results
        self._replies = survey.replies
        self._long = sorted(survey.longer_than(gate.max_result_chars))
        self._readings = readings
        self._latch: dict[int, bool] = {}
        self._cuts: dict[int, tuple[str, ...]] = {}
        self._largest: PromptSize | None = None
        self._close()

    def _close(self) -> None:
        self._opened_at: int | None = None
        self._frozen_ids: frozenset[str] = frozenset()
        self.is_settled = False
        """Whether no further prompt can change anything, unless the agent is restarted."""
        self._next = 0
        """Index of the first long result that no moment since the latch opened was ripe for."""

    def meet(self, number: int, reading: PromptSize) -> None:
        """The moment before call `number`: the latch may open, or ripe results are cut."""
        after, tokens, _, _, restarted = reading
        if restarted:
            self._close()
            self._latch[number] = False
        if tokens is None or tokens < 0:
            return
        if self._opened_at is None:
            # What is the largest is told only where it never opened.
            if self._largest is None or tokens > (self._largest.tokens or 0):
                self._largest = reading
            if tokens >= self._gate.open_at_tokens:
                self._open(number, after)
        elif cut := tuple(self._cut_ripe(after)):
            self._cuts[number] = cut
        self.is_settled = self._opened_at is not None and self._next == len(self._long)

    def _open(self, number: int, after: int) -> None:
        self._opened_at = number
        self._latch[number] = True
        self._next = bisect_left(self._long, after, key=lambda at: at.message)
        there = bisect_left(self._results, after, key=lambda at: at.message)
        self._frozen_ids = frozenset(at.result.tool_use_id for at in self._results[:there])

    def _cut_ripe(self, after: int) -> Iterator[str]:
        """Settle every long result that has had its views by now; gives the keys of those that are cut."""
        while self._next < len(self._long):
            at = self._long[self._next]
            if at.message >= after or self._seen(at, after) < self._gate.views:
                return
            self._next += 1
            if self._why_spared(at) is None and self._cut(at):
                yield at.result.key

    def _seen(self, at: ResultAt, after: int) -> int:
        """Prompts that held a result by the time that `after` messages were there."""
        return bisect_left(self._replies, after) - bisect_left(self._replies, at.message)

    def _cut(self, at: ResultAt) -> bool:
        gate = self._gate
        new = cut_middle(at.result, gate.head_chars, gate.tail_chars, whole_graphemes=gate.whole_graphemes)
        reason = f"seen whole in {gate.views} prompts and longer than {gate.max_result_chars:,} characters"
        return self._draft.put(at, new, ChangeKind.CUT, reason)

    def _why_spared(self, at: ResultAt) -> str | None:
        """Why a long result is no candidate, in words; None when it is one."""
        gate, context = self._gate, self._draft.context
        if at.result.tool_use_id in self._frozen_ids:
            return "frozen"
        if at.result.is_error:
            return "failed"
        if not is_listed(at.tool, gate.tools, gate.aliases, context):
            return "its tool is not in the list"
        if compacted_form(at.result) is not None:
            return "already cut"
        return None

    def finish(self) -> StageResult:
        """The result of the replay."""
        replay = self._replay()
        if self._opened_at is None:
            largest = "none is recorded" if self._largest is None else _measured(self._largest)
            closed = f"the latch opens at {self._gate.open_at_tokens:,} tokens; largest prompt: {largest}"
            result = self._draft.finish(idle=closed)
        else:
            moment = self._readings[self._opened_at - 1]
            opened = f"the latch opened at call {self._opened_at} of {len(self._readings)}"
            frozen = f"{opened} with {_measured(moment)}; frozen: {counted(len(replay.frozen), 'result')}"
            trace = (
                f"gate.open call={self._opened_at} tokens={moment.tokens}"
                f" recorded={str(moment.recorded).lower()} frozen={len(replay.frozen)}",
                f"gate.cut results={self._draft.changed}",
            )
            result = self._draft.finish(trace=trace, idle=frozen, note=frozen)
        return replace(result, replay=replay)

    def _replay(self) -> Replay:
        opened = self._opened_at
        if opened is None:
            return Replay(self._readings, self._latch, self._cuts, (), None, frozenset())
        cut_at = {key: number for number, keys in self._cuts.items() for key in keys}
        watched = (self._watched(number, at, opened, cut_at) for number, at in enumerate(self._long))
        frozen = (at.result.key for at in self._results if at.result.tool_use_id in self._frozen_ids)
        return Replay(self._readings, self._latch, self._cuts, tuple(watched), opened, frozenset(frozen))

    def _watched(self, number: int, at: ResultAt, opened_at: int, cut_at: Mapping[str, int]) -> WatchedResult:
        key, seen = at.result.key, self._seen(at, len(self._draft.messages))
        if key in cut_at:
            return WatchedResult(key, ReplayOutcome.CUT, f"cut before call {cut_at[key]}", self._gate.views)
        if at.result.tool_use_id in self._frozen_ids:
            return WatchedResult(key, ReplayOutcome.FROZEN, f"before the latch opened at call {opened_at}")
        spared = self._why_spared(at)
        if spared is None and number < self._next:
            spared = self._draft.protection.keeps_text(key) or "the cut would not be shorter"
        if spared is not None:
            return WatchedResult(key, ReplayOutcome.SPARED, spared, seen)
        return WatchedResult(
            key, ReplayOutcome.WAITING, f"seen in {seen} of {self._gate.views} prompts", seen
        )


def _measured(moment: PromptSize) -> str:
    return f"{moment.tokens:,} tokens ({'as recorded' if moment.recorded else 'estimated'})"
