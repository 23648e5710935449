"""All pipelines over the open session, side by side; enter takes the one under the cursor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from textual import on, work
from textual.message import Message
from textual.widget import Widget
from textual.worker import get_current_worker

from app.compare import Outcome, outcome
from app.display import counted, human_number, spread
from app.errors import HandcompactError
from app.opening import Opened
from app.pipeline import Pipeline, known_names, load
from app.tui.keys import Where
from app.tui.screens.base import WorkScreen, acts
from app.tui.screens.confirm import ConfirmScreen
from app.tui.widgets.fact_list import Fact, FactList
from app.tui.widgets.line_view import LineView
from app.tui.widgets.outcome_list import OutcomeList, OutcomeRow


@dataclass(frozen=True, slots=True)
class Tried:
    """One pipeline: what it would make of the session, or why that cannot be said."""

    name: str
    """As `load` takes it."""
    pipeline: Pipeline | None = None
    outcome: Outcome | None = None
    problem: str = ""

    @property
    def title(self) -> str:
        return Path(self.name).name if self.pipeline is None else self.pipeline.name


class CompareScreen(WorkScreen):
    """One row a pipeline, each filled in as it is worked out; the session and its steps stay as they are."""

    WHERE: ClassVar[Where] = Where.COMPARE

    class Found(Message):
        """One row was worked out; `counted` says whether with the tokenizer."""

        def __init__(self, row: int, tried: Tried) -> None:
            super().__init__()
            self.row = row
            self.tried = tried

    class Said(Message):
        """What goes on."""

        def __init__(self, words: str) -> None:
            super().__init__()
            self.words = words

    def __init__(self, opened: Opened) -> None:
        super().__init__(opened)
        self._tried = [Tried(name) for name in known_names()]

    def body(self) -> Iterable[Widget]:
        yield OutcomeList(glyphs=self.glyphs, id="outcomes")
        yield FactList(glyphs=self.glyphs, id="about")

    def header(self) -> str:
        how = self.workspace.estimator.describe()
        return spread("Pipelines side by side", how, self.size.width - 2, self.glyphs)

    @property
    def _list(self) -> OutcomeList:
        return self.query_one(OutcomeList)

    @property
    def _current(self) -> Tried:
        return self._tried[self._list.cursor]

    def on_mount(self) -> None:
        self._list.focus()
        self._lay()
        self._list.cursor = next((i for i, tried in enumerate(self._tried) if self._is_present(tried)), 0)
        self._describe()
        self._try_all()

    # Working it out

    @work(thread=True, exit_on_error=False, exclusive=True, group="compare")
    def _try_all(self) -> None:
        """Every row roughly, then all of them again once the session is counted."""
        worker, workspace = get_current_worker(), self.workspace
        names = [tried.name for tried in self._tried]
        self._try(names)
        if workspace.estimator.exact and workspace.counted_share < 1:
            workspace.count(workspace.to_count(), lambda: worker.is_cancelled, self._say)
            self._try(names)
        self._say("")

    def _try(self, names: Iterable[str]) -> None:
        worker = get_current_worker()
        for row, name in enumerate(names):
            if worker.is_cancelled:
                return
            self.post_message(self.Found(row, _tried(self.opened, name)))

    def _say(self, words: str) -> None:
        if not get_current_worker().is_cancelled:
            self.post_message(self.Said(words))

    @on(Found)
    def _found(self, event: Found) -> None:
        self._tried[event.row] = event.tried
        self._lay()
        if event.row == self._list.cursor:
            self._describe()

    @on(Said)
    def _said(self, event: Said) -> None:
        self.status(event.words or "enter takes the one under the cursor; * is the present one")

    # Showing

    def _is_present(self, tried: Tried) -> bool:
        present = self.workspace.pipeline
        return tried.name == (present.name if present.origin == "preset" else present.origin)

    def _lay(self) -> None:
        self._list.show([self._row(tried) for tried in self._tried])
        self.refresh_lines()

    def _row(self, tried: Tried) -> OutcomeRow:
        present, found = self._is_present(tried), tried.outcome
        if found is None:
            return OutcomeRow(tried.title, note=tried.problem or "being tried ...", present=present)
        about = "" if self.workspace.counts_exactly else "~"
        gone = max(0, found.messages_before - found.messages_after)
        first = found.price.first_changed
        figures = (
            f"{about}{human_number(found.price.after)}",
            f"{about}{human_number(found.freed)}",
            f"{human_number(gone)} of {human_number(found.messages_before)}",
            human_number(found.words_lost),
            human_number(found.only_copies_lost),
            "-" if first is None else f"#{first}",
            f"{about}{human_number(found.price.prefix)}",
        )
        return OutcomeRow(tried.title, figures, present=present, warning=bool(found.words_lost))

    @on(LineView.Moved, "#outcomes")
    def _describe(self) -> None:
        self.query_one("#about", FactList).show(list(_facts(self._current)))
        self.refresh_lines()

    # Keys

    def why_not(self, action: str) -> str | None:
        if action != "choose" or not self.is_mounted:
            return None
        if self._current.problem:
            return self._current.problem
        return "it is the present one" if self._is_present(self._current) else None

    @on(LineView.Opened, "#outcomes")
    def _opened_row(self) -> None:
        self.action_choose()

    @acts
    def action_choose(self) -> None:
        taken = len(self.workspace.state.taken)
        if not taken:
            self._take(True)
            return
        question = f"Take {self._current.title} and take back the {counted(taken, 'stage')} that ran?"
        self.app.push_screen(ConfirmScreen(question, yes="Take", detail="Pins stay."), self._take)

    def _take(self, sure: bool | None) -> None:
        if not sure:
            return
        try:
            self.workspace.choose(load(self._current.name))
        except HandcompactError as error:
            self.status(str(error))
        else:
            self.dismiss()

    def action_close(self) -> None:
        self.dismiss()


def _tried(opened: Opened, name: str) -> Tried:
    try:
        pipeline = load(name)
        return Tried(name, pipeline, outcome(opened.workspace, pipeline))
    except (HandcompactError, OSError) as error:
        return Tried(name, problem=str(error))


def _facts(tried: Tried) -> Iterator[Fact]:
    """What the row has no room for."""
    if tried.problem:
        yield Fact("wrong", tried.problem, "!", whole=True)
        return
    if tried.pipeline is None or tried.outcome is None:
        yield Fact("", "being tried ...")
        return
    yield Fact("is", tried.pipeline.title, whole=True)
    yield Fact("does", tried.pipeline.about, whole=True)
    if lost := tried.outcome.words_lost:
        yield Fact("yours", f"{counted(lost, 'text')} that you typed would go", "!", whole=True)
    if copies := tried.outcome.only_copies_lost:
        yield Fact(
            "copies", f"{counted(copies, 'result')} that cannot be had again would go", "!", whole=True
        )
    yield Fact("cache", tried.outcome.price.told(), whole=True)
    yield from (Fact("waits", words, whole=True) for words in tried.outcome.waiting)
