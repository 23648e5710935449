"""Work behind the screens: a method that is called on a screen and done in a thread of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from textual import work
from textual.worker import Worker

P = ParamSpec("P")
R = TypeVar("R")


def in_thread(
    *, group: str, exclusive: bool = False, exit_on_error: bool = True
) -> Callable[[Callable[P, R]], Callable[P, Worker[R]]]:
    """`textual.work(thread=True)` with a word for its description.

    Without one Textual writes out all arguments, on the screen's own thread: of a plan that is the session.
    """
    return work(thread=True, group=group, exclusive=exclusive, exit_on_error=exit_on_error, description=group)
