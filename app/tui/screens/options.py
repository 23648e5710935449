"""A form for the options of one stage; applying it reruns the stage, as one step to undo."""

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
from app.tui.keys import KeyScope
from app.tui.screens.base import acts
from app.tui.screens.parts.option_form import OptionForm
from app.tui.widgets.controls import Control, PushButton
from app.tui.widgets.option_field import OptionField
from app.views.stage_view import option_values


class OptionsScreen(OptionForm):
    """The form of one step of the pipeline."""

    WHERE: ClassVar[KeyScope] = KeyScope.OPTIONS
    AS_PRESET = "reset to the pipeline's values"

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
        buttons = (
            PushButton("Cancel", id="cancel"),
            PushButton("Preset", id="reset"),
            PushButton("Apply", id="apply"),
        )
        yield Horizontal(*buttons, id="buttons")

    def header(self) -> str:
        total = len(self.workspace.pipeline.steps)
        return spread(f"Options of {self._step}", f"Stage {self._number} of {total}", self.size.width - 2)

    # Events of the form

    @on(Input.Changed, "OptionField Input")
    @on(Control.Used, "OptionField Control")
    def _edited(self, event: Input.Changed | Control.Used) -> None:
        for field in self.fields:
            if field.control is event.control:
                field.check()
        changed = [field.option.option.name for field in self.fields if field.is_changed]
        self.status(f"changed: {', '.join(changed)}" if changed else "")
        self.refresh_lines()

    @acts
    def action_apply(self) -> None:
        values = {field.option.option.name: field.text for field in self.fields if field.is_changed}
        if values:
            try:
                self.workspace.set_options(self._step, values)
            except BadPipeline as error:
                self.status(str(error))
                return
        self.dismiss()

    @acts
    def action_reset(self) -> None:
        self.put_presets()
        self.status("reset to the pipeline's values; ctrl+s applies them")
        self.refresh_lines()
