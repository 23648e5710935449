"""Getting a summary from a model or a person, for a stage or for a range of rows.

Both follow one protocol: build the request and show it, send it once the person agrees, insert the answer
as a step that can be undone, and check the summary against the messages it replaces.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Protocol

from msgspec import Struct

from app.edits.summarise_range import HAND, MODEL, SummariseRange
from app.errors import InputError, RefusedError
from app.model import blocks_of
from app.stages.base import Messages
from app.summarizers import SummaryRequest
from app.summarizers.proof import Proof, prove
from app.summarizers.rules import Rule, with_rules
from app.work.history import Operation
from app.work.stage_inputs import give_summary, note_failure, prefer, walked, wanted
from app.work.workspace import Workspace


class Written(Struct, frozen=True):
    """A summary by a model or a person, and the conversations it is checked against."""

    text: str
    before: Messages
    """The conversation it was made from."""
    after: Messages
    """The conversation that contains it."""
    session: Messages
    """The conversation as opened: facts that earlier stages removed are not invented ones either."""

    ruled: Messages
    """The conversation whose rules it should mention, except those still present in `after`."""

    def proof(self) -> Proof:
        """Find invented facts, and lost rules that it does not mention. Linear in the conversation."""
        kept = {block.key for _, block in blocks_of(self.after)}
        return prove(self.text, self.before, kept=kept, also=self.session, ruled=self.ruled)


class SummaryTarget(Protocol):
    """What a summary is requested for."""

    @property
    def title(self) -> str:
        """What the summary is for, in a word or two."""

    def begin(self) -> None:
        """Prepare for the request."""

    def give_up(self) -> None:
        """Restore the state from before `begin`."""

    def request(self) -> tuple[SummaryRequest | None, str]:
        """The request to the model, or None and the reason. Linear in the conversation."""

    def take(self, answer: str, request: SummaryRequest) -> None:
        """Insert a model's answer; raises HandcompactError if that is not possible."""

    def failed(self, reason: str) -> None:
        """Record that the model gave no summary."""

    def written(self) -> tuple[Written | None, str]:
        """The inserted summary, or None and the reason."""

    def add_rules(self, rules: Iterable[Rule]) -> None:
        """Add rules to the summary, word for word; raises InputError without any."""


class ForStage:
    """A summary for a stage of the pipeline."""

    def __init__(self, workspace: Workspace, step: str) -> None:
        self._workspace = workspace
        self._step = step
        self._was_set = False
        """Whether `begin` changed the stage's options, which `give_up` then undoes."""

    @property
    def title(self) -> str:
        return self._step

    def begin(self) -> None:
        self._was_set = prefer(self._workspace, self._step, "model")

    def give_up(self) -> None:
        if self._was_set:
            self._workspace.undo()
            self._was_set = False

    def request(self) -> tuple[SummaryRequest | None, str]:
        request = wanted(self._workspace, self._step)
        return request, "" if request else self._note or "no summary is needed"

    def take(self, answer: str, request: SummaryRequest) -> None:
        give_summary(self._workspace, self._step, "model", answer, request.key)
        self._was_set = False

    def failed(self, reason: str) -> None:
        note_failure(self._workspace, self._step, reason)
        # The failure is recorded after the change of options, so `give_up` cannot undo that any more.
        self._was_set = False

    def written(self) -> tuple[Written | None, str]:
        step = walked(self._workspace, self._step)
        if step is None or not step.result.written:
            return None, self._note
        live = self._workspace.session.live
        # Rules that earlier stages removed are lost too, and this summary is the place to keep them.
        return Written(step.result.written, step.before, step.result.messages, live, live), step.result.note

    def add_rules(self, rules: Iterable[Rule]) -> None:
        found, _ = self.written()
        text = _with_some(found, rules)
        given = self._workspace.state.given(self._step).summaries
        assert found is not None, "rules are added to a text"
        key = next((key for key, answer in reversed(given.models) if answer.strip() == found.text), "")
        is_own = given.hand.strip() == found.text
        give_summary(self._workspace, self._step, HAND if is_own else MODEL, text, "" if is_own else key)

    @property
    def _note(self) -> str:
        step = walked(self._workspace, self._step)
        return "" if step is None else step.result.note


class ForRange:
    """A summary for the messages from one row to another.

    The edit defines the range, and holds the person's consent to removing their own messages in it.
    """

    def __init__(self, workspace: Workspace, edit: SummariseRange) -> None:
        self._workspace = workspace
        self._edit = replace(edit, source=MODEL, text="")
        self._done: tuple[Operation, ...] = workspace.history.done

    @property
    def title(self) -> str:
        return "these rows"

    def begin(self) -> None:
        return

    def give_up(self) -> None:
        return

    def request(self) -> tuple[SummaryRequest | None, str]:
        return self._edit.request(self._workspace.messages, self._workspace.context), ""

    def take(self, answer: str, request: SummaryRequest) -> None:
        if self._workspace.history.done != self._done:
            raise RefusedError("you have made other changes since it was asked")
        self._workspace.edit(replace(self._edit, text=answer))

    def failed(self, reason: str) -> None:
        """Nothing to record: the person may ask again."""

    def written(self) -> tuple[Written | None, str]:
        steps = self._workspace.steps
        edit = steps[-1].edit if steps else None
        if not isinstance(edit, SummariseRange) or not edit.text.strip():
            return None, "the latest step is not their summary"
        live, result, before = self._workspace.session.live, steps[-1].result, steps[-1].before
        return Written(edit.text.strip(), before, result.messages, live, before), result.note

    def add_rules(self, rules: Iterable[Rule]) -> None:
        found, _ = self.written()
        text = _with_some(found, rules)
        edit = self._workspace.steps[-1].edit
        assert isinstance(edit, SummariseRange), "rules are added to a text"
        self._workspace.undo()
        try:
            self._workspace.edit(replace(edit, text=text))
        except RefusedError:
            self._workspace.redo()
            raise


def _with_some(found: Written | None, rules: Iterable[Rule]) -> str:
    rules = tuple(rules)
    if found is None or not rules:
        raise InputError("none of your rules is missing from the summary")
    return with_rules(found.text, rules)
