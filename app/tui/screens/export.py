"""The export dialog: shows the plan, then what was written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual import events, on
from textual.widget import Widget
from textual.widgets import ContentSwitcher

from app.display import counted, spread
from app.errors import InputError
from app.export.equivalent_command import equivalent_command
from app.export.plan import ExportPlan
from app.export.plan_text import plan_lines, written_facts
from app.export.write import Written, why_refused
from app.formats import format_named
from app.opening import Opened
from app.tui.export_words import BY_TICK, box_notes, lost_fact, plan_facts, shared_facts
from app.tui.keys import KeyScope
from app.tui.screens.base import acts
from app.tui.screens.parts.export_fields import AsksForExport
from app.tui.screens.parts.export_form import export_panels
from app.tui.screens.parts.exporting import Done, Failed, LossesKnown, Planned, Progressed
from app.tui.screens.parts.lost_facts import ShowsLosses
from app.tui.screens.parts.progress import TellsWaits
from app.tui.stage_words import session_words
from app.tui.widgets.controls import Control, PushButton
from app.tui.widgets.fact_list import Fact, FactList
from app.tui.widgets.text_pane import TextPane


class ExportScreen(AsksForExport, ShowsLosses, TellsWaits):
    """Plans what the workspace holds, and writes it when asked to. Nothing else in the screens writes."""

    WHERE: ClassVar[KeyScope] = KeyScope.EXPORT

    def __init__(self, opened: Opened) -> None:
        super().__init__(opened)
        self._planned: Planned | None = None
        self._error = ""
        self._written: Written | None = None
        self._is_writing = False
        self._lost: LossesKnown | None = None
        self._planned_at = -1
        """How many operations were done when the export was planned."""

    def body(self) -> Iterable[Widget]:
        yield export_panels(self.glyphs)

    def header(self) -> str:
        workspace = self.workspace
        total, taken = len(workspace.pipeline.steps), len(workspace.state.taken)
        kind = format_named(workspace.session.format)
        parts = ("Export", kind.title, workspace.pipeline.name, session_words(workspace.session))
        left = f" {self.glyphs.dot} ".join(parts)
        return spread(left, f"{taken} of {total} stages run", self.size.width - 2, self.glyphs)

    @property
    def _panel(self) -> ContentSwitcher:
        return self.query_one(ContentSwitcher)

    # Planning

    @on(events.Mount)
    def _start(self) -> None:
        self.box("index").value = bool(self.workspace.index)
        self.query_one("#cancel", PushButton).focus()

    def on_screen_resume(self) -> None:
        """Plan on opening, and again if something was pinned in the meantime."""
        if self._planned_at != len(self.workspace.history.done):
            self._planned_at = len(self.workspace.history.done)
            self._lost = None
            self.plan_again()

    def forget_plan(self) -> None:
        self._planned = None
        self._error = ""
        self.refresh_lines()

    def plan_again(self) -> None:
        self.forget_plan()
        try:
            self.plan(self.options, index=self.box("index").value)
        except InputError as error:
            self.post_message(Failed(str(error)))
        else:
            self.wait_for("planning", way_out="esc stops it and closes", at_once=True)

    @on(Progressed)
    def _progress(self, event: Progressed) -> None:
        self.waits_now_for(event.words)
        if not self.is_waiting:
            self.status(event.words)

    @on(LossesKnown)
    def _show_losses(self, event: LossesKnown) -> None:
        self._lost = event
        self._show_facts()

    @on(Planned)
    def _show_plan(self, event: Planned) -> None:
        self.waited()
        self._planned = event
        if self._lost is None:
            self.look_for_losses()
        plan = event.plan
        if not plan.in_place:
            self.put_usual(plan.target_words)
        for name, note in box_notes(plan, listed=self.box("index").value).items():
            self.box(name).note = note
        words = self.box("words")
        gone = len(plan.words_gone)
        words.display = bool(gone)
        words.label = f"Allow the loss of {'this message' if gone == 1 else f'these {gone} messages'} of mine"
        self._show_facts()
        self.refresh_lines()
        self._say_if_ready()

    @on(Failed)
    def _fail(self, event: Failed) -> None:
        self._is_writing = False
        self.waited()
        self._error = event.reason
        self._show_facts()
        self.status("nothing was written")
        self.refresh_lines()

    def _show_facts(self) -> None:
        """Show the facts of the plan, with what prevents it first."""
        plan = None if self._planned is None else self._planned.plan
        reason = self._error or (None if plan is None else why_refused(plan, drop_user_words=True))
        facts = [Fact("error", reason, "!", whole=True)] if reason else []
        if self._planned is not None:
            not_run = self.workspace.pipeline.titles[len(self.workspace.state.taken) :]
            if self._lost is not None:
                facts += lost_fact(self._lost.facts)
            facts += shared_facts(self._planned.shared)
            facts += plan_facts(self._planned.plan, self._planned.size, not_run, self.glyphs)
        self.query_one("#plan", FactList).show(facts)

    def words_ticked(self) -> None:
        self.refresh_lines()
        self._say_if_ready()

    def _say_if_ready(self) -> None:
        self.status(self.why_not("write") or "nothing is written yet")

    # Keys and buttons

    @on(Control.Used, "PushButton")
    def _pressed(self, event: Control.Used) -> None:
        match event.used.id:
            case "write":
                self.action_write()
            case "dry-run":
                self.action_dry_run()
            case "resume":
                self.action_copy_resume()
            case _:
                self.action_close()

    def why_not(self, action: str) -> str | None:
        match action:
            case "write" | "dry_run" if self._is_writing:
                return "it is still being written"
            case "write" | "dry_run" if self._planned is None:
                return self._error or "planning"
            case "write" if self._planned is not None:
                return self._why_not_write(self._planned.plan)
            case "copy_resume" if self._resume_command is None:
                written = self._written
                reason = "" if written is None else written.plan.resuming.why_none(BY_TICK)
                return reason or "this format has no resume command"
        return None

    def _why_not_write(self, plan: ExportPlan) -> str | None:
        if plan.words_gone and not self.box("words").value:
            messages = counted(len(plan.words_gone), "message")
            return f"{messages} of yours would be lost: tick the line above to allow it"
        return why_refused(plan, drop_user_words=True)

    def refresh_lines(self) -> None:
        super().refresh_lines()
        for button in self.query(PushButton):
            if button.id in ("write", "dry-run"):
                button.dimmed = self.why_not(button.id.replace("-", "_")) is not None
            elif button.id == "resume":
                button.dimmed = self.why_not("copy_resume") is not None

    @acts
    def action_dry_run(self) -> None:
        assert self._planned is not None
        shared = () if self._planned.shared is None else self._planned.shared.lines()
        lines = [*plan_lines(self._planned.plan, self._planned.size), *shared]
        lines += ["", "Dry run: nothing was written."]
        self.query_one("#text", TextPane).show("\n".join(lines))
        self._panel.current = "dry"
        self.query_one("#text", TextPane).focus()

    @acts
    def action_write(self) -> None:
        assert self._planned is not None
        self._is_writing = True
        self._error = ""
        self.refresh_lines()
        self.wait_for("writing", way_out="esc stops", at_once=True)
        self.write(self._planned.plan, drop_user_words=self.box("words").value)

    @on(Done)
    def _show_written(self, event: Done) -> None:
        self._is_writing = False
        self.waited()
        self._written = event.written
        self.workspace.mark_written()
        facts = [Fact(label, text, whole=True) for label, text in written_facts(event.written, BY_TICK)]
        facts += shared_facts(event.written.shared)
        self.query_one("#places", FactList).show(facts)
        self._panel.current = "done"
        self.query_one("#close", PushButton).focus()
        self.status(f"written: {event.written.size:,} bytes, read back and compared with the plan")
        self.refresh_lines()

    @acts
    def action_copy_resume(self) -> None:
        if (command := self._resume_command) is not None:
            self.app.copy_to_clipboard(command)
            self.status(f"copied: {command}")

    @property
    def _resume_command(self) -> str | None:
        return None if self._written is None else self._written.plan.resuming.command

    @acts
    def action_copy_command(self) -> None:
        try:
            options = self.options
        except InputError as error:
            self.status(str(error))
            return
        may_drop = self.box("words").value
        found = equivalent_command(
            self.workspace,
            self.opened.source,
            options,
            drop_user_words=may_drop,
            index=self.box("index").value,
        )
        self.app.copy_to_clipboard(found.command)
        lost = f"; it cannot express {' and '.join(found.missing)}, a recipe can" if found.missing else ""
        self.status(f"copied{lost}: {found.command}")

    def action_close(self) -> None:
        if self._is_writing:
            self.stop_writing()
            self.waits_now_for("stopping")
        elif self._panel.current == "dry":
            self._panel.current = "form"
            self.query_one("#dry-run", PushButton).focus()
        else:
            self.dismiss()
