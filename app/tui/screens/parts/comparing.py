"""Opening the comparison of pipelines."""

from __future__ import annotations

from app.tui.screens.base import WorkScreen
from app.tui.screens.compare import CompareScreen


class Compares(WorkScreen):
    """A screen from which the pipelines can be compared."""

    def action_compare(self) -> None:
        self.app.push_screen(CompareScreen(self.opened, self.show_steps))

    def show_steps(self) -> None:
        """Show the pipeline's stages one by one, in the stepper."""
