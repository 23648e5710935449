"""A confirmation before something that cannot be undone; the safe answer has the focus."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from app.display import UNICODE, Glyphs, safe_text
from app.tui.screens.closes_early import ClosesEarly
from app.tui.widgets.controls import Control, PushButton


class ConfirmScreen(ClosesEarly, ModalScreen[bool]):
    """Returns True only for the button that names the action; escape is the safe answer."""

    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "answer(False)", "No", show=False, id="confirm.no"),
    ]

    def __init__(
        self, question: str, *, yes: str, no: str = "Cancel", detail: str | Sequence[str] = ()
    ) -> None:
        """`yes` and `no` are verbs for the buttons; texts may hold session text; `detail` may be lines."""
        super().__init__()
        self._question = question
        self._detail = (detail,) if isinstance(detail, str) and detail else tuple(detail)
        self._yes = yes
        self._no = no

    def compose(self) -> ComposeResult:
        glyphs: Glyphs = getattr(self.app, "glyphs", UNICODE)
        with Vertical(id="box", classes=f"-{glyphs.name}"):
            yield Static(Content(safe_text(self._question, glyphs)), id="question")
            if self._detail:
                detail = "\n".join(safe_text(line, glyphs) for line in self._detail)
                yield Static(Content(detail), id="detail")
            with Horizontal(id="answers"):
                yield PushButton(self._no, id="no")
                yield PushButton(self._yes, id="yes")

    def on_mount(self) -> None:
        self.query_one("#no", PushButton).focus()

    @on(Control.Used)
    def _pressed(self, event: Control.Used) -> None:
        self.dismiss(event.used.id == "yes")

    def action_answer(self, answer: bool) -> None:
        self.dismiss(answer)
