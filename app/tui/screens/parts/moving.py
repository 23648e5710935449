"""Converting the open session for another agent, after showing what would be lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.message import Message
from textual.worker import get_current_worker

from app.display import counted, short_path
from app.errors import HandcompactError
from app.tui.in_thread import in_thread
from app.tui.screens.base import acts
from app.tui.screens.choose import Choice, ChooseScreen
from app.tui.screens.confirm import ConfirmScreen
from app.tui.screens.parts.rows import RowsScreen

if TYPE_CHECKING:
    from app.convert import Conversion, Target


class MovesSession(RowsScreen):
    """A screen whose session can be converted to another agent's format."""

    class Planned(Message):
        """The conversion plan, or why there is none."""

        def __init__(self, plan: Conversion | str) -> None:
            super().__init__()
            self.plan = plan

    class WasMoved(Message):
        """The new session was written, or the reason why not."""

        def __init__(self, words: str, command: str | None = None) -> None:
            super().__init__()
            self.words = words
            self.command = command

    @acts
    def action_move(self) -> None:
        # Imported lazily, here and below, to not delay the first paint.
        from app.convert import TARGETS

        there = [target for target in TARGETS if target.format != self.workspace.session.format]
        choices = [
            Choice(target.kind.title, "" if target.agent else "a file of messages") for target in there
        ]

        def choose(position: int | None) -> None:
            if position is not None:
                self.say_row(f"converting to {there[position].kind.title} ...")
                self._plan_move(there[position])

        about = "The session as opened is written as a new one; you first see what cannot be converted."
        self.app.push_screen(ChooseScreen("Convert to", choices, about=about), choose)

    @in_thread(exit_on_error=False, exclusive=True, group="move")
    def _plan_move(self, target: Target) -> None:
        from app.convert import Destination, plan_conversion
        from app.convert.plan import why_not

        worker = get_current_worker()
        answer: Conversion | str
        try:
            place = Destination(install=target.agent)
            answer = plan_conversion(self.workspace.session, self.opened.source, target, place)
            answer = why_not(answer) or answer
        except HandcompactError as error:
            answer = str(error)
        if not worker.is_cancelled:
            self.post_message(self.Planned(answer))

    @on(Planned)
    def _ask_to_move(self, event: Planned) -> None:
        plan = event.plan
        if isinstance(plan, str):
            self.say_row(plan)
            return
        # The loss texts are in the plural, so the count follows in brackets.
        lost = [f"{loss.text} ({loss.count:,})" for loss in plan.losses] or ["Nothing is lost."]
        where = "" if plan.path is None else short_path(plan.path)
        words = f"{counted(plan.messages, 'message')} to {where}"

        def answer(sure: bool | None) -> None:
            if sure:
                self._write_move(plan)
            else:
                self.say_row("nothing written")

        question = f"Convert this session to {plan.target.kind.title}?"
        self.app.push_screen(ConfirmScreen(question, yes="Convert", detail=[words, *lost]), answer)

    @in_thread(exit_on_error=False, exclusive=True, group="move")
    def _write_move(self, plan: Conversion) -> None:
        from app.convert import write_conversion

        try:
            write_conversion(plan)
        except HandcompactError as error:
            self.post_message(self.WasMoved(str(error)))
            return
        where = "" if plan.path is None else short_path(plan.path)
        self.post_message(self.WasMoved(f"written: {where}", plan.resume_command))

    @on(WasMoved)
    def _tell_move(self, event: WasMoved) -> None:
        self.say_row(event.words)
        if event.command is not None:
            self.app.copy_to_clipboard(event.command)
            self.shell.say(f"resume command (copied): {event.command}")
