"""The workspace: an open session, a pipeline, and the steps that a person takes through it.

Headless: the command line and the screens are two thin faces of this class. Nothing here writes a
file; `app.export` does, from what is here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from app.compactability import Judgement, ResultFacts
from app.edits import Edit
from app.errors import RefusedError
from app.model import Block, Message, Session, Text
from app.pipeline import Pipeline
from app.stages.base import Change, Context, Messages, Protection, Stage
from app.tokens import token_estimator
from app.tokens.calibration import Calibration, calibrated
from app.tokens.counter import Counter, watch
from app.work.checks import Check, check_only_copies, check_pairs, check_words, words_gone
from app.work.history import Edited, History, Operation, OpKind, State, edit_of, edit_operation, fold
from app.work.on_disk import unchanged_reads
from app.work.rows import BlockRow, block_rows
from app.work.walk import Status, Step, Told, Walker, untold

__all__ = ["DEFAULT_WINDOW", "LARGE_WINDOW", "Status", "Step", "Workspace"]

DEFAULT_WINDOW = 200_000
LARGE_WINDOW = 1_000_000

_NO_STAGE_NAMED = {
    OpKind.RUN,
    OpKind.SKIP,
    OpKind.BACK,
    OpKind.PIN,
    OpKind.UNPIN,
    OpKind.EDIT,
    OpKind.UNCHANGED,
}
_ABOUT_A_STAGE = frozenset(OpKind) - _NO_STAGE_NAMED
"""Operations that name a stage by hand."""


class Workspace:
    """An open session and everything a person has done to it."""

    def __init__(
        self,
        session: Session,
        pipeline: Pipeline,
        *,
        exact: bool = True,
        window_tokens: int | None = None,
        new_id: str | None = None,
        root: str = "",
        index: str = "",
        settled: bool = False,
    ) -> None:
        self.session = session
        self.pipeline = pipeline
        self.new_id = new_id
        """The id that an exported session will get; None if the format has no ids."""
        self.root = root
        """The folder below which stages save results; previews name it."""
        self.index = index
        """The file in which an export lists the removed results; empty means no list."""
        self.settled = settled
        """Whether nothing was added to the session since an export wrote it."""
        self.window_tokens = window_tokens or _window_of(session)
        self.estimator = token_estimator(session.model, exact=exact)
        # If only rough figures are wanted, nothing is counted again.
        rough = token_estimator(session.model, exact=False) if exact else self.estimator
        self.counter = Counter(self.estimator, rough)
        self.secrets: int | None = None
        """Strings of the session that look like keys; None until `examine` looked for them."""
        self.watcher: Callable[[], None] | None = None
        """Called when the history changes, or how much of it was exported."""
        self.history = History(self._tell)
        self._walker = self._new_walker()
        self._written: tuple[Operation, ...] = ()

    # What is there

    @property
    def state(self) -> State:
        """The state that results from the operations so far."""
        return fold(self.history.done)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The stages accepted or skipped and the edits made by hand, in order."""
        return self._walker.steps(self.state)

    @property
    def messages(self) -> Messages:
        """The live segment after the steps so far."""
        steps = self.steps
        return steps[-1].result.messages if steps else self.session.live

    @property
    def preview(self) -> Step | None:
        """The next stage, tried but not accepted; None after the last one."""
        state = self.state
        if len(state.taken) >= len(self.pipeline.steps):
            return None
        return self._walker.stage(len(state.taken), self.messages, state, Status.PREVIEW)

    @property
    def ahead(self) -> tuple[Step, ...]:
        """Every step: stages and edits done, and the other stages as if each were accepted."""
        return self.look_ahead(untold)

    def look_ahead(self, told: Told) -> tuple[Step, ...]:
        """The same as `ahead`, with progress reports."""
        return self._walker.ahead(self.state, told)

    @property
    def is_unsaved(self) -> bool:
        """Whether there is work, pins and options too, whose outcome was not written as it is now."""
        return not self.is_written and self.state.is_work

    @property
    def is_written(self) -> bool:
        """Whether everything that was done has been exported, or nothing was done."""
        return self.history.done == self._written

    def mark_written(self) -> None:
        """Say that what the workspace holds now was exported."""
        self._written = self.history.done
        self._tell()

    @cached_property
    def judgements(self) -> Mapping[str, Judgement]:
        """The verdict on every block of the session, by key."""
        return self._walker.judge(self.session.messages)

    @property
    def answers(self) -> Sequence[ResultFacts]:
        """Every result of the live segment as it was opened, with its call."""
        return self._walker.answers

    @property
    def changes(self) -> dict[str, Change]:
        """The combined change of all steps to each block of the session, by key (the last one wins)."""
        merged: dict[str, Change] = {}
        for step in self.steps:
            for change in step.changes:
                first = merged.get(change.key)
                before = first.before if first else change.before
                merged[change.key] = Change(change.key, change.kind, change.reason, before, change.after)
        return merged

    def held_back(self, step: Step) -> tuple[Change, ...]:
        """The changes a stage would also make if nothing were rejected or pinned."""
        state = self.state
        if step.edit is not None or step.status is Status.SKIPPED or not (step.refused or state.pins):
            return ()
        without = replace(state, pins=frozenset(), refused={})
        free = self._walker.stage(step.number - 1, step.before, without, step.status)
        made = {change.key for change in step.changes}
        return tuple(change for change in free.changes if change.key not in made)

    @property
    def words_gone(self) -> tuple[Text, ...]:
        """The user's own texts that the steps so far remove, in order."""
        return words_gone(self.session.live, self.messages)

    def checks(self, step: Step | None = None) -> tuple[Check, ...]:
        """The checks for one step, or for all steps together."""
        before = step.before if step else self.session.live
        after = step.result.messages if step else self.messages
        changes = step.changes if step else tuple(self.changes.values())
        only_copies = check_only_copies(changes, dict(self.judgements))
        return tuple(
            check for check in (check_words(before, after), check_pairs(before, after), only_copies) if check
        )

    # How large it is

    @cached_property
    def rows(self) -> tuple[BlockRow, ...]:
        """A row for every block of the session as it was opened; pins show in `state`."""
        return tuple(block_rows(self.session.messages, self.judgements, self.protection))

    @cached_property
    def protection(self) -> Protection:
        """What must stay of the session as it was opened, and why."""
        return self._walker.protection

    @property
    def counts_exactly(self) -> bool:
        """Whether a full count is the model's own, with its own vocabulary; else figures carry `~`."""
        return self.estimator.exact and self.estimator.family.exact

    @cached_property
    def calibration(self) -> Calibration:
        """How far the estimate is off, learnt from the usage that the session records.

        Counts the live segment as the workspace does, so call it in a thread.
        """
        return calibrated(self.session, self.estimator)[1]

    def tokens(self, messages: Iterable[Message]) -> int:
        """Tokens of these messages, counted as far as done by now; one method for all of them."""
        return self.counter.total(messages)[0]

    def block_tokens(self, block: Block) -> int:
        """Tokens of one block, estimated if it is not counted yet."""
        return self.counter.tokens(block)[0]

    @property
    def counted_share(self) -> float:
        """The share of the session's text that was counted rather than estimated, 0 to 1."""
        return self.counter.counted_share(row.block for row in self.rows)

    def to_count(self) -> list[Block]:
        """Every block to count: the session's, and those made by the steps so far."""
        made = [change.after for change in self.changes.values() if change.after is not None]
        return [row.block for row in self.rows] + made

    def count(
        self,
        blocks: Iterable[Block],
        stop: Callable[[], bool] = lambda: False,
        progress: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Count these blocks until `stop` returns true; does nothing if only rough figures are wanted."""
        if self.estimator.exact:
            watch(self.counter.run(tuple(blocks), stop), progress)

    def count_all(self, progress: Callable[[str], None] = lambda _: None) -> None:
        """Count everything now."""
        if self.estimator.exact:
            self.count(self.to_count(), progress=progress)

    def examine(self, progress: Callable[[str], None] = lambda _: None) -> None:
        """Count the session as it was opened, and find strings that look like API keys, in one pass.

        Does nothing if only rough figures are wanted: those need no text.
        """
        if self.estimator.exact:
            blocks = tuple(row.block for row in self.rows)
            self.secrets = watch(self.counter.run(blocks, lambda: False, secrets=True), progress)

    def stage(self, step: str) -> Stage:
        """A stage of the pipeline with the options set by hand; raises BadPipeline for a name it lacks."""
        changed = self.pipeline.with_options({step: self.state.options.get(step, {})})
        return next(planned.stage for planned in changed.steps if planned.name == step)

    # What a person does

    def why_not(self, kind: OpKind, step: str = "", keys: Iterable[str] = ()) -> str | None:
        """Why this operation is not possible now, in words; None if it is."""
        known = {s.name for s in self.pipeline.steps}
        if kind in (OpKind.RUN, OpKind.SKIP, OpKind.BACK):
            # Only these need the state, which is folded from every operation.
            taken = len(self.state.taken)
            if kind is OpKind.BACK:
                return None if taken else "no stage has been run yet"
            if taken >= len(self.pipeline.steps):
                stages = "the one stage" if taken == 1 else f"all {taken} stages"
                return f"{stages} of {self.pipeline.name} {'is' if taken == 1 else 'are'} done"
        if kind in _ABOUT_A_STAGE and step not in known:
            return f"{self.pipeline.name} has no stage {step!r}"
        if kind in (OpKind.PIN, OpKind.UNPIN, OpKind.REFUSE, OpKind.ALLOW) and not tuple(keys):
            return "no rows are chosen"
        return None

    def advance(self) -> bool:
        """Accept the next stage; False after the last one."""
        return self._take(OpKind.RUN)

    def skip(self) -> bool:
        """Skip the next stage; False after the last one."""
        return self._take(OpKind.SKIP)

    def run_all(self) -> None:
        """Accept all remaining stages."""
        while self.advance():
            pass

    def back(self) -> bool:
        """Revert the newest stage, keeping its options and rejections; False before the first."""
        if self.why_not(OpKind.BACK):
            return False
        self.history.do(Operation(OpKind.BACK))
        return True

    def go_to(self, number: int) -> None:
        """Make stage `number` (1-based) the next one: accept those before it, revert the others."""
        while len(self.state.taken) >= max(1, number):
            self.back()
        while len(self.state.taken) < number - 1:
            self.advance()

    def set_options(self, step: str, options: Mapping[str, Any]) -> None:
        """Change options of a stage; raises BadPipeline naming the option that does not fit."""
        changed = self.pipeline.with_options({step: options})
        stage = next(s.stage for s in changed.steps if s.name == step)
        parsed = tuple((name, getattr(stage, name)) for name in options)
        self.history.do(Operation(OpKind.OPTIONS, step, options=parsed))

    def refuse(self, step: str, keys: Iterable[str]) -> None:
        """Reject changes of a stage: it runs again with these blocks kept."""
        self.history.do(Operation(OpKind.REFUSE, step, tuple(keys)))

    def allow(self, step: str, keys: Iterable[str]) -> None:
        """Revert rejections."""
        self.history.do(Operation(OpKind.ALLOW, step, tuple(keys)))

    def pin(self, keys: Iterable[str], *, rule: str = "") -> None:
        """Protect blocks from every stage, including those already run; `rule` selected them, if any did."""
        self.history.do(Operation(OpKind.PIN, keys=tuple(keys), rule=rule))

    def unpin(self, keys: Iterable[str], *, rule: str = "") -> None:
        """Remove pins."""
        self.history.do(Operation(OpKind.UNPIN, keys=tuple(keys), rule=rule))

    def do(self, operation: Operation) -> None:
        """Add an operation that has no method of its own; raises BadPipeline for an invalid edit."""
        if operation.kind is OpKind.EDIT:
            edit_of(operation)
        self.history.do(operation)

    def why_not_edit(self, edit: Edit) -> str | None:
        """Why a hand edit cannot be done now as requested, in words; None if it can."""
        return edit.why_not(self.messages, self.context)

    @property
    def context(self) -> Context:
        """The context for a hand edit of the present messages."""
        return self._walker.context(self.messages, self.state)

    def try_edit(self, edit: Edit) -> Step:
        """Run an edit as far as it is allowed, without recording it."""
        return self._walker.tried(edit, self.messages, self.state)

    def edit(self, edit: Edit, *, rule: str = "") -> Step:
        """Do a hand edit; raises RefusedError with the words of `why_not_edit`."""
        if reason := self.why_not_edit(edit):
            raise RefusedError(f"{edit.label}: {reason}")
        self.history.do(edit_operation(edit, rule))
        return self.steps[-1]

    def look_at_disk(self) -> int:
        """Find the reads whose file is unchanged on disk, for stages that use it; returns their number."""
        keys = unchanged_reads(self.session.live, self.session.cwd)
        self.history.do(Operation(OpKind.UNCHANGED, keys=tuple(sorted(keys))))
        return len(keys)

    def undo(self) -> Operation | None:
        """Undo the newest operation, of any kind."""
        return self.history.undo()

    def redo(self) -> Operation | None:
        """Redo the operation undone last."""
        return self.history.redo()

    def choose(self, pipeline: Pipeline) -> None:
        """Switch to another pipeline; pins and hand edits stay, operations on the old stages are dropped.

        An edit of a block that a stage had made is dropped too.
        """
        pins, path = self.state.pins, self.state.path
        self.pipeline = pipeline
        self.history.begin_with(())
        self._walker = self._new_walker()
        if pins:
            self.pin(sorted(pins))
        for step in path:
            if isinstance(step, Edited) and self.try_edit(step.edit).changes:
                self.history.do(step.operation)

    def list_results_in(self, index: str) -> None:
        """Set the file in which removed results are listed, and which summaries name."""
        self.index = index
        self._walker = self._new_walker()

    def fork(self, pipeline: Pipeline) -> Workspace:
        """A workspace on the same session with another pipeline, for trials.

        Counts and verdicts are shared and pins copied; no other operations are taken over.
        """
        other = Workspace(
            self.session,
            pipeline,
            window_tokens=self.window_tokens,
            new_id=self.new_id,
            root=self.root,
            index=self.index,
            settled=self.settled,
        )
        other.estimator, other.counter = self.estimator, self.counter
        other.judgements = self.judgements
        other._walker = other._new_walker()
        if pins := self.state.pins:
            other.pin(sorted(pins))
        return other

    # How it is worked out

    def _tell(self) -> None:
        if self.watcher is not None:
            self.watcher()

    def _take(self, kind: OpKind) -> bool:
        if self.why_not(kind):
            return False
        self.history.do(Operation(kind, self.pipeline.steps[len(self.state.taken)].name))
        return True

    def _new_walker(self) -> Walker:
        return Walker(
            self.session,
            self.pipeline,
            self.estimator,
            window_tokens=self.window_tokens,
            root=self.root,
            index=self.index,
            settled=self.settled,
        )


def _window_of(session: Session) -> int:
    """The model's window in tokens, as recorded in the session.

    If it records none: 200,000, or a million if a call was larger than that.
    """
    if session.window is not None:
        return session.window
    largest = max((m.usage.context for m in session.messages if m.usage), default=0)
    return LARGE_WINDOW if largest > DEFAULT_WINDOW else DEFAULT_WINDOW
