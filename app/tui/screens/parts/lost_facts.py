"""From a session to the facts that it loses."""

from __future__ import annotations

from app.tui.screens.base import WorkScreen
from app.tui.screens.lost import LostScreen


class ShowsLosses(WorkScreen):
    """A screen from which the facts that go can be read."""

    def action_lost(self) -> None:
        self.app.push_screen(LostScreen(self.opened))
