"""A word on what is being worked out, for how long already, and how to do without it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeAlias

from textual.timer import Timer

from app.display import spread
from app.tui.screens.base import BaseScreen

SLOW_SECONDS = 0.2
"""What takes less is not told."""
TELL_SECONDS = 0.5
"""Time between two words."""


Telling: TypeAlias = Callable[[], tuple[str, str]]
"""Asked twice a second: what is being done now, and how far that is, empty where it is not known."""


class TellsWaits(BaseScreen):
    """A screen that says in its status line what it waits for."""

    _waiting: Timer | None = None
    _telling: Telling = staticmethod(lambda: ("", ""))

    def wait_for(self, what: str | Telling, *, way_out: str = "", at_once: bool = False) -> None:
        """Say, until `waited` is called, that `what` takes long; `way_out` is what escape does.

        `at_once` says it without waiting whether it does.
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
        """Say from now on that it is this; the time goes on."""
        self._wait_on(words)

    def _wait_on(self, what: str | Telling) -> None:
        self._telling = (lambda: (what, "")) if isinstance(what, str) else what

    @property
    def is_waiting(self) -> bool:
        """Whether something is being waited for."""
        return self._waiting is not None

    def waited(self) -> None:
        """It is there, or is waited for no longer."""
        if self._waiting is not None:
            self._waiting.stop()
            self._waiting = None
