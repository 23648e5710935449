"""The options of one stage as a form; applying them runs the stage again, as one step to undo."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual import on
from textual.containers import Horizontal, VerticalScroll
from textual.widget import Widget
from textual.widgets import Input

from app.display import Glyphs, escaped, printable, spread, unescaped
from app.errors import BadPipeline
from app.opening import Opened
from app.stage_view import OptionValue, option_values, value_words
from app.stages.base import check_option
from app.tui.keys import Where
from app.tui.screens.base import WorkScreen, acts
from app.tui.widgets.controls import Control, OneOf, Push, TickBox
from app.tui.widgets.entry import Entry
from app.tui.widgets.field import Field


class OptionField(Field):
    """One option with the control that fits its type."""

    def __init__(self, stage: str, option: OptionValue, glyphs: Glyphs) -> None:
        preset = escaped(value_words(option.preset)) or "none"
        unit = f"{option.option.unit}, " if option.option.unit else ""
        about = f"{option.option.about}  ({unit}preset: {preset})"
        super().__init__(option.option.name, about, _control(option), glyphs=glyphs)
        self.stage = stage
        self.option = option

    @property
    def text(self) -> str:
        """What the person put in, as a pipeline would say it; of words, escapes are read."""
        match self.control:
            case TickBox() as box:
                return value_words(box.value)
            case OneOf() as one:
                return one.value
            case Input() as entry:
                return unescaped(entry.value)
        raise AssertionError(self.control)

    def put(self, text: str) -> None:
        """Put a value in."""
        match self.control:
            case TickBox() as box:
                box.value = text == "true"
            case OneOf() as one:
                one.value = text
            case Input() as entry:
                entry.value = escaped(text)
        self.check()

    @property
    def is_changed(self) -> bool:
        """Whether it differs from what is in force."""
        return self.text != value_words(self.option.value)

    def check(self) -> str:
        """What is wrong with the value, empty if nothing is; the field shows it."""
        self.problem = ""
        if self.is_changed:
            try:
                check_option(self.stage, self.option.option, self.text)
            except BadPipeline as error:
                self.problem = str(error)
        return self.problem


def _control(option: OptionValue) -> TickBox | OneOf | Input:
    value = value_words(option.value)
    if option.option.type == "bool":
        return TickBox("", bool(option.value))
    # Of a list, choices say what may stand in it.
    if option.option.choices and not option.option.type.startswith("tuple"):
        return OneOf(option.option.choices, value)
    return Entry(escaped(value), safe=printable, placeholder="none", select_on_focus=False)


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
