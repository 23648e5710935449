"""The state of a pipeline as the stepper shows it: every stage, and the current one in full.

It is computed at once and immutable afterwards, so that a screen can build it in a thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from msgspec import Struct

from app.model import blocks_of
from app.stages.base import Action, Option
from app.views.comparison import Comparison, compare_all, compare_step
from app.work.pricing import Pricing, pricing
from app.work.workspace import Status, Step, Workspace


class StageLine(Struct, frozen=True):
    """One stage of the pipeline."""

    number: int
    """1-based."""
    title: str
    status: Status
    changed: int | None = None
    """Messages that it changes; None while it waits."""
    saved: int | None = None
    """Tokens that it takes off; None while it waits."""
    note: str = ""
    """Why it changed nothing."""


class OptionValue(Struct, frozen=True):
    """An option of a stage with its value."""

    option: Option
    value: Any
    preset: Any
    """What the pipeline says."""

    @property
    def is_changed(self) -> bool:
        """Whether a person set it to another value than the pipeline's."""
        return bool(self.value != self.preset)

    @property
    def is_chosen(self) -> bool:
        """Whether the pipeline sets it to another value than the stage's default."""
        return bool(self.preset != self.option.default)


@dataclass(frozen=True)
class StageView:
    """The stages, and the one at hand: the preview, or after the last one that one.

    The comparison is of the preview; once every stage is walked past, of all of them together.
    """

    step: Step
    lines: tuple[StageLine, ...]
    chain: tuple[int, ...]
    """Tokens of the live segment: as opened, after each stage or edit, and after the preview."""
    counted: bool
    """Whether all figures were counted with a tokenizer, none estimated by length."""
    exact: bool
    """Whether they are the model's own count, so that none needs a `~`."""
    comparison: Comparison
    options: tuple[OptionValue, ...]
    cost: Pricing
    """Of all that was done, and of the preview behind it."""

    @property
    def is_done(self) -> bool:
        """Whether every stage is walked past."""
        return self.step.status is not Status.PREVIEW


def stage_view(workspace: Workspace) -> StageView:
    """The view of the workspace as it is now. Runs the stages that did not run yet."""
    walked = list(workspace.steps)
    preview = workspace.preview
    if preview is not None:
        walked.append(preview)
    states = [workspace.session.live, *(step.result.messages for step in walked)]
    totals = [workspace.counter.total(messages) for messages in states]
    chain = tuple(tokens for tokens, _ in totals)
    titles = workspace.pipeline.titles
    lines = [StageLine(n, title, Status.WAITING) for n, title in enumerate(titles, 1)]
    for n, step in enumerate(walked):
        if step.edit is None:
            at = step.number - 1
            lines[at] = _line(step, titles[at], chain[n] - chain[n + 1])
    step = next(step for step in reversed(walked) if step.edit is None)
    counted = all(counted for _, counted in totals)
    return StageView(
        step=step,
        lines=tuple(lines),
        chain=chain,
        counted=counted,
        exact=counted and workspace.counts_exactly,
        comparison=compare_step(workspace, step) if preview is not None else compare_all(workspace),
        options=option_values(step.action, workspace.pipeline.steps[step.number - 1].stage),
        cost=pricing(workspace, after=states[-1]),
    )


def option_values(stage: Action, preset: Action) -> tuple[OptionValue, ...]:
    """The options of a stage, its own first, beside what the pipeline says."""
    return tuple(
        OptionValue(option, getattr(stage, option.name), getattr(preset, option.name))
        for option in stage.options()
    )


def value_words(value: Any) -> str:
    """An option's value as it is written after `--set` and in a form."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    if isinstance(value, float):
        return f"{value:.15g}"
    return "" if value is None else str(value)


def messages_changed(step: Step) -> int:
    """Number of messages a step changes, including those it makes."""
    keys = {change.key for change in step.changes}
    both = (*blocks_of(step.before), *blocks_of(step.result.messages)) if keys else ()
    return len({message.key for message, block in both if block.key in keys})


def _line(step: Step, title: str, saved: int) -> StageLine:
    return StageLine(step.number, title, step.status, messages_changed(step), saved, step.result.note)
