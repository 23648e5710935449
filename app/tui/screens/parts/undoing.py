"""Undo and redo on the screens over an open session."""

from __future__ import annotations

from app.tui.screens.base import WorkScreen, acts


class TakesBack(WorkScreen):
    """A screen whose `u` takes the newest operation back, and `ctrl+r` does it again."""

    def did(self, words: str) -> None:
        """Say what a key did, and show everything anew."""
        raise NotImplementedError

    def why_not_back(self, action: str) -> str | None:
        """Why "undo" or "redo" has nothing to act on; None when it has."""
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
