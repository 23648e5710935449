"""What a person did, as data: one list of operations that undo, redo, journals and recipes share.

The state is never stored: it is folded from the operations that are not undone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Deed(StrEnum):
    """The kinds of operations."""

    RUN = "run"
    """Accept a stage of the pipeline."""
    SKIP = "skip"
    """Pass over a stage."""
    BACK = "back"
    """Take the newest accepted or skipped stage back."""
    OPTIONS = "options"
    """Set options of a stage."""
    REFUSE = "refuse"
    """Refuse changes of a stage, by the keys of their blocks."""
    ALLOW = "allow"
    """Take a refusal back."""
    PIN = "pin"
    UNPIN = "unpin"


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that a person did; `step` is the pipeline step it is about, if any."""

    deed: Deed
    step: str = ""
    keys: tuple[str, ...] = ()
    """Keys of the blocks that it is about."""
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def words(self) -> str:
        """The operation as a person would name it: `accept microcompact`, `pin 2 blocks`."""
        blocks = "1 block" if len(self.keys) == 1 else f"{len(self.keys):,} blocks"
        match self.deed:
            case Deed.RUN:
                return f"accept {self.step}"
            case Deed.SKIP:
                return f"skip {self.step}"
            case Deed.BACK:
                return "take a stage back"
            case Deed.OPTIONS:
                return f"set {', '.join(name for name, _ in self.options)} of {self.step}"
            case Deed.REFUSE:
                return f"refuse {blocks} of {self.step}"
            case Deed.ALLOW:
                return f"allow {blocks} of {self.step}"
            case Deed.PIN | Deed.UNPIN:
                return f"{self.deed} {blocks}"

    def as_json(self) -> dict[str, Any]:
        """The operation as a JSON object; empty fields are left out."""
        out: dict[str, Any] = {"deed": str(self.deed)}
        if self.step:
            out["step"] = self.step
        if self.keys:
            out["keys"] = list(self.keys)
        if self.options:
            out["options"] = dict(self.options)
        return out


@dataclass(frozen=True, slots=True)
class Taken:
    """A step that was walked past: accepted, or skipped."""

    step: str
    skipped: bool = False


@dataclass(frozen=True)
class State:
    """What the operations amount to."""

    taken: tuple[Taken, ...] = ()
    pins: frozenset[str] = frozenset()
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Step name -> the options set by hand."""
    refused: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Step name -> keys of the blocks whose change was refused."""


def fold(operations: Iterable[Operation]) -> State:
    """The state after these operations, in their order."""
    state = State()
    for operation in operations:
        state = _after(state, operation)
    return state


def _after(state: State, operation: Operation) -> State:
    taken, pins = state.taken, state.pins
    options, refused = state.options, state.refused
    keys = frozenset(operation.keys)
    match operation.deed:
        case Deed.RUN | Deed.SKIP:
            taken = (*taken, Taken(operation.step, operation.deed is Deed.SKIP))
        case Deed.BACK:
            taken = taken[:-1]
        case Deed.OPTIONS:
            merged = {**options.get(operation.step, {}), **dict(operation.options)}
            options = {**options, operation.step: merged}
        case Deed.REFUSE:
            refused = {**refused, operation.step: refused.get(operation.step, frozenset()) | keys}
        case Deed.ALLOW:
            refused = {**refused, operation.step: refused.get(operation.step, frozenset()) - keys}
        case Deed.PIN:
            pins = pins | keys
        case Deed.UNPIN:
            pins = pins - keys
    return State(taken, pins, options, refused)


class History:
    """Operations done, with those that were undone kept for redo until something new is done."""

    def __init__(self) -> None:
        self._operations: list[Operation] = []
        self._done = 0

    @property
    def done(self) -> tuple[Operation, ...]:
        """The operations in force, oldest first."""
        return tuple(self._operations[: self._done])

    @property
    def undone(self) -> tuple[Operation, ...]:
        """The operations that redo would bring back, next one first."""
        return tuple(self._operations[self._done :])

    def do(self, operation: Operation) -> None:
        """Add an operation; what was undone is forgotten."""
        del self._operations[self._done :]
        self._operations.append(operation)
        self._done += 1

    def undo(self) -> Operation | None:
        """Take the newest operation back; None when there is none."""
        if self._done == 0:
            return None
        self._done -= 1
        return self._operations[self._done]

    def redo(self) -> Operation | None:
        """Do again what was undone last; None when there is nothing."""
        if self._done == len(self._operations):
            return None
        self._done += 1
        return self._operations[self._done - 1]
