"""Rewriting a text: a message, a tool result, or the summary of a segment."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar

from textual import on
from textual.app import SuspendNotSupported
from textual.widget import Widget
from textual.widgets import TextArea

from app.display import safe_lines, size_of_text, spread
from app.edits import Edit
from app.errors import RefusedError
from app.model import blocks_of, text_of
from app.opening import Opened
from app.outside_editor import edited_outside, editor_of
from app.tui.keys import KeyScope
from app.tui.screens.base import acts
from app.tui.screens.confirm import ConfirmScreen
from app.tui.screens.parts.attempting import Attempts
from app.tui.widgets.editor import Editor
from app.work.attempts import EditVariant
from app.work.workspace import Workspace


class RewriteScreen(Attempts):
    """An editor; a refused text stays in it with the reason shown, an accepted one is one step to undo."""

    WHERE: ClassVar[KeyScope] = KeyScope.REWRITE

    def __init__(
        self,
        opened: Opened,
        title: str,
        text: str,
        make: Callable[[str], Edit],
        told: Callable[[EditVariant], None],
    ) -> None:
        """`make` returns the edit that inserts a text; `told` is called once it is done."""
        super().__init__(opened)
        self._title = title
        self._original = text
        self._start = ""
        """The initial text of the editor."""
        self._make = make
        self._told = told

    def body(self) -> Iterable[Widget]:
        yield Editor(id="text")

    def header(self) -> str:
        return spread(self._title, "one step: u undoes it", self.size.width - 2, self.glyphs)

    @property
    def _editor(self) -> Editor:
        return self.query_one(Editor)

    def on_mount(self) -> None:
        self._editor.start(self._original)
        self._start = self._editor.text
        self._editor.focus()
        self._count()

    @on(TextArea.Changed)
    def _count(self) -> None:
        text = self._editor.text
        size = size_of_text(self._editor.document.line_count, text)
        self.status(self.why_not("take") or size)
        self.refresh_lines()

    def why_not(self, action: str) -> str | None:
        if action == "take" and self.is_mounted and not self._editor.text.strip():
            return "the text is empty: to drop the row, press x in the list"
        return None

    @acts
    def action_take(self) -> None:
        self.attempt(self._make(restored(self._original, self._editor.text)))

    @acts
    def action_outside(self) -> None:
        """Continue in the user's external editor; what is saved there is used when it closes."""
        before = restored(self._original, self._editor.text)
        try:
            command = editor_of(os.environ)
            with self.app.suspend():
                # Nothing may raise in here: the screen would not be restored.
                left = _left_outside(before, command)
        except SuspendNotSupported:
            self.status("this terminal cannot hand over to another program: write here")
        except RefusedError as error:
            self.status(str(error))
        else:
            self._come_back(left)

    def _come_back(self, left: str | RefusedError | None) -> None:
        if left is None or isinstance(left, RefusedError):
            self.status(str(left or "nothing changed in the editor"))
            return
        text = left
        # The editor holds a version that is safe to show; its lines correspond to these.
        self._original = text
        self._editor.start(text)
        if self.why_not("take") is None:
            self.attempt(self._make(text))

    def edited(self, way: EditVariant) -> None:
        self.dismiss()
        self._told(way)

    def action_close(self) -> None:
        if self._editor.text == self._start:
            self.dismiss()
            return
        question = "Discard your changes?"
        self.app.push_screen(ConfirmScreen(question, yes="Discard", no="Keep editing"), self._leave_if)

    def _leave_if(self, sure: bool | None) -> None:
        if sure:
            self.dismiss()
        else:
            self._editor.focus()


def _left_outside(text: str, command: Sequence[str]) -> str | RefusedError | None:
    try:
        return edited_outside(text, command)
    except RefusedError as error:
        return error


def restored(original: str, edited: str) -> str:
    """The edited text, with every untouched line as it was before it was made safe for the editor.

    The editor shows tabs as spaces and control characters as signs; untouched lines keep theirs.
    """
    lines = original.split("\n")
    before: dict[str, str] = {}
    for safe, line in zip(safe_lines(original), lines, strict=True):
        before.setdefault(safe, line)
    return "\n".join(before.get(line, line) for line in edited.split("\n"))


def own_text(workspace: Workspace, key: str) -> str:
    """The current text of a block; empty if it is not in the conversation."""
    return next((text_of(block) for _, block in blocks_of(workspace.messages) if block.key == key), "")
