"""Undo and redo on the screens over an open session."""

from __future__ import annotations

from app.tui.screens.base import WorkScreen, acts


class TakesBack(WorkScreen):
    """A screen where `u` undoes the newest operation and `ctrl+r` redoes it."""

    def did(self, words: str) -> None:
        """Report what a key did, and refresh the screen."""
        raise NotImplementedError

    def why_not_back(self, action: str) -> str | None:
        """Why there is nothing to undo or redo; None if there is."""
        history = self.workspace.history
        if action == "undo":
            return None if history.done else "nothing to undo"
        return None if history.undone else "nothing to redo"

    @acts
    def action_undo(self) -> None:
        operation = self.workspace.undo()
        self.did("" if operation is None else f"undone: {operation.words}")

    @acts
    def action_redo(self) -> None:
        operation = self.workspace.redo()
        self.did("" if operation is None else f"redone: {operation.words}")
