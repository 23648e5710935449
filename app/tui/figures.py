"""What the usage bar and the stage strip show of an outlook."""

from __future__ import annotations

from app.compactability import Verdict
from app.display import Glyphs, human_number, short_number
from app.outlook import Figures, Outlook
from app.prompt_cache import Price
from app.tui.widgets.stage_strip import StageItem, StageState
from app.tui.widgets.usage_bar import UsageFigures
from app.workspace import Status, Step


def usage_figures(seen: Outlook, figures: Figures) -> UsageFigures:
    """The window and what fills it; what no verdict has, the messages' own costs, counts as kept."""
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
        note=ahead,
    )


def stage_items(seen: Outlook) -> list[StageItem]:
    """Each stage of the pipeline with what has become of it; the next one is marked."""
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


def edited_sentence(seen: Outlook, figures: Figures, cost: Price) -> str:
    """What hand edits have freed so far, and what that costs while the provider's cache is warm."""
    freed = f"~{short_number(figures.before - figures.now)} freed"
    if cost.first_changed is None:
        return f"{freed}; the prompt cache stays whole"
    live = seen.workspace.session.live
    key = live[cost.first_changed].key if cost.first_changed < len(live) else ""
    number = next((row.number for row in seen.workspace.rows if row.message.key == key), None)
    where = "the end is the first to change" if number is None else f"#{number} is the first that changes"
    match cost.turns:
        case None:
            pays = "that never pays back"
        case turns if turns < 1:
            pays = "cheaper from the next turn on"
        case turns:
            pays = f"pays back after {turns:.0f} turns"
    return f"{freed}; {where}: {pays}"


def stages_note(seen: Outlook, glyphs: Glyphs) -> str:
    """`1 of 3 run · undo 2`: how many stages were run, and how much can be undone."""
    taken, planned = len(seen.state.taken), len(seen.workspace.pipeline.steps)
    done = len(seen.workspace.history.done)
    run = f"{taken} of {planned} run" if taken else "none run"
    return f"{run} {glyphs.dot} undo {done}" if done else run
