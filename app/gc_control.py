"""The collector of circles, kept away from work that makes a great many objects and no circle.

Each of its searches goes through all that was made so far; what is in no circle is freed without it.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class _Pauses:
    """How many pauses there are now, in all threads together."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open = 0
        self._was_on = True
        self._lasting = False
        self._something_left = False

    def leave(self) -> None:
        self._something_left = True

    def free(self) -> None:
        with self._lock:
            something, self._something_left = self._something_left, False
        if something:
            gc.unfreeze()
            gc.collect()

    def begin(self) -> None:
        with self._lock:
            if self._open == 0:
                self._was_on = gc.isenabled()
                gc.disable()
            self._open += 1

    def end(self, *, lasting: bool) -> None:
        with self._lock:
            self._open -= 1
            self._lasting = self._lasting or lasting
            if self._open:
                return
            if self._lasting:
                gc.freeze()
                self._lasting = False
            if self._was_on:
                gc.enable()


_pauses = _Pauses()


@contextmanager
def collector_paused(*, lasting: bool = False) -> Iterator[None]:
    """Collect nothing meanwhile. May be nested, and used by several threads at once.

    `lasting`: what was made meanwhile lives for as long as the session is open, and is never looked at
    again, unless `session_left` is called. Where the collector was off before, it stays off.
    """
    _pauses.begin()
    try:
        yield
    finally:
        _pauses.end(lasting=lasting)


def session_left() -> None:
    """Note that what lived for as long as a session was open is needed no more."""
    _pauses.leave()


def free_what_was_left() -> None:
    """Free the sessions that were left since the last time.

    It goes through all that is held, which takes 0.6 s for one of half a gigabyte: for where a person
    waits for a file anyway.
    """
    _pauses.free()
