"""Comparing two sessions of the session list."""

from __future__ import annotations

from pathlib import Path

from app.discovery.found_session import FoundSession
from app.display import short_path
from app.tui.screens.base import BaseScreen, acts


class ComparesSessions(BaseScreen):
    """A list of sessions, two of which can be compared."""

    _held: Path | None = None
    """The first session of a comparison, once chosen."""

    def at_hand(self) -> FoundSession | None:
        """The session under the cursor."""
        raise NotImplementedError

    @acts
    def action_hold(self) -> None:
        from app.tui.screens.session_diff import ContrastScreen

        row = self.at_hand()
        assert row is not None
        one, other = self._held, row.path
        if one is None:
            self._held = other
            self.status(f"press d on another session to compare it with {short_path(other)}")
            return
        self._held = None
        if one == other:
            self.status("comparison cancelled")
        else:
            self.app.push_screen(ContrastScreen(one, other, f"{one.name} {self.glyphs.arrow} {other.name}"))
