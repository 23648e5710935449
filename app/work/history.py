"""The history of operations as data, shared by undo, redo, journals and recipes.

The state is never stored: it is folded from the operations in force.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from typing import Any

from msgspec import Struct, structs

from app.edits import Edit, make_edit
from app.errors import InputError
from app.refusal import Refusal, merged_refusal
from app.summarizers import NO_SUMMARIES, Summaries


class OpKind(StrEnum):
    """The kinds of operations."""

    RUN = "run"
    """Accept a stage of the pipeline."""
    SKIP = "skip"
    """Skip a stage."""
    BACK = "back"
    """Revert the newest accepted or skipped stage."""
    OPTIONS = "options"
    """Set options of a stage."""
    REFUSE = "refuse"
    """Reject changes of a stage, by the keys of their blocks."""
    ALLOW = "allow"
    """Revert a rejection."""
    PIN = "pin"
    UNPIN = "unpin"
    EDIT = "edit"
    """Change blocks by hand: `step` is the kind of edit, `options` are its options."""
    UNCHANGED = "unchanged"
    """Compare reads with the disk: `keys` are the reads whose file is unchanged."""
    SUMMARY = "summary"
    """Supply the summary for a stage: `source`, `text` and, from a model, the request's `key`."""
    REFUSAL = "refusal"
    """Give a stage the `text` of a provider's refusal of the conversation."""
    FAILURE = "failure"
    """Record that getting a summary for a stage failed, with the `reason`."""
    RESET = "reset"
    """Forget the failures and refusals of a stage."""


class Operation(Struct, frozen=True):
    """One operation of a person; `step` is the pipeline step it applies to, if any."""

    kind: OpKind
    step: str = ""
    keys: tuple[str, ...] = ()
    """Keys of the blocks it applies to."""
    options: tuple[tuple[str, Any], ...] = ()
    rule: str = ""
    """The rule as typed, if one selected the blocks (`clear tool:Bash`); `keys` are its matches then."""

    @property
    def words(self) -> str:
        """The operation as a person would name it: `accept microcompact`, `pin 2 blocks`."""
        blocks = "1 block" if len(self.keys) == 1 else f"{len(self.keys):,} blocks"
        match self.kind:
            case OpKind.RUN:
                return f"accept {self.step}"
            case OpKind.SKIP:
                return f"skip {self.step}"
            case OpKind.BACK:
                return "undo a stage"
            case OpKind.OPTIONS:
                return f"set {', '.join(name for name, _ in self.options)} of {self.step}"
            case OpKind.REFUSE:
                return f"reject {blocks} of {self.step}"
            case OpKind.ALLOW:
                return f"allow {blocks} of {self.step}"
            case OpKind.PIN | OpKind.UNPIN:
                return f"{self.kind} {blocks}"
            case OpKind.EDIT:
                return " ".join(filter(None, (self._edit_words, blocks if self.keys else "")))
            case OpKind.UNCHANGED:
                return "compare with disk"
            case OpKind.SUMMARY:
                return f"give {self.step} a summary from {dict(self.options).get('source')}"
            case OpKind.REFUSAL:
                return f"give {self.step} a refusal"
            case OpKind.FAILURE:
                return f"record a failed summary for {self.step}"
            case OpKind.RESET:
                return f"reset {self.step}"

    @property
    def _edit_words(self) -> str:
        given = dict(self.options)
        return str(given.get("called") or given.get("stage") or self.step.replace("_", " "))

    def as_json(self) -> dict[str, Any]:
        """The operation as a JSON object; empty fields are left out."""
        out: dict[str, Any] = {"deed": str(self.kind)}
        if self.step:
            out["step"] = self.step
        if self.keys:
            out["keys"] = list(self.keys)
        if self.options:
            out["options"] = dict(self.options)
        if self.rule:
            out["rule"] = self.rule
        return out

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Operation:
        """Parse the output of `as_json`; raises InputError for anything else."""
        try:
            kind, keys, options = OpKind(data["deed"]), data.get("keys", ()), dict(data.get("options", {}))
            plain = tuple((str(name), tuple(v) if isinstance(v, list) else v) for name, v in options.items())
            rule = str(data.get("rule", ""))
            return cls(kind, str(data.get("step", "")), tuple(map(str, keys)), plain, rule)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(f"not an operation: {data!r:.200} ({error})") from error


class Taken(Struct, frozen=True):
    """A stage that was accepted or skipped."""

    step: str
    skipped: bool = False


class Edited(Struct, frozen=True):
    """A step that a person made by hand."""

    operation: Operation

    @property
    def edit(self) -> Edit:
        """The edit; raises BadPipeline if the operation holds none."""
        return edit_of(self.operation)


class StageInputs(Struct, frozen=True):
    """The inputs of a stage besides the messages and its options."""

    summaries: Summaries = NO_SUMMARIES
    refusal: Refusal | None = None
    failures: int = 0
    unchanged: frozenset[str] = frozenset()
    """Keys of reads whose file was unchanged on disk when last checked."""


