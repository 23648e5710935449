"""Quick fixes for the most common removals, each shown with what it would free."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.message import Message
from textual.worker import get_current_worker

from app.display import counted, short_number
from app.tui.in_thread import in_thread
from app.tui.screens.choose import Choice, ChooseScreen
from app.tui.screens.confirm import ConfirmScreen
from app.tui.screens.parts.attempting import Attempts
from app.work.quick_fixes import QUICK_FIXES, QuickFix, QuickFixOffer, offer, offers


class OffersQuickFixes(Attempts):
    """A screen on which quick fixes can be chosen."""

    class Weighed(Message):
        """The effect of each quick fix was computed."""

        def __init__(self, found: Sequence[QuickFixOffer]) -> None:
            super().__init__()
            self.found = found

    class Looked(Message):
        """The effect of a quick fix that looks at files on disk was computed."""

        def __init__(self, found: QuickFixOffer) -> None:
            super().__init__()
            self.found = found

    def action_fixes(self) -> None:
        self.tell("working out what can be freed ...")
        self._weigh()

    @in_thread(exit_on_error=False, exclusive=True, group="edit")
    def _weigh(self) -> None:
        worker = get_current_worker()
        found = offers(self.workspace)
        if not worker.is_cancelled:
            self.post_message(self.Weighed(found))

    @on(Weighed)
    def _show_fixes(self, event: Weighed) -> None:
        self.tell("")
        on_disk = [fix for fix in QUICK_FIXES if fix.looks_at_disk]
        choices = [_choice(found, self.glyphs.dot) for found in event.found]
        choices += [Choice(f"{fix.title} ...", "reads the files", fix.about) for fix in on_disk]

        def choose(position: int | None) -> None:
            if position is None:
                return
            if position >= len(event.found):
                self.tell("comparing with the files on disk ...")
                self._look_at_disk(on_disk[position - len(event.found)])
            elif event.found[position].does_something:
                found = event.found[position]
                self.attempt(found.edit, rule=found.fix.rule)
            else:
                self.tell(_nothing(event.found[position]))

        about = "Each fix is one step: u undoes it, d shows its diff."
        self.app.push_screen(ChooseScreen("Quick fixes", choices, about=about), choose)

    @in_thread(exit_on_error=False, exclusive=True, group="edit")
    def _look_at_disk(self, fix: QuickFix) -> None:
        worker = get_current_worker()
        found = offer(self.workspace, fix)
        if not worker.is_cancelled:
            self.post_message(self.Looked(found))

    @on(Looked)
    def _ask_for_disk(self, event: Looked) -> None:
        found = event.found
        if not found.does_something:
            self.tell(_nothing(found))
            return

        def answer(sure: bool | None) -> None:
            if sure:
                self.attempt(found.edit)
            else:
                self.tell("nothing changed")

        question = f"Clear {counted(found.blocks, 'block')} and free {_tokens(found)}?"
        self.app.push_screen(
            ConfirmScreen(question, yes="Clear", detail=f"{found.fix.about}: {found.note}"), answer
        )


def _choice(found: QuickFixOffer, dot: str) -> Choice:
    title = found.fix.title
    if not found.does_something:
        return Choice(f"{title} {dot} {found.note}", about=found.note)
    note = f"{counted(found.blocks, 'block'):>10} {_tokens(found):>13}"
    return Choice(title, note, about=found.fix.about)


def _nothing(found: QuickFixOffer) -> str:
    return f"{found.fix.title}: {found.note}"


def _tokens(found: QuickFixOffer) -> str:
    return f"~{short_number(found.tokens)} tokens"
