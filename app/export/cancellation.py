"""Ending work that nobody waits for any more: it is looked up, again and again, whether somebody does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias, TypeVar

from app.errors import Stopped

Stop: TypeAlias = Callable[[], bool]
"""Asked again and again while something is worked out or written; true ends it."""

Thing = TypeVar("Thing")


class Stopper:
    """Ends work by raising Stopped where `stop` says so; `words` are what came of the work then."""

    def __init__(self, stop: Stop, words: str) -> None:
        self._stop = stop
        self._words = words

    def look(self) -> None:
        """Raise Stopped if nobody waits any more."""
        if self._stop():
            raise Stopped(f"stopped: {self._words}")

    def each(self, things: Iterable[Thing]) -> Iterator[Thing]:
        """The same things, with a look before each."""
        for thing in things:
            self.look()
            yield thing


def never() -> bool:
    """The answer of one who waits to the end."""
    return False


TO_THE_END: Final = Stopper(never, "")
"""Ends nothing."""
