"""The figures of an outlook that the usage bar and the stage strip show."""

from __future__ import annotations

from app.compactability import Verdict
from app.display import Glyphs, human_number, short_number
from app.tokens.calibration import Calibration
from app.tui.widgets.stage_strip import StageItem, StageState
from app.tui.widgets.usage_bar import UsageFigures
from app.views.outlook import Figures, Outlook
from app.work.pricing import Pricing
from app.work.workspace import Status, Step


def usage_figures(seen: Outlook, figures: Figures, known: Calibration | None = None) -> UsageFigures:
    """The context window and what fills it, in tokens; the overhead of messages counts as kept.

    `known` is the calibration of the estimate by the session's recorded usage, once it was computed.
    """
    sums = figures.by_verdict
    going = (Verdict.SUPERSEDED, Verdict.REGENERABLE, Verdict.ERROR, Verdict.COMPACTED)
    superseded, regenerable, error, compacted = (sums[verdict] for verdict in going)
    workspace = seen.workspace
    ahead = "" if seen.is_done else f"with all stages: ~{human_number(figures.ahead)}"
    return UsageFigures(
        window=workspace.window_tokens,
        kept=max(0, figures.now - superseded - regenerable - error - compacted),
        superseded=superseded,
        regenerable=regenerable,
        error=error,
        compacted=compacted,
        estimator=workspace.estimator.describe().removeprefix("~ "),
        calibration="" if known is None else known.short(),
        margin=f"+-{100 * known.margin:.0f}%" if known is not None and known.margin is not None else "",
        note=ahead,
    )


def stage_items(seen: Outlook) -> list[StageItem]:
    """Each stage of the pipeline with its status; the next one is marked."""
    shown = seen.workspace.pipeline.titles
    if not seen.ahead:
        return [StageItem(title, StageState.WAITING) for title in shown]
    stages = [step for step in seen.ahead if step.edit is None]
    following = next((i for i, step in enumerate(stages) if step.status is Status.PREVIEW), None)
    return [
        StageItem(title, _state(step, i == following))
        for i, (title, step) in enumerate(zip(shown, stages, strict=True))
    ]


def _state(step: Step, is_next: bool) -> StageState:
    match step.status:
        case Status.SKIPPED:
            return StageState.SKIPPED
        case Status.DONE:
            return StageState.DONE if step.changes else StageState.NOTHING
        case _:
            return StageState.PREVIEW if is_next else StageState.WAITING


def edited_sentence(figures: Figures, cost: Pricing) -> str:
    """What hand edits have freed so far, and whether that is worth losing the provider's prompt cache."""
    return f"~{short_number(figures.before - figures.now)} freed; {cost.short()}"


def stages_note(seen: Outlook, glyphs: Glyphs) -> str:
    """`1 of 3 run · undo 2`: how many stages were run, and how much can be undone."""
    taken, planned = len(seen.state.taken), len(seen.workspace.pipeline.steps)
    done = len(seen.workspace.history.done)
    run = f"{taken} of {planned} run" if taken else "none run"
    return f"{run} {glyphs.dot} undo {done}" if done else run
