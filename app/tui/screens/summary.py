"""Writing a summary by hand, starting from the rule-based one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual import on
from textual.message import Message
from textual.widget import Widget
from textual.widgets import TextArea

from app.display import size_of_text, spread
from app.errors import HandcompactError
from app.opening import Opened
from app.tui.in_thread import in_thread
from app.tui.keys import KeyScope
from app.tui.screens.base import WorkScreen, acts
from app.tui.screens.confirm import ConfirmScreen
from app.tui.screens.proof import ProofScreen
from app.tui.widgets.editor import Editor
from app.work.stage_inputs import give_summary, prefer, starting_text
from app.work.summary_requests import ForStage


class SummaryScreen(WorkScreen):
    """An editor; accepting the text is one step to undo, and then it is checked against the session."""

    WHERE: ClassVar[KeyScope] = KeyScope.SUMMARY

    class Ready(Message):
        """The initial text was built."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, opened: Opened, step: str) -> None:
        super().__init__(opened)
        self._step = step
        self._start: str | None = None
        """The initial text; None while it is being built."""

    def body(self) -> Iterable[Widget]:
        yield Editor(id="text")

    def header(self) -> str:
        return spread(
            f"Summary by hand for {self._step}",
            "it replaces what is removed",
            self.size.width - 2,
            self.glyphs,
        )

    @property
    def _editor(self) -> Editor:
        return self.query_one(Editor)

    @property
    def _is_changed(self) -> bool:
        return self._start is not None and self._editor.text != self._start

    def on_mount(self) -> None:
        self._editor.disabled = True
        self.status("drafting a summary by rules ...")
        self._draft()

    @in_thread(exit_on_error=False, exclusive=True, group="draft")
    def _draft(self) -> None:
        self.post_message(self.Ready(starting_text(self.workspace, self._step)))

    @on(Ready)
    def _begin(self, event: Ready) -> None:
        self._editor.start(event.text)
        self._start = self._editor.text
        self._editor.disabled = False
        self._editor.focus()
        self._count()

    @on(TextArea.Changed)
    def _count(self) -> None:
        if self._start is not None:
            text = self._editor.text
            self.status(size_of_text(self._editor.document.line_count, text))
            self.refresh_lines()

    def why_not(self, action: str) -> str | None:
        if action != "take":
            return None
        if self._start is None:
            return "the draft is still being written"
        return (
            None
            if self._editor.text.strip()
            else "the text is empty: the removed messages would leave no trace"
        )

    @acts
    def action_take(self) -> None:
        try:
            prefer(self.workspace, self._step, "hand")
            give_summary(self.workspace, self._step, "hand", self._editor.text)
        except HandcompactError as error:
            self.status(str(error))
            return
        self.app.switch_screen(ProofScreen(self.opened, ForStage(self.workspace, self._step)))

    def action_close(self) -> None:
        if not self._is_changed:
            self.dismiss()
            return
        question = "Discard your changes?"
        self.app.push_screen(ConfirmScreen(question, yes="Discard", no="Keep editing"), self._leave_if)

    def _leave_if(self, sure: bool | None) -> None:
        if sure:
            self.dismiss()
        else:
            self._editor.focus()
