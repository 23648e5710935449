"""Opening the list of lost facts."""

from __future__ import annotations

from app.tui.screens.base import WorkScreen
from app.tui.screens.lost import LostScreen


class ShowsLosses(WorkScreen):
    """A screen from which the lost facts can be listed."""

    def action_lost(self) -> None:
        self.app.push_screen(LostScreen(self.opened))