@dataclass(frozen=True)
class State:
    """The state that the operations in force fold to."""

    path: tuple[Taken | Edited, ...] = ()
    """The steps in order: stages accepted or skipped, and the edits between them."""
    pins: frozenset[str] = frozenset()
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Step name -> the options set by hand."""
    refused: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Step name -> keys of the blocks whose change was rejected."""
    unchanged: frozenset[str] = frozenset()
    """Keys of reads whose file was unchanged on disk at the newest check."""
    summaries: Mapping[str, Summaries] = field(default_factory=dict)
    """Step name -> summary texts supplied for it."""
    refusals: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Step name -> the provider's refusals, oldest first."""
    failures: Mapping[str, int] = field(default_factory=dict)
    """Step name -> number of consecutive failures to get a summary."""

    @property
    def taken(self) -> tuple[Taken, ...]:
        """The stages accepted or skipped, in order."""
        return tuple(step for step in self.path if isinstance(step, Taken))

    @property
    def is_work(self) -> bool:
        """Whether there is work worth keeping: steps, pins, rejections, options or supplied texts."""
        given = (*self.options.values(), *self.refused.values(), *self.refusals.values())
        summaries = any(given != NO_SUMMARIES for given in self.summaries.values())
        return bool(self.path or self.pins or summaries) or any(given)

    def given(self, step: str) -> StageInputs:
        """The inputs of the stage with that name."""
        return StageInputs(
            self.summaries.get(step, NO_SUMMARIES),
            merged_refusal(self.refusals.get(step, ())),
            self.failures.get(step, 0),
            self.unchanged,
        )


def fold(operations: Iterable[Operation]) -> State:
    """The state after these operations, in their order."""
    state = State()
    for operation in operations:
        state = _after(state, operation)
    return state


def _after(state: State, operation: Operation) -> State:
    step, keys, given = operation.step, frozenset(operation.keys), dict(operation.options)
    match operation.kind:
        case OpKind.RUN | OpKind.SKIP:
            skipped = operation.kind is OpKind.SKIP
            return replace(state, path=(*state.path, Taken(step, skipped)))
        case OpKind.BACK:
            return replace(state, path=_without_newest_stage(state.path))
        case OpKind.EDIT:
            return replace(state, path=(*state.path, Edited(operation)))
        case OpKind.OPTIONS:
            return replace(state, options={**state.options, step: {**state.options.get(step, {}), **given}})
        case OpKind.REFUSE:
            refused = state.refused.get(step, frozenset()) | keys
            return replace(state, refused={**state.refused, step: refused})
        case OpKind.ALLOW:
            refused = state.refused.get(step, frozenset()) - keys
            return replace(state, refused={**state.refused, step: refused})
        case OpKind.PIN:
            return replace(state, pins=state.pins | keys)
        case OpKind.UNPIN:
            return replace(state, pins=state.pins - keys)
        case OpKind.UNCHANGED:
            return replace(state, unchanged=keys)
        case OpKind.SUMMARY:
            return _counted(_with_summary(state, step, given), step, failed=False)
        case OpKind.REFUSAL:
            refusals = (*state.refusals.get(step, ()), str(given.get("text", "")))
            return replace(state, refusals={**state.refusals, step: refusals})
        case OpKind.FAILURE:
            return _counted(state, step, failed=True)
        case OpKind.RESET:
            state = replace(state, refusals={**state.refusals, step: ()})
            return _counted(state, step, failed=False)


def _without_newest_stage(path: tuple[Taken | Edited, ...]) -> tuple[Taken | Edited, ...]:
    """The path without its newest stage; later hand edits stay."""
    places = [place for place, step in enumerate(path) if isinstance(step, Taken)]
    return path if not places else (*path[: places[-1]], *path[places[-1] + 1 :])


@lru_cache(maxsize=1024)
def edit_of(operation: Operation) -> Edit:
    """Build the edit that an operation holds as data; raises BadPipeline if it holds none."""
    return make_edit(operation.step, operation.keys, dict(operation.options))


def edit_operation(edit: Edit, rule: str = "") -> Operation:
    """An edit as data: its kind, keys, non-default options, and the rule that selected its blocks."""
    changed = ((o.name, getattr(edit, o.name)) for o in edit.options() if getattr(edit, o.name) != o.default)
    return Operation(OpKind.EDIT, edit.name, edit.keys, tuple(changed), rule)


def _counted(state: State, step: str, *, failed: bool) -> State:
    """The state with the step's failure count incremented, or reset to zero."""
    count = state.failures.get(step, 0) + 1 if failed else 0
    return replace(state, failures={**state.failures, step: count})


def _with_summary(state: State, step: str, given: Mapping[str, Any]) -> State:
    before = state.summaries.get(step, NO_SUMMARIES)
    text = str(given.get("text", ""))
    match given.get("source"):
        case "memory":
            after = structs.replace(before, memory=text)
        case "hand":
            after = structs.replace(before, hand=text)
        case _:
            after = structs.replace(before, models=(*before.models, (str(given.get("key", "")), text)))
    return replace(state, summaries={**state.summaries, step: after})


class History:
    """The operations done, and those undone, which redo can restore until a new one is done."""

    def __init__(self, changed: Callable[[], None] = lambda: None) -> None:
        """`changed` is called after every change, in the thread that made it."""
        self._operations: list[Operation] = []
        self._done = 0
        self._changed = changed

    @property
    def done(self) -> tuple[Operation, ...]:
        """The operations in force, oldest first."""
        return tuple(self._operations[: self._done])

    @property
    def undone(self) -> tuple[Operation, ...]:
        """The operations that redo would restore, next one first."""
        return tuple(self._operations[self._done :])

    def do(self, operation: Operation) -> None:
        """Add an operation; the redo list is cleared."""
        del self._operations[self._done :]
        self._operations.append(operation)
        self._done += 1
        self._changed()

    def undo(self) -> Operation | None:
        """Undo and return the newest operation; None if there is none."""
        if self._done == 0:
            return None
        self._done -= 1
        self._changed()
        return self._operations[self._done]

    def redo(self) -> Operation | None:
        """Redo and return the operation undone last; None if there is none."""
        if self._done == len(self._operations):
            return None
        self._done += 1
        self._changed()
        return self._operations[self._done - 1]

    def begin_with(self, done: Iterable[Operation], undone: Iterable[Operation] = ()) -> None:
        """Replace the whole history by these done and undone operations."""
        operations = list(done)
        self._done = len(operations)
        self._operations = [*operations, *undone]
        self._changed()
