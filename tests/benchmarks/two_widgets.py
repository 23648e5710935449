"""The least that any program with Textual does: an app of two widgets."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.widgets import Label, Static


class TwoWidgets(App[None]):
    """A label and a text."""

    def compose(self) -> ComposeResult:
        yield Label("two widgets")
        yield Static("and no more")


if __name__ == "__main__":
    TwoWidgets().run()
