"""The options of one stage as a form; applying them runs the stage again, as one step to undo."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual import on
from textual.containers import Horizontal, VerticalScroll
from textual.widget import Widget
from textual.widgets import Input

from app.display import spread
from app.errors import BadPipeline
from app.opening import Opened
from app.tui.keys import Where
from app.tui.screens.base import WorkScreen, acts
from app.tui.widgets.controls import Control, Push
from app.tui.widgets.option_field import OptionField
from app.views.stage_view import option_values, value_words


class OptionsScreen(WorkScreen):
    """The form of one step of the pipeline."""

    WHERE: ClassVar[Where] = Where.OPTIONS

    def __init__(self, opened: Opened, step: str) -> None:
        super().__init__(opened)
        self._step = step
        index = next(i for i, planned in enumerate(opened.workspace.pipeline.steps) if planned.name == step)
        planned = opened.workspace.pipeline.steps[index]
        stage = planned.stage.with_options(opened.workspace.state.options.get(step, {}))
        self._number = index + 1
        self._stage = stage.name
        self._options = option_values(stage, planned.stage)

    def body(self) -> Iterable[Widget]:
        fields = (OptionField(self._stage, option, self.glyphs) for option in self._options)
        form = VerticalScroll(*fields, id="form")
        form.can_focus = False
        yield form
        buttons = (Push("Cancel", id="cancel"), Push("Preset", id="reset"), Push("Apply", id="apply"))
        yield Horizontal(*buttons, id="buttons")

    def header(self) -> str:
        total = len(self.workspace.pipeline.steps)
        return spread(f"Options of {self._step}", f"Stage {self._number} of {total}", self.size.width - 2)

    def on_mount(self) -> None:
        self.app.call_later(self._fields[0].control.focus)

    @property
    def _fields(self) -> list[OptionField]:
        return list(self.query(OptionField))

    # What happens in the form

    @on(Input.Changed, "OptionField Input")
    @on(Control.Used, "OptionField Control")
    def _edited(self, event: Input.Changed | Control.Used) -> None:
        for field in self._fields:
            if field.control is event.control:
                field.check()
        changed = [field.option.option.name for field in self._fields if field.is_changed]
        self.status(f"changed: {', '.join(changed)}" if changed else "")
        self.refresh_lines()

    @on(Input.Submitted, "OptionField Input")
    def _entered(self) -> None:
        self.action_apply()

    @on(Control.Used, "Push")
    def _pressed(self, event: Control.Used) -> None:
        match event.used.id:
            case "apply":
                self.action_apply()
            case "reset":
                self.action_reset()
            case _:
                self.action_close()

    def why_not(self, action: str) -> str | None:
        if action == "apply":
            wrong = (reason for field in self._fields if (reason := field.check()))
            return next(wrong, None)
        if action == "reset" and all(f.text == value_words(f.option.preset) for f in self._fields):
            return "this is what the pipeline says"
        return None

    @acts
    def action_apply(self) -> None:
        values = {field.option.option.name: field.text for field in self._fields if field.is_changed}
        if values:
            try:
                self.workspace.set_options(self._step, values)
            except BadPipeline as error:
                self.status(str(error))
                return
        self.dismiss()

    @acts
    def action_reset(self) -> None:
        for field in self._fields:
            field.put(value_words(field.option.preset))
        self.status("as the pipeline says; ctrl+s applies it")
        self.refresh_lines()

    def action_close(self) -> None:
        self.dismiss()
