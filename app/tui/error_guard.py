"""An application that goes on after a mistake of our own: it is noted, told, and the screens begin anew.

Textual ends the program with a traceback, session text in it, for any error in a key, a message or a
painted row. Its one place for all of them is a private method, which is overridden here and nowhere else.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from rich.console import RenderableType
from textual.actions import ActionParseResult
from textual.app import App
from textual.dom import DOMNode
from textual.worker import WorkerFailed

from app.display import UNICODE, Glyphs
from app.errors import RefusedError
from app.settings import lets_errors_through

if TYPE_CHECKING:
    from app.crash_log import CrashNote
    from app.tui.screens.parts.unsaved_steps import KeepsSteps

MOST: Final = 5
"""So many errors in so many seconds end the program: what is shown again fails again."""
SECONDS: Final = 20.0


class GuardedApp(App[None]):
    """Notes errors that nobody expected, and goes on."""

    glyphs: Glyphs = UNICODE
    _mishaps: tuple[tuple[float, CrashNote], ...] = ()
    """The newest errors, with when they were."""
    _noted: BaseException | None = None
    """The last error noted."""
    _is_ending = False
    _waits_to_go_on = False
    """Whether the screens will be recreated; until then, further errors count as the same failure."""
    farewell = ""
    """Why the program ended: a line to print after the terminal is restored."""

    async def begin_anew(self, works: Sequence[KeepsSteps]) -> None:
        """Put new screens in the place of all that there are, with the sessions that were worked on."""
        raise NotImplementedError

    # Where errors come from

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        try:
            return await super().run_action(action, default_namespace, namespaces)
        except Exception as error:
            if lets_errors_through():
                raise
            # A key is done with once it failed: the screen is whole.
            self.tell_mishap(self.noted(error))
            return True

    def _handle_exception(self, error: Exception) -> None:
        """Called by Textual for every error in a message, a timer or a painted row.

        The pump of the widget that failed is dead then, so that its screen cannot be gone on with.
        """
        if lets_errors_through():
            super()._handle_exception(error)
        elif isinstance(error, WorkerFailed):
            self.worker_failed(error.error)
        elif not self._is_ending and not self._waits_to_go_on:
            self._recover(self.noted(error))

    def worker_failed(self, error: BaseException) -> None:
        """Tell of an error in a thread, once; what it was to find out is missing, the screen is whole."""
        if error is not self._noted:
            self.tell_mishap(self.noted(error))

    def exit(self, result: None = None, return_code: int = 0, message: RenderableType | None = None) -> None:
        # What fails while screens are taken down is nobody's concern any more.
        self._is_ending = True
        super().exit(result, return_code, message)

    # What is done about them

    def noted(self, error: BaseException) -> CrashNote:
        """Write the log of an error."""
        from app.crash_log import note

        self._noted = error
        return note(error, self._sizes())

    def _sizes(self) -> dict[str, Any]:
        sizes: dict[str, Any] = {"screens": " ".join(type(screen).__name__ for screen in self.screen_stack)}
        sizes["size"] = f"{self.size.width}x{self.size.height}"
        if (work := self._work()) is not None:
            session = work.workspace.session
            sizes |= {
                "format": session.format,
                "records": len(session.records),
                "messages": len(session.messages),
                "bytes": work.opened.source.size,
                "pipeline": work.workspace.pipeline.name if work.workspace.pipeline.is_preset else "own",
                "steps": len(work.workspace.history.done),
            }
        return sizes

    def tell_mishap(self, mishap: CrashNote) -> None:
        """Say what happened, with a way to go on and one to leave."""
        from app.tui.screens.confirm import ConfirmScreen

        log = f"Log (contains no session text): {mishap.log}" if mishap.log else "No log could be written."
        where = f" in {mishap.place}" if mishap.place else ""
        detail = f"{mishap.kind}{where}. {self._kept_words()}. {log}"
        question = "Something went wrong in handcompact."

        def answer(leave: bool | None) -> None:
            if leave:
                self._end(mishap)

        self.push_screen(ConfirmScreen(question, yes="Quit", no="Continue", detail=detail), answer)

    def _kept_words(self) -> str:
        work = self._work()
        if work is None or not work.workspace.history.done:
            return "Nothing was written"
        return "Your steps are saved on disk" if work.is_kept else "Your steps could not be saved to disk"

    def _recover(self, mishap: CrashNote) -> None:
        now = time.monotonic()
        recent = tuple((then, other) for then, other in self._mishaps if now - then < SECONDS)
        self._mishaps = (*recent, (now, mishap))
        if len(self._mishaps) >= MOST or not self.is_running:
            self._end(self._mishaps[0][1])
        else:
            self._waits_to_go_on = True
            self.call_next(self._go_on, mishap)

    async def _go_on(self, mishap: CrashNote) -> None:
        works = self._works()
        self._waits_to_go_on = False
        try:
            await self.begin_anew(works)
        except Exception as error:
            self.noted(error)
            self._end(mishap)
            return
        # Where a new screen failed meanwhile, this is called again for it.
        if not self._waits_to_go_on and not self._is_ending:
            self.tell_mishap(mishap)

    def _end(self, mishap: CrashNote) -> None:
        """Leave with a line that says what happened; steps stay on disk for the next time."""
        self.farewell = f"handcompact: {mishap.words}. {self._kept_words()}."
        for work in self._works():
            if work.journal is not None:
                work.journal.close()
        self.exit(return_code=RefusedError.exit_code)

    def _work(self) -> KeepsSteps | None:
        """The screen of the session that is worked on."""
        works = self._works()
        return works[-1] if works else None

    def _works(self) -> list[KeepsSteps]:
        from app.tui.screens.parts.unsaved_steps import KeepsSteps

        return [screen for screen in self.screen_stack if isinstance(screen, KeepsSteps)]
