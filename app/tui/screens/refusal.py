"""Recovering after the provider refused the conversation as too long: its error and what is tried."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from textual import on
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import TextArea

from app.display import counted, spread
from app.errors import HandcompactError
from app.opening import Opened
from app.refusal import read_refusal
from app.stages.recover import Recover
from app.stages.summarize import Summarize
from app.tui.keys import KeyScope
from app.tui.screens.base import WorkScreen, acts
from app.tui.widgets.controls import Control, PushButton
from app.tui.widgets.editor import Editor
from app.tui.widgets.fact_list import Fact, FactList
from app.work.stage_inputs import give_refusal, reset, summarizing_steps, told_refusals
from app.work.workspace import Workspace


class RefusalScreen(WorkScreen):
    """Takes error texts; each one is a further attempt of the recover stage, which can be undone."""

    WHERE: ClassVar[KeyScope] = KeyScope.REFUSAL

    def __init__(self, opened: Opened, step: str) -> None:
        super().__init__(opened)
        self._step = step
        self._hint = "paste the error here; if left empty, a refusal without numbers is assumed"
        self._told: tuple[str, ...] = ()
        """The refusals recorded in the session, newest first."""
        self._at = 0

    def body(self) -> Iterable[Widget]:
        yield Editor(id="answer")
        yield FactList(glyphs=self.glyphs, id="facts")
        buttons = (
            PushButton("Cancel", id="cancel"),
            PushButton("Forget all", id="forget"),
            PushButton("Use", id="take"),
        )
        yield Horizontal(*buttons, id="buttons")

    def header(self) -> str:
        right = f"handled by {self._step}"
        return spread("What did the provider say?", right, self.size.width - 2, self.glyphs)

    @property
    def _answer(self) -> str:
        return self.query_one(Editor).text

    def on_mount(self) -> None:
        self._told = told_refusals(self.workspace)
        self._show_told(0)

    def _show_told(self, at: int) -> None:
        """Put one of the session's recorded refusals into the editor, if there is any."""
        self._at = at
        editor = self.query_one(Editor)
        editor.start(self._told[at] if self._told else "")
        editor.focus()
        if self._told:
            older = f" {at + 1} of {len(self._told)}, ctrl+n: older" if len(self._told) > 1 else ""
            self._hint = f"found in the session{older}; paste over it to use another"
        self._look()

    @acts
    def action_older(self) -> None:
        self._show_told((self._at + 1) % len(self._told))

    @on(TextArea.Changed)
    def _look(self) -> None:
        said = Fact("says", *_understood(self._answer), whole=True)
        facts = [said, *_ladder(self.workspace, self._step), *_breakers(self.workspace)]
        self.query_one(FactList).show(facts)
        self.status(self.why_not("take") or self._hint)
        self.refresh_lines()

    # Keys

    def why_not(self, action: str) -> str | None:
        match action:
            case "take" if self.is_mounted and self._answer.strip() and read_refusal(self._answer) is None:
                return "this error does not say that the conversation is too long"
            case "older" if len(self._told) < 2:
                return "no other refusal was found in the session"
            case "forget" if not list(_forgettable(self.workspace)):
                return "there are no refusals or failures to forget"
        return None

    def refresh_lines(self) -> None:
        super().refresh_lines()
        for name in ("take", "forget"):
            self.query_one(f"#{name}", PushButton).dimmed = self.why_not(name) is not None

    @on(Control.Used, "PushButton")
    def _pressed(self, event: Control.Used) -> None:
        match event.used.id:
            case "take":
                self.action_take()
            case "forget":
                self.action_forget()
            case _:
                self.action_close()

    @acts
    def action_take(self) -> None:
        try:
            give_refusal(self.workspace, self._step, self._answer)
        except HandcompactError as error:
            self.status(str(error))
        else:
            self.dismiss()

    @acts
    def action_forget(self) -> None:
        for step in list(_forgettable(self.workspace)):
            reset(self.workspace, step)
        self._look()
        self.status("forgotten: the next refusal counts as the first")

    def action_close(self) -> None:
        self.dismiss()


def _understood(answer: str) -> tuple[str, str]:
    """What was understood from an error text, and the sign for it."""
    if not answer.strip():
        return "nothing yet: a refusal without numbers is assumed", "-"
    refusal = read_refusal(answer)
    if refusal is None:
        return "not a refusal for length (a rate limit is not one)", "!"
    parts = []
    if refusal.tokens is not None:
        parts.append(f"{refusal.tokens:,} tokens sent")
    if refusal.limit is not None:
        parts.append(f"the limit is {refusal.limit:,}")
    if refusal.reserved:
        parts.append(f"{refusal.reserved:,} of them reserved for the reply")
    return ", ".join(parts) or "the conversation is too long (no numbers given)", "ok"


def _ladder(workspace: Workspace, step: str) -> Iterator[Fact]:
    """What is tried at each consecutive refusal, with a sign at the next one."""
    stage = workspace.stage(step)
    assert isinstance(stage, Recover), "the screen is opened for a stage that recovers"
    answers = workspace.state.refusals.get(step, ())
    had = len(answers)
    for attempt in range(1, stage.attempts + 1):
        sign = "done" if attempt <= had else "next" if attempt == had + 1 else "-"
        words = f"{attempt} of {stage.attempts}: {_cut_words(stage, attempt)}"
        if attempt <= had and answers[attempt - 1].strip():
            words += f" (error: {_understood(answers[attempt - 1])[0]})"
        yield Fact("attempts", words, sign, whole=True)
    sign = "next" if had >= stage.attempts else "-"
    yield Fact("attempts", f"{stage.attempts + 1}: gives up and changes nothing", sign)


def _cut_words(stage: Recover, attempt: int) -> str:
    """What one attempt does."""
    sources = ", ".join(stage.source)
    if not stage.ratios:
        return f"a summary ({sources}) and the newest {counted(stage.keep_messages, 'message')}"
    ratio = stage.ratios[min(attempt, len(stage.ratios)) - 1]
    tail = f"the newest {ratio:.0%} of the messages, at least {stage.floor_messages}"
    if attempt == 1 and stage.full_first:
        return f"a summary ({sources}) if that fits, otherwise {tail}"
    return tail


def _breakers(workspace: Workspace) -> Iterator[Fact]:
    """How close each stage is to being disabled for repeated failures."""
    for step in summarizing_steps(workspace):
        stage, failures = workspace.stage(step), workspace.state.failures.get(step, 0)
        if not isinstance(stage, Summarize):
            continue
        most = stage.max_failures
        if most and failures >= most:
            yield Fact(
                "breaker", f"{step} is stopped after {failures} failures in a row (ctrl+r resets it)", "!"
            )
        else:
            limit = f"; stops at {most}" if most else "; never stops"
            yield Fact("breaker", f"{step}: {counted(failures, 'failure')} in a row{limit}", "ok")


def _forgettable(workspace: Workspace) -> Iterator[str]:
    """Names of the steps with recorded refusals or failures."""
    state = workspace.state
    for step in summarizing_steps(workspace):
        if state.refusals.get(step) or state.failures.get(step):
            yield step
