"""A word on what is being worked out, for how long already, and how to do without it."""

from __future__ import annotations

import time

from textual.timer import Timer

from app.display import spread
from app.tui.screens.base import BaseScreen

SLOW_SECONDS = 0.2
"""What takes less is not told."""
TELL_SECONDS = 0.5
"""Time between two words."""


class TellsWaits(BaseScreen):
    """A screen that says in its status line what it waits for."""

    _waiting: Timer | None = None
    _waits_for = ""

    def wait_for(self, words: str, *, way_out: str = "", at_once: bool = False) -> None:
        """Say, until `waited` is called, that `words` takes long; `way_out` is what escape does.

        `at_once` says it without waiting whether it does.
        """
        self.waited()
        self._waits_for = words
        began = time.monotonic()

        def tell() -> None:
            right = "  ".join(filter(None, (f"{time.monotonic() - began:.0f} s", way_out)))
            words = f"{self._waits_for} ..."
            self.status(spread(words, right, self.size.width - 2, self.glyphs))

        def begin() -> None:
            tell()
            self._waiting = self.set_interval(TELL_SECONDS, tell)

        if at_once:
            begin()
        else:
            self._waiting = self.set_timer(SLOW_SECONDS, begin)

    def waits_now_for(self, words: str) -> None:
        """Say from now on that it is this; the time goes on."""
        self._waits_for = words

    @property
    def is_waiting(self) -> bool:
        """Whether something is being waited for."""
        return self._waiting is not None

    def waited(self) -> None:
        """It is there, or is waited for no longer."""
        if self._waiting is not None:
            self._waiting.stop()
            self._waiting = None
