"""Giving the current stage the input it waits for: a summary, or a provider's refusal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from textual import on

from app.display import human_bytes
from app.errors import HandcompactError
from app.tui.screens.base import Prompt, acts
from app.tui.screens.choose import Choice, ChooseScreen
from app.tui.screens.gate import GateScreen
from app.tui.screens.parts.models import model_choice, prompt_screen
from app.tui.screens.parts.stepping import WalksStages
from app.tui.screens.prompt import PromptScreen
from app.tui.screens.proof import ProofScreen
from app.tui.screens.refusal import RefusalScreen
from app.tui.screens.summary import SummaryScreen
from app.tui.widgets.fact_list import Fact
from app.work.stage_inputs import (
    give_memory,
    offered_memories,
    prefer,
    read_small_file,
    recovering_step,
    reset,
    sources,
    summarizing_steps,
)
from app.work.summary_requests import ForStage
from app.work.workspace import Status, Step

Offer = tuple[Choice, Callable[[], None]]
"""A line of the list, and the action of choosing it."""


class GivesStageInputs(WalksStages):
    """A screen that steps through the stages and gives the current one the input it waits for."""

    def did(self, words: str) -> None:
        """Report what a key did, and refresh the screen."""
        raise NotImplementedError

    @property
    def at_hand(self) -> Step | None:
        """The current stage; None while it is being computed."""
        raise NotImplementedError

    def why_not_summary(self) -> str | None:
        """Why no summary can be given now; None if one can."""
        step = self.at_hand
        if step is None:
            return "the stage is still running"
        if not sources(self.workspace, step.name):
            others = summarizing_steps(self.workspace)
            where = f": {', '.join(others)} can" if others else ""
            return f"{step.name} does not use a summary{where}"
        if step.status is not Status.PREVIEW:
            return "all stages are done: [ undoes the last one"
        return None

    def chances(self) -> Iterator[Fact]:
        """Which keys may help a stage that does nothing."""
        step = self.at_hand
        if step is None or step.changes or step.status is not Status.PREVIEW:
            return
        if step.name == recovering_step(self.workspace):
            yield Fact("keys", "F pastes the provider's error, or assumes it refused", "-")
        if self.why_not_summary() is None:
            yield Fact("keys", "w provides a summary: rules, memory, by hand or a model", "-")
        yield Fact("keys", "o changes its options; ] continues", "-")

    def why_not_calls(self) -> str | None:
        """Why the call-by-call view cannot be opened; None if it can."""
        if self.at_hand is None:
            return "the stage is still running"
        return (
            None
            if self.at_hand.result.replay
            else f"{self.at_hand.name} replays no calls: use pipeline gate-8k"
        )

    @acts
    def action_calls(self) -> None:
        step = self.at_hand
        assert step is not None
        self.app.push_screen(GateScreen(self.opened, step))

    def why_not_refused(self) -> str | None:
        """Why no refusal can be handled; None if one can."""
        if recovering_step(self.workspace) is None:
            return (
                f"{self.workspace.pipeline.name} has no recovery stage: use P to choose minicode or layered"
            )
        return None

    @acts
    def action_refused(self) -> None:
        step = recovering_step(self.workspace)
        assert step is not None
        before = len(self.workspace.history.done)
        number = [planned.name for planned in self.workspace.pipeline.steps].index(step) + 1

        def say(_: None) -> None:
            if len(self.workspace.history.done) > before:
                self.did(f"{step} runs with it: {number} goes there, u undoes it")

        self.app.push_screen(RefusalScreen(self.opened, step), say)

    @acts
    def action_summary(self) -> None:
        step = self.at_hand
        assert step is not None
        offers = list(self._offers(step))

        def choose(position: int | None) -> None:
            if position is not None:
                offers[position][1]()

        about = step.result.note or "The summary replaces everything that is removed."
        self.app.push_screen(
            ChooseScreen(f"Summary for {step.name} from", [choice for choice, _ in offers], about=about),
            choose,
        )

    def _offers(self, step: Step) -> Iterator[Offer]:
        name = step.name
        yield Choice("rules only", "structured, no model"), lambda: self._by_rules(name)
        for path in offered_memories(self.workspace):
            size = human_bytes(path.stat().st_size)
            yield Choice(f"memory: {path.name} in {path.parent}", size), partial(self._by_memory, path)
        yield Choice("memory: another file ...", "path"), lambda: self.ask("memory", "memory file:")
        yield Choice("written by you", "editor"), lambda: self._push(SummaryScreen(self.opened, name))
        yield model_choice(), lambda: self._push(prompt_screen(self.opened, self._wish(name)))
        if step.result.written:
            yield (
                Choice("check the current one against the session", "proof"),
                lambda: self._push(ProofScreen(self.opened, self._wish(name))),
            )
        if failures := self.workspace.state.given(name).failures:
            yield Choice("reset the failure count", f"{failures} in a row"), lambda: self._reset(name)

    def _wish(self, step: str) -> ForStage:
        return ForStage(self.workspace, step)

    def _push(self, screen: SummaryScreen | PromptScreen | ProofScreen) -> None:
        self.app.push_screen(screen)

    def _by_rules(self, step: str) -> None:
        prefer(self.workspace, step, "structured")
        self.did("summary by rules")

    def _by_memory(self, path: Path) -> None:
        step = self.at_hand
        if step is None:
            return
        try:
            text = read_small_file(path)
            prefer(self.workspace, step.name, "memory")
            left_out = give_memory(self.workspace, step.name, [text])
        except HandcompactError as error:
            self.status(str(error))
        else:
            self.did(f"summary from {path.name}" + (f": {left_out}" if left_out else ""))

    def _reset(self, step: str) -> None:
        reset(self.workspace, step)
        self.did("failure count reset")

    @on(Prompt.Taken)
    def _named(self, event: Prompt.Taken) -> None:
        if event.purpose == "memory" and event.text.strip():
            self._by_memory(Path(event.text.strip()).expanduser())
