"""Every frame that an app paints, as text: what a person sees before a screen has settled."""

from __future__ import annotations

from textual.app import App

from tests.tui.screen_text import screen_text


class Frames(App[None]):
    """Mixed into an app: keeps its frames."""

    def on_load(self) -> None:
        self.frames: list[str] = []

    def post_display_hook(self) -> None:
        """Textual calls it after each frame."""
        frame = screen_text(self)
        if not self.frames or self.frames[-1] != frame:
            self.frames.append(frame)
