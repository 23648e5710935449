"""How later blocks affect a result: read again, changed since, repeated, retried.

One pass from the newest result to the oldest. Only results that still hold their call's output count as
later copies: an error, a placeholder or a stub does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from msgspec import Struct

from app.compactability.calls import ResultFacts
from app.compactability.reads import LaterReads
from app.compactability.tools import Kind


class Tie(StrEnum):
    """How a later block affects an earlier result."""

    READ_AGAIN = "read-again"
    CHANGED = "changed"
    """The file that was read was written or edited."""
    REPEATED = "repeated"
    """The same call returned the same text."""
    RETRIED = "retried"
    """The call failed, and succeeded later."""
    OVERTAKEN = "overtaken"
    """Files were changed after the run that the result reports."""


class Relation(Struct, frozen=True):
    """One tie, with the key of the later block: a result, or the call that changed a file."""

    tie: Tie
    key: str
    """For a change of a file its call, or its result if the call comes before the affected result."""
    changed_between: bool = False
    """For `READ_AGAIN`: whether the file was changed before it was read again."""


def relations(
    results: Sequence[ResultFacts], holds: Sequence[bool], called: Sequence[int]
) -> Mapping[int, Relation]:
    """The strongest tie of each result that has one, by index into `results`.

    `holds`: for each result, whether it still holds its call's output. `called`: for each result, how many
    of the results come before its call.
    """
    walk = _Backwards(results, called)
    found: dict[int, Relation] = {}
    for index in reversed(range(len(results))):
        relation = walk.meet(index, holds[index])
        if relation is not None:
            found[index] = relation
    return found


class _Backwards:
    """Facts about later results, collected in the backward pass."""

    def __init__(self, results: Sequence[ResultFacts], called: Sequence[int]) -> None:
        self._results = results
        self._called = called
        self._reads: dict[str, LaterReads] = {}
        self._changes: dict[str, int] = {}
        self._any_change: int | None = None
        self._repeats: dict[object, tuple[int, int]] = {}
        self._successes: dict[object, int] = {}

    def meet(self, index: int, holds: bool) -> Relation | None:
        """How later results affect this one; then adds it to the later ones."""
        answer = self._results[index]
        if answer.use is None:
            return None
        if answer.failed:
            success = self._successes.get(_retry_key(answer))
            return None if success is None else Relation(Tie.RETRIED, self._results[success].result.key)
        relation = (self._reread(index) or self._repeated(index) or self._overtaken(index)) if holds else None
        self._successes[_retry_key(answer)] = index
        self._note_changes(index)
        return relation

    def _reread(self, index: int) -> Relation | None:
        answer = self._results[index]
        path = answer.call.path
        if path is None:
            return None
        reads = self._reads.setdefault(path, LaterReads(self._results))
        change = self._changes.get(path)
        copy = reads.holding(index, change)
        reads.add(index)
        if copy is not None:
            between = change is not None and change < copy
            return Relation(Tie.READ_AGAIN, self._results[copy].result.key, between)
        return None if change is None else Relation(Tie.CHANGED, self._key_of_change(change, index))

    def _repeated(self, index: int) -> Relation | None:
        answer = self._results[index]
        if answer.call.path is not None or answer.call.edits or not answer.plain:
            return None
        nearest, newest = self._repeats.get(answer.call_key, (None, index))
        if nearest is not None:
            later = self._results[nearest]
            if later.chars != answer.chars or later.digest != answer.digest:
                nearest, newest = None, index
        self._repeats[answer.call_key] = (index, newest)
        return None if nearest is None else Relation(Tie.REPEATED, self._results[newest].result.key)

    def _overtaken(self, index: int) -> Relation | None:
        if not self._results[index].call.runs or self._any_change is None:
            return None
        return Relation(Tie.OVERTAKEN, self._key_of_change(self._any_change, index))

    def _note_changes(self, index: int) -> None:
        call = self._results[index].call
        if call.edits:
            self._any_change = index
        for path in call.writes:
            self._changes[path] = index

    def _key_of_change(self, change: int, index: int) -> str:
        """The block of a change that comes after the result at `index`: its call, else its result."""
        answer = self._results[change]
        is_behind = answer.use is not None and self._called[change] > index
        return answer.use.key if answer.use and is_behind else answer.result.key


def _retry_key(answer: ResultFacts) -> object:
    """What a failed call and its retry have in common: the file, else all arguments."""
    if answer.call.kind is Kind.READ and answer.call.path:
        return (Kind.READ, answer.call.path)
    if answer.call.writes and answer.call.kind in (Kind.EDIT, Kind.WRITE):
        return (Kind.EDIT, answer.call.writes)
    return answer.call_key
