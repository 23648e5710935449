"""Cooperative cancellation: long work polls a callback and raises Stopped once it returns true."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias, TypeVar

from app.errors import Stopped

Stop: TypeAlias = Callable[[], bool]
"""Polled during long work; true cancels it."""

Thing = TypeVar("Thing")


class Stopper:
    """Raises Stopped once `stop` returns true; `words` say in the message what became of the work."""

    def __init__(self, stop: Stop, words: str) -> None:
        self._stop = stop
        self._words = words

    def look(self) -> None:
        """Raise Stopped if the work was cancelled."""
        if self._stop():
            raise Stopped(f"stopped: {self._words}")

    def each(self, things: Iterable[Thing]) -> Iterator[Thing]:
        """The same items, calling `look` before each."""
        for thing in things:
            self.look()
            yield thing


def never() -> bool:
    """The `Stop` that never cancels."""
    return False


TO_THE_END: Final = Stopper(never, "")
"""The Stopper that never cancels."""
