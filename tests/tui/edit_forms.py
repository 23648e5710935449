"""What tests of the form of a hand edit share."""

from __future__ import annotations

from textual.widgets import Input

from app.tui.app import HandcompactApp
from app.tui.widgets.option_field import OptionField


def field(app: HandcompactApp, name: str) -> Input:
    """The field of an option that is typed."""
    control = next(f for f in app.screen.query(OptionField) if f.option.option.name == name).control
    assert isinstance(control, Input)
    return control
