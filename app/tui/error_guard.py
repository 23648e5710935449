"""An app that survives unexpected exceptions: it logs and reports them, and recreates the screens.

By default Textual exits with a traceback, which can contain session text, for any exception in an action,
a message handler or rendering. Its only hook for all of them is a private method, overridden only here.
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
"""This many errors in this many seconds end the program: the recreated screens fail again."""
SECONDS: Final = 20.0


class GuardedApp(App[None]):
    """Logs unexpected exceptions and keeps running."""

    glyphs: Glyphs = UNICODE
    _mishaps: tuple[tuple[float, CrashNote], ...] = ()
    """The newest errors, each with its time."""
    _noted: BaseException | None = None
    """The last error logged."""
    _is_ending = False
    _waits_to_go_on = False
    """Whether the screens will be recreated; until then, further errors count as the same failure."""
    farewell = ""
    """Why the program ended: a line to print after the terminal is restored."""

    async def begin_anew(self, works: Sequence[KeepsSteps]) -> None:
        """Replace all screens by new ones, and reopen the sessions of `works` with their steps."""
        raise NotImplementedError

    # Sources of errors

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
            # A failed action leaves the screen itself intact.
            self.tell_mishap(self.noted(error))
            return True

    def _handle_exception(self, error: Exception) -> None:
        """Called by Textual for every error in a message, a timer or a painted row.

        The message pump of the failed widget is dead by then, so its screen cannot be used any more.
        """
        if lets_errors_through():
            super()._handle_exception(error)
        elif isinstance(error, WorkerFailed):
            self.worker_failed(error.error)
        elif not self._is_ending and not self._waits_to_go_on:
            self._recover(self.noted(error))

    def worker_failed(self, error: BaseException) -> None:
        """Report an error in a worker thread once; its result is missing, but the screen is intact."""
        if error is not self._noted:
            self.tell_mishap(self.noted(error))

    def exit(self, result: None = None, return_code: int = 0, message: RenderableType | None = None) -> None:
        # Errors while the screens are torn down are ignored.
        self._is_ending = True
        super().exit(result, return_code, message)

    # Recovery

    def noted(self, error: BaseException) -> CrashNote:
        """Write the crash log of an error."""
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
        """Show what happened, and offer to continue or to quit."""
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
        # If a new screen failed in the meantime, this method runs again for that error.
        if not self._waits_to_go_on and not self._is_ending:
            self.tell_mishap(mishap)

    def _end(self, mishap: CrashNote) -> None:
        """Exit with a line that says what happened; the steps stay in the journal for the next run."""
        self.farewell = f"handcompact: {mishap.words}. {self._kept_words()}."
        for work in self._works():
            if work.journal is not None:
                work.journal.close()
        self.exit(return_code=RefusedError.exit_code)

    def _work(self) -> KeepsSteps | None:
        """The topmost screen with an open session."""
        works = self._works()
        return works[-1] if works else None

    def _works(self) -> list[KeepsSteps]:
        from app.tui.screens.parts.unsaved_steps import KeepsSteps

        return [screen for screen in self.screen_stack if isinstance(screen, KeepsSteps)]
