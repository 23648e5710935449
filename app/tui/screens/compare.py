"""A comparison of all pipelines on the open session; enter opens the selected one in the stepper."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar

from textual import on
from textual.message import Message
from textual.widget import Widget
from textual.worker import get_current_worker

from app.display import counted, human_number, spread
from app.errors import HandcompactError
from app.opening import Opened
from app.pipeline import known_names, load
from app.tui.in_thread import in_thread
from app.tui.keys import KeyScope
from app.tui.outcome_words import facts, outcome_row, title_of
from app.tui.screens.base import WorkScreen, acts
from app.tui.screens.confirm import ConfirmScreen
from app.tui.widgets.fact_list import FactList
from app.tui.widgets.line_view import LineView
from app.tui.widgets.outcome_list import OutcomeList
from app.views.compare import ComparedPipeline, Comparer, best, ranked


class CompareScreen(WorkScreen):
    """One row per pipeline, filled in as results arrive; the session and its steps are not changed.

    `then` is called after a pipeline was opened and this screen was closed.
    """

    WHERE: ClassVar[KeyScope] = KeyScope.COMPARE

    class Found(Message):
        """One row was computed."""

        def __init__(self, tried: ComparedPipeline) -> None:
            super().__init__()
            self.tried = tried

    class AddedUp(Message):
        """The tokens of the session, as far as they are counted."""

        def __init__(self, tokens: int) -> None:
            super().__init__()
            self.tokens = tokens

    class Said(Message):
        """The progress text; empty once every row is computed."""

        def __init__(self, words: str) -> None:
            super().__init__()
            self.words = words

    def __init__(self, opened: Opened, then: Callable[[], None] = lambda: None) -> None:
        super().__init__(opened)
        self._then = then
        self._tried = [ComparedPipeline(name) for name in known_names()]
        self._by_tokens = False
        self._is_trying = True
        self._tokens: int | None = None
        """Tokens of the session as it was opened; None while they are being added up."""

    def body(self) -> Iterable[Widget]:
        yield OutcomeList(glyphs=self.glyphs, id="outcomes")
        yield FactList(glyphs=self.glyphs, id="about")

    def header(self) -> str:
        live = self.workspace.session.live
        tokens = "" if self._tokens is None else f", {self._about}{human_number(self._tokens)}"
        left = f"Pipelines compared  {counted(len(live), 'message')}{tokens}"
        return spread(left, self.workspace.estimator.describe(), self.size.width - 2, self.glyphs)

    @property
    def _about(self) -> str:
        return "" if self.workspace.counts_exactly else "~"

    @property
    def _list(self) -> OutcomeList:
        return self.query_one(OutcomeList)

    @property
    def _current(self) -> ComparedPipeline:
        return self._tried[self._list.cursor]

    def on_mount(self) -> None:
        self._list.focus()
        self._lay()
        self._list.cursor = next((i for i, tried in enumerate(self._tried) if self._is_present(tried)), 0)
        self._describe()
        self._try_all()

    # Computing the rows

    @in_thread(exit_on_error=False, exclusive=True, group="compare")
    def _try_all(self) -> None:
        """Compute every row from estimates, then all again once the session is counted."""
        worker, workspace = get_current_worker(), self.workspace
        self._say("checking the rules")
        comparer = Comparer(workspace)
        names = [tried.name for tried in self._tried]
        self._try(comparer, names)
        if workspace.estimator.exact and workspace.counted_share < 1:
            workspace.count(workspace.to_count(), lambda: worker.is_cancelled, self._say)
            self._try(comparer, names)
        self._say("")

    def _try(self, comparer: Comparer, names: list[str]) -> None:
        worker = get_current_worker()
        self.post_message(self.AddedUp(self.workspace.tokens(self.workspace.session.live)))
        for number, name in enumerate(names, 1):
            self._say(f"trying pipeline {number} of {len(names)}")
            if worker.is_cancelled:
                return
            self.post_message(self.Found(comparer.try_named(name)))

    def _say(self, words: str) -> None:
        if not get_current_worker().is_cancelled:
            self.post_message(self.Said(words))

    @on(AddedUp)
    def _added_up(self, event: AddedUp) -> None:
        self._tokens = event.tokens
        self.refresh_lines()

    @on(Found)
    def _found(self, event: Found) -> None:
        self._tried = [event.tried if old.name == event.tried.name else old for old in self._tried]
        self._lay()
        if event.tried is self._current:
            self._describe()

    @on(Said)
    def _said(self, event: Said) -> None:
        self._is_trying = bool(event.words)
        if event.words:
            self.status(f"{event.words}: esc stops and goes back")
        else:
            self._sort()

    # Showing

    def _is_present(self, tried: ComparedPipeline) -> bool:
        return tried.name == self.workspace.pipeline.reference

    def _lay(self) -> None:
        found = None if self._is_trying else best(self._tried)
        self._list.show(
            [
                outcome_row(
                    tried,
                    about=self._about,
                    present=self._is_present(tried),
                    best=found is not None and found.pipeline == title_of(tried),
                )
                for tried in self._tried
            ]
        )
        self.refresh_lines()

    def _sort(self) -> None:
        """Sort the rows; the cursor stays on its pipeline."""
        current = self._current.name
        self._tried = ranked(self._tried)
        if self._by_tokens:
            self._tried.sort(key=lambda row: (not row.outcome, row.outcome.price.after if row.outcome else 0))
        self._lay()
        self._list.cursor = next(i for i, tried in enumerate(self._tried) if tried.name == current)
        self._describe()
        self._say_best()

    def _say_best(self) -> None:
        found = best(self._tried)
        if found is None:
            self.status("none of them frees anything here")
        else:
            self.status(f"+ {found.pipeline}: {found.reason}")

    @on(LineView.Moved, "#outcomes")
    def _describe(self) -> None:
        present = self._is_present(self._current)
        self.query_one("#about", FactList).show(list(facts(self._current, present=present)))
        self.refresh_lines()

    # Keys

    def why_not(self, action: str) -> str | None:
        if not self.is_mounted:
            return None
        match action:
            case "choose" if self._current.problem:
                return self._current.problem
            case "sort" if self._is_trying:
                return "the pipelines are still being tried"
        return None

    @acts
    def action_sort(self) -> None:
        self._by_tokens = not self._by_tokens
        self._sort()
        how = "tokens left" if self._by_tokens else "what is lost for good, then by tokens left"
        self.status(f"sorted by {how}")

    @on(LineView.Opened, "#outcomes")
    def _opened_row(self) -> None:
        self.action_choose()

    @acts
    def action_choose(self) -> None:
        taken = len(self.workspace.state.taken)
        if self._is_present(self._current):
            self._leave()
        elif not taken:
            self._take(True)
        else:
            question = f"Open {title_of(self._current)} and undo the {counted(taken, 'stage')} that ran?"
            detail = "Pins and manual edits stay."
            self.app.push_screen(ConfirmScreen(question, yes="Open", detail=detail), self._take)

    def _take(self, sure: bool | None) -> None:
        if not sure:
            return
        try:
            self.workspace.choose(load(self._current.name))
        except HandcompactError as error:
            self.status(str(error))
        else:
            self._leave()

    def _leave(self) -> None:
        self.dismiss()
        self._then()

    def action_close(self) -> None:
        self.dismiss()
