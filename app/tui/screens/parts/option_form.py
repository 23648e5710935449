"""A form of option fields: the first has the focus, enter applies, buttons cancel, reset and apply."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.widgets import Input

from app.tui.screens.base import WorkScreen
from app.tui.widgets.controls import Control
from app.tui.widgets.option_field import OptionField
from app.views.stage_view import value_words


class OptionForm(WorkScreen):
    """A screen of `OptionField`s with buttons named `apply`, `reset` and `cancel`."""

    AS_PRESET: ClassVar[str]
    """The status text when there is nothing to reset."""

    def on_mount(self) -> None:
        self.app.call_later(self.fields[0].control.focus)

    @property
    def fields(self) -> list[OptionField]:
        """The fields, top to bottom."""
        return list(self.query(OptionField))

    def why_not(self, action: str) -> str | None:
        if action == "apply" and self.is_mounted:
            wrong = (reason for field in self.fields if (reason := field.check()))
            return next(wrong, None)
        if action == "reset" and all(f.text == value_words(f.option.preset) for f in self.fields):
            return self.AS_PRESET
        return None

    def put_presets(self) -> None:
        """Set every field to its preset value."""
        for field in self.fields:
            field.put(value_words(field.option.preset))

    def action_apply(self) -> None:
        raise NotImplementedError

    def action_reset(self) -> None:
        raise NotImplementedError

    def action_close(self) -> None:
        self.dismiss()

    @on(Input.Submitted, "OptionField Input")
    def _entered(self) -> None:
        self.action_apply()

    @on(Control.Used, "PushButton")
    def _pressed(self, event: Control.Used) -> None:
        match event.used.id:
            case "apply":
                self.action_apply()
            case "reset":
                self.action_reset()
            case _:
                self.action_close()
