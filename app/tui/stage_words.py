"""The texts of the stepper: turns the headless view of a stage into rows and lines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from app.diff import Pairing
from app.display import Glyphs, cells, counted, escaped, human_number, spread
from app.model import Block, Session, preview_of
from app.tui.rows import preview
from app.tui.widgets.change_list import ChangeRow, Row
from app.tui.widgets.fact_list import Fact
from app.tui.widgets.message_list import BoundaryRow
from app.tui.widgets.stage_list import StageRow
from app.tui.widgets.stage_strip import StageState
from app.views.comparison import ChangedBlock, KeepReason
from app.views.describe import boundary_text
from app.views.stage_view import OptionValue, StageLine, StageView, value_words
from app.work.checks import CheckLevel
from app.work.rows import BlockRow
from app.work.workspace import Status, Step, Workspace

SIGNS = {CheckLevel.OK: "ok", CheckLevel.WARN: "!", CheckLevel.FAIL: "FAIL"}


def chain_words(view: StageView, width: int, glyphs: Glyphs) -> str:
    """`~148,210 -> ~126,400 -> [~61,030]` with what the current stage saves, right-aligned."""
    about = "" if view.exact else "~"
    totals = [f"{about}{human_number(tokens)}" for tokens in view.chain]
    if view.is_done:
        saved = saving(view.chain[0] - view.chain[-1], exact=view.exact) + " tokens in all"
    else:
        saved = f"this stage {saving(view.chain[-2] - view.chain[-1], exact=view.exact)} tokens"
        totals[-1] = f"[{totals[-1]}]"
    room = width - cells(saved) - 2
    arrow = f" {glyphs.arrow} "
    while len(totals) > 2 and cells(arrow.join(totals)) > room:
        totals = [glyphs.ellipsis, *totals[2 if totals[0] == glyphs.ellipsis else 1 :]]
    return spread(arrow.join(totals), saved, width, glyphs)


def saving(tokens: int, *, exact: bool) -> str:
    """`saves ~65,370`, or what it adds, in tokens."""
    if not tokens:
        return "saves 0"
    about = "" if exact else "~"
    return f"{'saves' if tokens > 0 else 'adds'} {about}{human_number(abs(tokens))}"


def stage_rows(view: StageView) -> list[StageRow]:
    """The stages of the pipeline."""
    return [
        StageRow(line.title, _state(line), _saved(line, exact=view.exact), _about(line))
        for line in view.lines
    ]


def _state(line: StageLine) -> StageState:
    if line.status is Status.DONE and not line.changed:
        return StageState.NOTHING
    return StageState(line.status)


def _saved(line: StageLine, *, exact: bool) -> str:
    return "" if not line.changed or line.saved is None else saving(line.saved, exact=exact)


def _about(line: StageLine) -> str:
    if not line.changed:
        return "" if line.status is Status.SKIPPED else line.note
    return f"{counted(line.changed, 'message')} changed"


NOTHING = "nothing"
"""The label of the reason why a stage does nothing."""


def facts(view: StageView, steps: Sequence[Step]) -> list[Fact]:
    """The facts about the current stage, or about all `steps` once they are done."""
    shown = steps if view.is_done else [view.step]
    lines = [Fact("trace", line) for step in shown for line in step.result.trace]
    note = view.step.result.note
    if not view.is_done and not view.step.changes:
        lines.append(Fact(NOTHING, note or "this stage changes nothing here", whole=True))
    elif not view.is_done and note:
        lines.append(Fact("note", note))
    checks = sorted(view.comparison.checks, key=lambda check: _URGENCY[check.level])
    lines += [Fact("checks", check.text, SIGNS[check.level], check.keys) for check in checks]
    if view.cost.price.first_changed is not None:
        lines.append(Fact("cache", view.cost.short(), "" if view.cost.is_worth_it else "!"))
    protected = sum(step.result.protected for step in shown)
    others = protected - sum(block.kept is not None for block in view.comparison.blocks)
    if others > 0:
        stays = "stays" if others == 1 else "stay"
        why = "protected (your answers, instructions, newest reply)"
        lines.append(Fact("kept", f"{counted(others, 'block')} {stays}: {why}"))
    if not view.is_done:
        options = sorted(view.options, key=lambda option: (not option.is_changed, not option.is_chosen))
        lines.append(Fact("options", "   ".join(map(_option, options))))
    return lines


_URGENCY = {CheckLevel.FAIL: 0, CheckLevel.WARN: 1, CheckLevel.OK: 2}


def _option(option: OptionValue) -> str:
    value, preset = (escaped(value_words(v)) or "none" for v in (option.value, option.preset))
    words = f"{option.option.name} {value}"
    return f"{words} (preset {preset})" if option.is_changed else words


def change_rows(workspace: Workspace, view: StageView) -> tuple[Row, ...]:
    """The rows of the list: changed and kept blocks, with boundaries in their positions."""
    comparison = view.comparison
    warned = {key for check in comparison.checks if check.level is not CheckLevel.OK for key in check.keys}
    first = comparison.places[0] if comparison.places else 0
    boundaries = [
        (place, BoundaryRow(boundary_text(row.after.boundary)))
        for place, row in enumerate(comparison.pairs)
        if row.kind is Pairing.BOUNDARY
        and row.after is not None
        and row.after.boundary is not None
        # An old boundary before the first change is not worth showing.
        and (row.before is None or place > first)
    ]
    keys = {block.key for block in comparison.blocks}
    known = {row.key: row for row in workspace.rows if row.key in keys}
    rows: list[Row] = []
    for block in comparison.blocks:
        while boundaries and boundaries[0][0] < block.place:
            rows.append(boundaries.pop(0)[1])
        rows.append(_row(workspace, block, known.get(block.key), block.key in warned))
    return (*rows, *(row for _, row in boundaries)) if rows else ()


def _row(workspace: Workspace, block: ChangedBlock, row: BlockRow | None, warned: bool) -> ChangeRow:
    before, after = block.change.before, block.change.after
    figures = [None if side is None else workspace.counter.tokens(side) for side in (before, after)]
    shown = after if after is not None and block.kept is None else before
    return ChangeRow(
        key=block.key,
        number=block.number,
        before=None if figures[0] is None else figures[0][0],
        after=None if figures[1] is None else figures[1][0],
        word=block.word,
        preview=_preview(row, shown),
        exact=all(figure is None or figure[1] for figure in figures),
        warning=(warned or block.only_copy) and block.kept is None,
    )


def _preview(row: BlockRow | None, shown: Block | None) -> str:
    if shown is None:
        return ""
    return preview_of(shown) if row is None else preview(row, shown)


def why_words(block: ChangedBlock) -> str:
    """Why a block changes, or why it is kept."""
    match block.kept:
        case KeepReason.REFUSED:
            return f"rejected by you (x allows it): {block.change.reason}"
        case KeepReason.PINNED:
            return f"pinned by you (p unpins): {block.change.reason}"
        case KeepReason.PAIR:
            return "stays because you kept another block it belongs to"
    return f"the only copy of its data: {block.change.reason}" if block.only_copy else block.change.reason


def why_not_refuse(block: ChangedBlock) -> str | None:
    """Why `x` cannot refuse or allow this change; None when it can."""
    if len(block.steps) > 1:
        return f"{len(block.steps)} stages change it: p pins it against all of them"
    match block.kept:
        case KeepReason.PINNED:
            return "it is pinned: p unpins it"
        case KeepReason.PAIR:
            return "it stays because you kept another block it belongs to"
    return None


def session_words(session: Session) -> str:
    """The name of a session in a header: its title, else its file name."""
    return session.title or Path(session.name).name
