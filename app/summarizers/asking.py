"""Shared by all ways to ask a model: a timeout, cancellation, and a bounded answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from msgspec import Struct, field

from app.errors import Stopped, SummaryFailed
from app.summarizers.base import SummaryRequest

if TYPE_CHECKING:
    # It brings half of the standard library, for what few runs do.
    import asyncio

TIMEOUT_SECONDS: Final = 300.0
POLL_SECONDS: Final = 0.1
"""Interval at which cancellation is polled."""
LEAVE_SECONDS: Final = 2.0
"""How long to wait for a connection to close before abandoning it."""
ERROR_CHARS: Final = 300
THINKING_CHARS: Final = 200_000
"""Maximum code points of thinking at the start of an answer, which does not count as the answer."""

Ask: TypeAlias = Callable[[SummaryRequest], str]
"""Returns a model's answer to a request; may raise anything."""


class AnswerLimits(Struct, frozen=True):
    """The timeout of a request, its cancellation, and its progress callback."""

    seconds: float = TIMEOUT_SECONDS
    stop: Callable[[], bool] = lambda: False
    """Returns true to cancel the request."""
    told: Callable[[int], None] = lambda chars: None
    """Called, from any thread, with the number of code points received so far."""

    def until(self, name: str) -> Callable[[], None]:
        """A check for a waiting loop: raises Stopped or SummaryFailed once `name` is not to be waited for."""
        end = time.monotonic() + self.seconds

        def check() -> None:
            if self.stop():
                raise Stopped(f"{name} was stopped")
            if time.monotonic() > end:
                raise SummaryFailed(
                    f"{name} gave no complete answer within {self.seconds:g} seconds"
                    " (timeout_seconds in the settings)"
                )

        return check


PATIENT: Final = AnswerLimits()


class PartialAnswer(Struct):
    """An answer while it streams in; it must stay shorter than its source."""

    request: SummaryRequest
    limits: AnswerLimits
    parts: list[str] = field(default_factory=list)
    chars: int = 0
    """Code points so far."""

    def add(self, text: str) -> None:
        """Append text; raises SummaryFailed once the answer is not shorter than its source."""
        self.parts.append(text)
        self.chars += len(text)
        if self.chars > THINKING_CHARS or not "".join(self.parts[:8]).lstrip().startswith("<think"):
            check_shorter(self.request, self.chars)
        self.limits.told(self.chars)

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self.parts)


def check_shorter(request: SummaryRequest, chars: int) -> None:
    """Raise SummaryFailed if an answer is not shorter than its source."""
    if chars >= len(request.text):
        raise SummaryFailed(
            f"the model's answer ({chars:,} characters or more) is not shorter than the {len(request.text):,}"
            " that it was made from"
        )


def one_line(text: str) -> str:
    """An external error message as one line of at most `ERROR_CHARS` code points."""
    line = " ".join(text[: 20 * ERROR_CHARS].split())
    return line if len(line) <= ERROR_CHARS else f"{line[: ERROR_CHARS - 4]} ..."


def wait_for(work: Callable[[], Coroutine[Any, Any, str]], name: str, limits: AnswerLimits) -> str:
    """Run asynchronous work and return its result; cancels it on timeout or cancellation.

    It runs in a separate thread, so work that cannot be cancelled, such as a DNS lookup, blocks nobody.
    """
    check = limits.until(name)
    thread = _Work(work)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(POLL_SECONDS)
            if thread.is_alive():
                check()
    except BaseException:
        thread.cancel()
        thread.join(LEAVE_SECONDS)
        raise
    if thread.error is not None:
        raise thread.error
    return thread.answer


class _Work(threading.Thread):
    def __init__(self, work: Callable[[], Coroutine[Any, Any, str]]) -> None:
        super().__init__(daemon=True)
        self.answer = ""
        self.error: BaseException | None = None
        self._work = work
        self._lock = threading.Lock()
        self._task: asyncio.Task[str] | None = None
        self._unwanted = False

    def run(self) -> None:
        import asyncio

        try:
            self.answer = asyncio.run(self._main())
        except BaseException as error:
            self.error = error

    async def _main(self) -> str:
        import asyncio

        with self._lock:
            self._task = asyncio.ensure_future(self._work())
            if self._unwanted:
                self._task.cancel()
        try:
            return await self._task
        finally:
            with self._lock:
                self._task = None

    def cancel(self) -> None:
        """Cancel the work, from another thread."""
        with self._lock:
            self._unwanted = True
            if self._task is not None:
                self._task.get_loop().call_soon_threadsafe(self._task.cancel)
