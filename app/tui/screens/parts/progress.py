"""A progress text: what is being computed, for how long, and how to cancel it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeAlias

from textual.timer import Timer

from app.display import spread
from app.tui.screens.base import BaseScreen

SLOW_SECONDS = 0.2
"""Shorter waits are not shown."""
TELL_SECONDS = 0.5
"""Time between two updates."""


Telling: TypeAlias = Callable[[], tuple[str, str]]
"""Called twice a second: returns (current activity, progress); progress is empty if unknown."""


class TellsWaits(BaseScreen):
    """A screen that shows in its status line what it waits for."""

    _waiting: Timer | None = None
    _telling: Telling = staticmethod(lambda: ("", ""))

    def wait_for(self, what: str | Telling, *, way_out: str = "", at_once: bool = False) -> None:
        """Show `what` as in progress until `waited` is called; `way_out` is what escape does.

        It appears after a short delay, or immediately with `at_once`.
        """
        self.waited()
        self._wait_on(what)
        began = time.monotonic()

        def tell() -> None:
            words, how_far = self._telling()
            right = "  ".join(filter(None, (how_far, f"{time.monotonic() - began:.0f} s", way_out)))
            self.status(spread(f"{words} ...", right, self.size.width - 2, self.glyphs))

        def begin() -> None:
            tell()
            self._waiting = self.set_interval(TELL_SECONDS, tell)

        if at_once:
            begin()
        else:
            self._waiting = self.set_timer(SLOW_SECONDS, begin)

    def waits_now_for(self, words: str) -> None:
        """Change the text; the elapsed time goes on."""
        self._wait_on(words)

    def _wait_on(self, what: str | Telling) -> None:
        self._telling = (lambda: (what, "")) if isinstance(what, str) else what

    @property
    def is_waiting(self) -> bool:
        """Whether something is being waited for."""
        return self._waiting is not None

    def waited(self) -> None:
        """Stop showing the progress text."""
        if self._waiting is not None:
            self._waiting.stop()
            self._waiting = None
