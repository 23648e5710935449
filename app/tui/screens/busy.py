"""A modal shown while the result of a key press is computed; escape cancels it."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from app.display import UNICODE, Glyphs, safe_text
from app.tui.screens.closes_early import ClosesEarly


class BusyScreen(ClosesEarly, ModalScreen[bool]):
    """Swallows all keys, so that none acts on the screen behind; returns True if cancelled."""

    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "give_up", "Cancel", show=False, id="busy.give-up")
    ]

    def __init__(self, words: str) -> None:
        super().__init__()
        self._words = words

    def compose(self) -> ComposeResult:
        glyphs: Glyphs = getattr(self.app, "glyphs", UNICODE)
        with Vertical(id="box", classes=f"-{glyphs.name}"):
            yield Static(Content(safe_text(f"{self._words} ...  esc cancels", glyphs)), id="words")

    def action_give_up(self) -> None:
        self.dismiss(True)
