"""The program on a file, with a list that cannot be painted once all stages ran: `FILE once|always`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn

from textual import events

from app.tui.app import HandcompactApp, Opening
from app.tui.screens.confirm import ConfirmScreen
from app.tui.screens.inspect import InspectScreen
from app.tui.screens.parts.unsaved_steps import KeepsSteps
from app.tui.widgets.controls import PushButton
from app.tui.widgets.message_list import MessageList

USUAL = MessageList.row_strip


def fail(*_: object) -> NoReturn:
    raise KeyError("secret of the session")


class FailingApp(HandcompactApp):
    """Works as usual until all stages ran."""

    is_broken = False
    was_answered = False
    went_on = ""

    def on_ready(self, event: events.Ready) -> None:
        self.set_interval(0.3, self.go_on)

    def go_on(self) -> None:
        """Run the stages and break the list; say go on to the question; leave when the rows are back."""
        screen = self.screen
        if isinstance(screen, ConfirmScreen) and screen.query(PushButton):
            self.was_answered = True
            screen.dismiss(False)
        elif isinstance(screen, InspectScreen) and screen.shown and not self.is_broken:
            self.is_broken = True
            screen.workspace.run_all()
            MessageList.row_strip = fail  # type: ignore[method-assign, assignment]
            screen.lay_rows()
        elif isinstance(screen, InspectScreen) and MessageList.row_strip is USUAL and self.was_answered:
            self.went_on = f"went on with {len(screen.workspace.history.done)} steps"
            self.exit()

    async def begin_anew(self, works: Sequence[KeepsSteps]) -> None:
        if sys.argv[2] == "once":
            MessageList.row_strip = USUAL  # type: ignore[method-assign]
        await super().begin_anew(works)


if __name__ == "__main__":
    app = FailingApp(Opening(file=sys.argv[1], pipeline="react-mini"))
    app.run()
    print(app.went_on or app.farewell)
    sys.exit(app.return_code)
