"""A decorator for screen methods that run in a worker thread."""

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
    """`textual.work(thread=True)` with a short description.

    Without one Textual formats all arguments on the UI thread: for an export plan, the whole session.
    """
    return work(thread=True, group=group, exclusive=exclusive, exit_on_error=exit_on_error, description=group)
