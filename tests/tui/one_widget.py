"""A tiny app around one widget, which remembers the messages that reached it."""

from __future__ import annotations

from textual import on
from textual.app import App, ComposeResult
from textual.widget import Widget

from app.tui.widgets.line_view import LineView
from app.tui.widgets.stage_strip import StageStrip


class OneWidget(App[None]):
    """Shows `widget` alone."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(self, widget: Widget) -> None:
        super().__init__()
        self.widget = widget
        self.heard: list[str] = []

    def compose(self) -> ComposeResult:
        yield self.widget

    def press(self, *keys: str) -> None:
        """Press keys one after the other; `Pilot.press` does so too, and sleeps after each."""
        for key in keys:
            self.simulate_key(key)

    @on(LineView.Opened)
    def hear_opened(self, message: LineView.Opened) -> None:
        self.heard.append(f"opened {message.index}")

    @on(LineView.Moved)
    def hear_moved(self, message: LineView.Moved) -> None:
        self.heard.append(f"moved {message.index}")

    @on(LineView.Jumped)
    def hear_jumped(self, message: LineView.Jumped) -> None:
        again = " again" if message.wrapped else ""
        self.heard.append(f"row {message.index}: {message.position} of {message.total}{again}")

    @on(StageStrip.Chosen)
    def hear_chosen(self, message: StageStrip.Chosen) -> None:
        self.heard.append(f"stage {message.index}")
