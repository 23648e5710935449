"""Computes the results of a session's steps by replaying them; results are cached."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import TypeAlias

from app.compactability import Judgement, ResultFacts
from app.edits import Edit
from app.model import Session, ToolUse, blocks_of
from app.pipeline import Pipeline
from app.stages.base import Action, Change, Context, Messages, Protection, Stage, StageResult, run_stage
from app.stages.protection import with_pins
from app.stages.survey import Survey, Surveys
from app.tokens import Estimator, TokenEstimator, estimator
from app.work.history import Edited, StageInputs, State


class Status(StrEnum):
    """The status of a pipeline stage."""

    DONE = "done"
    SKIPPED = "skipped"
    PREVIEW = "preview"
    WAITING = "waiting"


@dataclass(frozen=True)
class Step:
    """One stage or hand edit as it was run: its input and its result."""

    name: str
    number: int
    """1-based, in the pipeline; 0 for an edit."""
    status: Status
    action: Action
    """The stage or edit that was called."""
    before: Messages
    result: StageResult
    refused: frozenset[str] = frozenset()

    @property
    def edit(self) -> Edit | None:
        """The hand edit that this step is; None for a stage."""
        return self.action if isinstance(self.action, Edit) else None

    @property
    def label(self) -> str:
        """Its label for people: `2 microcompact`, or an edit's own words."""
        return f"{self.number} {self.name}" if self.edit is None else f"{self.edit.label} (by hand)"

    @property
    def changes(self) -> Sequence[Change]:
        return self.result.changes


Told: TypeAlias = Callable[[int, int], object]
"""Progress callback, called before each stage with the numbers of stages done and in all."""


def untold(done: int, of: int) -> None:
    """The progress callback that does nothing."""


class Walker:
    """Computes the steps of one session under one pipeline.

    Messages are compared by identity: the same walk returns the same tuples again.
    """

    def __init__(
        self,
        session: Session,
        pipeline: Pipeline,
        estimator: TokenEstimator,
        *,
        window_tokens: int,
        root: str,
        index: str,
        settled: bool,
    ) -> None:
        self._session = session
        self._pipeline = pipeline
        self._estimator = estimator
        self._window_tokens = window_tokens
        self._root = root
        self._index = index
        self._settled = settled
        self._memo: dict[object, Step] = {}
        self._surveys = Surveys()
        self._files: dict[int, Mapping[str, str]] = {}

    def steps(self, state: State) -> tuple[Step, ...]:
        """The stages accepted or skipped and the edits made, in order."""
        steps: list[Step] = []
        messages = self._session.live
        index = 0
        for taken in state.path:
            if isinstance(taken, Edited):
                step = self._edited(taken.edit, messages, state)
            else:
                step = self.stage(index, messages, state, Status.SKIPPED if taken.skipped else Status.DONE)
                index += 1
            messages = step.result.messages
            steps.append(step)
        return tuple(steps)

    def ahead(self, state: State, told: Told) -> tuple[Step, ...]:
        """`steps`, followed by the remaining stages as if each were accepted."""
        steps = list(self.steps(state))
        first, end = len(state.taken), len(self._pipeline.steps)
        for index in range(first, end):
            told(index - first, end - first)
            messages = steps[-1].result.messages if steps else self._session.live
            steps.append(self.stage(index, messages, state, Status.PREVIEW))
        return tuple(steps)

    def stage(self, index: int, messages: Messages, state: State, status: Status) -> Step:
        """Run the stage at that index on these messages."""
        planned = self._pipeline.steps[index]
        stage = planned.stage.with_options(state.options.get(planned.name, {}))
        refused = state.refused.get(planned.name, frozenset())
        skipped = status is Status.SKIPPED
        given = state.given(planned.name)
        key = (index, id(messages), stage, refused, state.pins, skipped, given)
        step = self._memo.get(key)
        if step is None:
            result = self._result(stage, messages, state.pins | refused, given, skipped)
            made = Step(planned.name, index + 1, status, stage, messages, result, refused)
            step = self._remembered(key, made)
        return step if step.status is status else replace(step, status=status)

    def _edited(self, edit: Edit, messages: Messages, state: State) -> Step:
        key = (id(messages), edit, state.pins, state.unchanged)
        step = self._memo.get(key)
        return step if step is not None else self._remembered(key, self.tried(edit, messages, state))

    def tried(self, edit: Edit, messages: Messages, state: State) -> Step:
        """Run an edit on these messages without caching the result."""
        result = edit(messages, self.context(messages, state))
        self._measure_made(result)
        return Step(edit.name, 0, Status.DONE, edit, messages, result)

    def _remembered(self, key: object, made: Step) -> Step:
        # Two threads may compute the same step: both must continue with one result.
        step = self._memo.setdefault(key, made)
        planned = {file.path: file.text for file in step.result.files}
        if files := {**self._files.get(id(step.before), {}), **planned}:
            self._files[id(step.result.messages)] = files
        return step

    def _result(
        self, stage: Stage, messages: Messages, kept: frozenset[str], given: StageInputs, skipped: bool
    ) -> StageResult:
        if skipped:
            return StageResult(messages, note="skipped")
        result = run_stage(stage, messages, self._context(messages, kept, given))
        self._measure_made(result)
        return result

    def _measure_made(self, result: StageResult) -> None:
        """Count the blocks a step made: its figures are shown at once, before anything else is counted."""
        for change in result.changes:
            if change.after is not None:
                self._measure.block(change.after)

    def context(self, messages: Messages, state: State) -> Context:
        """The context for a hand edit of these messages."""
        return self._context(messages, state.pins, StageInputs(unchanged=state.unchanged))

    def _context(self, messages: Messages, kept: frozenset[str], given: StageInputs) -> Context:
        return Context(
            estimator=self._measure,
            protection=with_pins(self._survey(messages).protection, messages, kept),
            window_tokens=self._window_tokens,
            now=self._now,
            root=self._root,
            index=self._index,
            settled=self._settled,
            tool_names=self._tool_names,
            tokens=self._estimator,
            cwd=self._session.cwd,
            files=self._files.get(id(messages), {}),
            summaries=given.summaries,
            refusal=given.refusal,
            failures=given.failures,
            unchanged=given.unchanged,
            surveys=self._surveys,
        )

    def judge(self, messages: Messages) -> Mapping[str, Judgement]:
        """The verdict on every block of messages, by key; cached for the few newest."""
        return self._survey(messages).judgements

    @property
    def answers(self) -> Sequence[ResultFacts]:
        """Every tool result of the live segment as it was opened, with its call."""
        return self._survey(self._session.live).answers

    @property
    def protection(self) -> Protection:
        """The protection of the live segment as it was opened, without pins."""
        return self._survey(self._session.live).protection

    def _survey(self, messages: Messages) -> Survey:
        return self._surveys.of(messages, self._session.cwd)

    @cached_property
    def _measure(self) -> Estimator:
        """The estimator of the pipeline's limits, with a cache."""
        if self._pipeline.estimator == "tokens":
            return self._estimator
        return estimator(self._pipeline.estimator, model=self._session.model)

    @cached_property
    def _now(self) -> float | None:
        return max((m.time for m in self._session.messages if m.time is not None), default=None)

    @cached_property
    def _tool_names(self) -> frozenset[str]:
        return frozenset(b.name for _, b in blocks_of(self._session.messages) if isinstance(b, ToolUse))
