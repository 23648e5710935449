"""The stepper: one stage of a pipeline at a time, tried before it is accepted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual import events, on
from textual.widget import Widget

from app.display import spread
from app.opening import Opened
from app.tui.keys import KeyScope
from app.tui.screens.base import Line, acts
from app.tui.screens.diff import DiffScreen
from app.tui.screens.export import ExportScreen
from app.tui.screens.options import OptionsScreen
from app.tui.screens.parts.choose_pipeline import ChoosesPipeline
from app.tui.screens.parts.comparing import Compares
from app.tui.screens.parts.lost_facts import ShowsLosses
from app.tui.screens.parts.progress import TellsWaits
from app.tui.screens.parts.stage_inputs import GivesStageInputs
from app.tui.screens.parts.stepping import Failed, Walked
from app.tui.screens.parts.undoing import TakesBack
from app.tui.stage_words import NOTHING, chain_words, session_words, stage_rows, why_not_refuse, why_words
from app.tui.widgets.change_list import ChangeList
from app.tui.widgets.fact_list import FactList
from app.tui.widgets.line_view import LineView
from app.tui.widgets.stage_list import StageList
from app.views.comparison import ChangedBlock, KeepReason
from app.work.history import OpKind
from app.work.workspace import Step


class StepperScreen(ChoosesPipeline, Compares, ShowsLosses, GivesStageInputs, TakesBack, TellsWaits):
    """Steps through a pipeline forwards and back; keys change the workspace, and the view follows."""

    WHERE: ClassVar[KeyScope] = KeyScope.STEPPER
    VERTICAL_BREAKPOINTS = [(0, "-low"), (22, "-usual"), (30, "-tall")]  # noqa: RUF012 (Textual's form)

    def __init__(self, opened: Opened) -> None:
        super().__init__(opened)
        self._shown: Walked | None = None
        self._worked_out: tuple[object, ...] = ()
        """The state for which the view was last computed."""
        self._said = ""
        """The result of the last key, shown until the cursor moves."""
        self._put_at = -1
        """The row where the list itself put the cursor, which does not count as a move by the user."""

    def body(self) -> Iterable[Widget]:
        yield Line(id="chain")
        yield StageList(glyphs=self.glyphs, id="stages")
        yield FactList(glyphs=self.glyphs, id="facts")
        yield ChangeList(glyphs=self.glyphs, id="changes")

    def header(self) -> str:
        where = "" if self._shown is None else self._place()
        parts = ("handcompact", session_words(self.workspace.session), self.workspace.pipeline.name)
        return spread(f" {self.glyphs.dot} ".join(parts), where, self.size.width - 2, self.glyphs)

    def _place(self) -> str:
        assert self._shown is not None
        view, total = self._shown.view, len(self.workspace.pipeline.steps)
        if view.is_done:
            return "done" if total == 1 else f"all {total} stages done"
        return f"Stage {view.step.number} of {total}"

    @property
    def at_hand(self) -> Step | None:
        return None if self._shown is None else self._shown.view.step

    @property
    def changes(self) -> ChangeList:
        return self.query_one(ChangeList)

    def view(self) -> LineView | None:
        return self.changes

    # Computing the view

    @on(events.ScreenResume)
    def _back_on_top(self) -> None:
        # A choice in the list may have opened the prompt.
        if not self.has_class("-asking"):
            self.changes.focus()
        if self._shown is None or self._worked_out != self._state:
            self.work_out()
        elif not self.is_waiting:
            # The notes beside the stage may have changed, for example after a failed summary.
            self._show(self._shown)

    @property
    def _state(self) -> tuple[object, ...]:
        """The state that the view depends on."""
        return self.workspace.history.done, self.workspace.pipeline

    def work_out(self) -> None:
        """Recompute the view in the background and show it."""
        self._worked_out = self._state
        self.wait_for("running the stage")
        self.walk()

    @on(Walked)
    def _show(self, event: Walked) -> None:
        self.waited()
        is_other = self._shown is None or _place_of(self._shown) != _place_of(event)
        self._shown = event
        view = event.view
        self.query_one("#chain", Line).say(chain_words(view, self.size.width - 2, self.glyphs))
        self.query_one(StageList).show(stage_rows(view), view.step.number - 1)
        self.set_class(not event.rows, "-nothing")
        why = 1 + next((i for i, fact in enumerate(event.facts) if fact.label == NOTHING), -1)
        self.query_one(FactList).show([*event.facts[:why], *self.chances(), *event.facts[why:]])
        self.changes.show(event.rows, anew=is_other)
        self._put_at = self.changes.cursor
        self.refresh_lines()
        self._say_row()

    @on(Failed)
    def _fail(self, event: Failed) -> None:
        self.waited()
        self.status(event.reason)

    def on_resize(self, event: events.Resize) -> None:
        if self._shown is not None:
            self.query_one("#chain", Line).say(
                chain_words(self._shown.view, self.size.width - 2, self.glyphs)
            )

    # The status line

    @on(LineView.Moved, "#changes")
    def _moved(self) -> None:
        if self.changes.cursor != self._put_at:
            self._said = ""
        self._put_at = -1
        self._say_row()

    def _say_row(self) -> None:
        self.status(self._said or self._reason())

    @property
    def _block(self) -> ChangedBlock | None:
        """The changed block under the cursor."""
        row = self.changes.current
        if self._shown is None or row is None:
            return None
        blocks = self._shown.view.comparison.blocks
        return next((block for block in blocks if block.key == row.key), None)

    def _reason(self) -> str:
        block = self._block
        if self._shown is None:
            return ""
        if block is not None:
            return why_words(block)
        return ""

    # Keys

    def why_not(self, action: str) -> str | None:
        workspace = self.workspace
        match action:
            case "accept" | "skip" | "run_all" if reason := workspace.why_not(OpKind.RUN):
                return f"{reason}: e plans the export"
            case "previous_stage":
                return workspace.why_not(OpKind.BACK)
            case "undo" | "redo":
                return self.why_not_back(action)
            case "refuse" | "pin" | "diff" if self._shown is None or self.changes.current is None:
                return "no changed block under the cursor"
            case "refuse":
                return self._why_not_refuse()
            case "options" if workspace.why_not(OpKind.RUN):
                return "all stages are done: [ undoes the last one"
            case "summary":
                return self.why_not_summary()
            case "refused":
                return self.why_not_refused()
            case "calls":
                return self.why_not_calls()
            case "problem" if not self.changes.stops():
                return "no check warns about a block"
        return None

    def _why_not_refuse(self) -> str | None:
        block = self._block
        return None if block is None else why_not_refuse(block)

    def did(self, words: str) -> None:
        self._said = words
        self.refresh_lines()
        self.work_out()

    @acts
    def action_accept(self) -> None:
        step = self.workspace.pipeline.titles[len(self.workspace.state.taken)]
        self.workspace.advance()
        left = self.workspace.why_not(OpKind.RUN)
        self.did(f"accepted {step}" if left is None else f"accepted {step}; {left}: e plans the export")

    @acts
    def action_previous_stage(self) -> None:
        step = self.workspace.pipeline.titles[len(self.workspace.state.taken) - 1]
        self.workspace.back()
        self.did(f"undid {step}")

    @acts
    def action_skip(self) -> None:
        step = self.workspace.pipeline.titles[len(self.workspace.state.taken)]
        self.workspace.skip()
        self.did(f"skipped {step}")

    @acts
    def action_run_all(self) -> None:
        self.workspace.run_all()
        self.did(f"{self.workspace.why_not(OpKind.RUN)}: e plans the export")

    def action_jump_stage(self, number: int) -> None:
        total = len(self.workspace.pipeline.steps)
        if number > total:
            self.status(f"{self.workspace.pipeline.name} has {total} stages")
            return
        self.workspace.go_to(number)
        self.did(f"at stage {number}")

    @on(StageList.Chosen)
    def _chose(self, event: StageList.Chosen) -> None:
        self.action_jump_stage(event.index + 1)

    @acts
    def action_refuse(self) -> None:
        block = self._block
        assert block is not None
        if block.kept is KeepReason.REFUSED:
            self.workspace.allow(block.steps[0], [block.key])
            self.did("allowed")
        else:
            self.workspace.refuse(block.steps[0], [block.key])
            self.did("rejected: it stays as it is")

    @acts
    def action_pin(self) -> None:
        row = self.changes.current
        assert row is not None
        if row.key in self.workspace.state.pins:
            self.workspace.unpin([row.key])
            self.did("unpinned")
        else:
            self.workspace.pin([row.key])
            self.did("pinned: stages leave it alone")

    @acts
    def action_problem(self) -> None:
        self.changes.find("")
        self.changes.action_next_stop()

    @on(LineView.Opened, "#facts")
    def _open_fact(self, event: LineView.Opened) -> None:
        fact = self.query_one(FactList).fact_at(event.index)
        row = next((i for key in fact.keys if (i := self.changes.index_of(key)) is not None), None)
        if row is None:
            self.status("this line is not about a row of the list")
            return
        self.changes.cursor = row
        self.changes.focus()

    # Other screens

    @on(LineView.Opened, "#changes")
    def _open_row(self) -> None:
        self.action_diff()

    @acts
    def action_diff(self) -> None:
        row = self.changes.current
        assert row is not None and self._shown is not None
        view = self._shown.view
        step = None if view.is_done else view.step.name
        self.app.push_screen(DiffScreen(self.opened, key=row.key, step=step))

    @acts
    def action_options(self) -> None:
        planned = self.workspace.pipeline.steps[len(self.workspace.state.taken)]
        self.app.push_screen(OptionsScreen(self.opened, planned.name))

    def action_export(self) -> None:
        self.app.push_screen(ExportScreen(self.opened))

    def action_close(self) -> None:
        self.dismiss()


def _place_of(shown: Walked) -> tuple[int, bool]:
    """The position of the current stage, and whether all are done."""
    return shown.view.step.number, shown.view.is_done
