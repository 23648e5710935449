"""Two states of the conversation and what differs between them, block by block, in display order.

The stepper lists it and the diff reads it; what a person kept from a stage is in it too, so that it
can be let go again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from msgspec import Struct

from app.compactability import Verdict
from app.diff import PairedRow, Pairing, pair_messages
from app.model import Block, Message
from app.stages.base import Change
from app.work.checks import Check
from app.work.workspace import Status, Step, Workspace


class KeepReason(StrEnum):
    """Why a change is withheld."""

    REFUSED = "kept"
    PINNED = "pinned"
    PAIR = "paired"
    """Its other half stays, or another kept block changed what the stage could reach."""


class ChangedBlock(Struct, frozen=True):
    """One block that differs, or would differ if a person had not kept it."""

    change: Change
    place: int
    """Index of its message in `Comparison.pairs`."""
    number: int | None
    """Of its message in the session; None for a made one."""
    steps: tuple[str, ...]
    """The steps that change it."""
    kept: KeepReason | None = None
    only_copy: bool = False

    @property
    def key(self) -> str:
        return self.change.key

    @property
    def word(self) -> str:
        """The kind of its change, in a word."""
        return str(self.kept or self.change.kind)


@dataclass(frozen=True)
class Comparison:
    """A conversation before and after; `blocks` are in the order of `pairs`."""

    title: str
    """What made the difference, for people: `stage 2 micro`."""
    pairs: tuple[PairedRow, ...]
    blocks: tuple[ChangedBlock, ...]
    numbers: Mapping[str, int]
    """Message key -> its number in the session."""
    checks: tuple[Check, ...]

    @cached_property
    def places(self) -> tuple[int, ...]:
        """Indexes of the messages that differ, in order."""
        return tuple(dict.fromkeys(block.place for block in self.blocks))

    def at(self, place: int) -> tuple[ChangedBlock, ...]:
        """The blocks of one message that differ."""
        return tuple(block for block in self.blocks if block.place == place)

    def place_of(self, key: str) -> int | None:
        """The index of the message in which a block differs; None if it does not."""
        return next((block.place for block in self.blocks if block.key == key), None)


def compare_step(workspace: Workspace, step: Step) -> Comparison:
    """What one step changes, and what it would change without pins and rejections."""
    pins = workspace.state.pins
    changes: dict[str, tuple[Change, KeepReason | None]] = {
        change.key: (change, _why_kept(change, step, pins)) for change in workspace.held_back(step)
    }
    changes.update((change.key, (change, None)) for change in step.changes)
    pairs = pair_messages(step.before, step.result.messages)
    blocks = _changed(workspace, pairs, changes, dict.fromkeys(changes, (step.name,)))
    title = _title(workspace, step)
    return Comparison(title, tuple(pairs), tuple(blocks), _numbers(workspace), workspace.checks(step))


def compare_all(workspace: Workspace) -> Comparison:
    """What all accepted steps change together; the preview's changes if none was accepted."""
    steps = [step for step in workspace.steps if step.status is not Status.SKIPPED]
    preview = workspace.preview
    if not steps and preview is not None:
        return compare_step(workspace, preview)
    pins = workspace.state.pins
    changing: dict[str, tuple[str, ...]] = {}
    keeping: dict[str, tuple[str, ...]] = {}
    changes: dict[str, tuple[Change, KeepReason | None]] = {}
    for step in steps:
        for change in step.changes:
            changing[change.key] = (*changing.get(change.key, ()), step.name)
        for change in workspace.held_back(step):
            keeping[change.key] = (step.name,)
            changes[change.key] = (change, _why_kept(change, step, pins))
    # What was kept from one stage and changed by another is changed.
    changes.update(
        (key, (change, None))
        for key, change in workspace.changes.items()
        if change.before is not None or change.after is not None
    )
    pairs = pair_messages(workspace.session.live, workspace.messages)
    blocks = _changed(workspace, pairs, changes, keeping | changing)
    kind = "stages" if all(step.edit is None for step in steps) else "steps"
    title = _title(workspace, steps[0]) if len(steps) == 1 else f"{len(steps)} {kind} together"
    return Comparison(title, tuple(pairs), tuple(blocks), _numbers(workspace), workspace.checks())


def _title(workspace: Workspace, step: Step) -> str:
    if step.edit is not None:
        return step.label
    return f"stage {step.number} {workspace.pipeline.titles[step.number - 1]}"


def _why_kept(change: Change, step: Step, pins: Collection[str]) -> KeepReason:
    if change.key in step.refused:
        return KeepReason.REFUSED
    return KeepReason.PINNED if change.key in pins else KeepReason.PAIR


def _changed(
    workspace: Workspace,
    pairs: Sequence[PairedRow],
    changes: Mapping[str, tuple[Change, KeepReason | None]],
    steps: Mapping[str, tuple[str, ...]],
) -> Iterator[ChangedBlock]:
    numbers = _numbers(workspace)
    for place, row in enumerate(pairs):
        if row.kind is Pairing.BOUNDARY:
            continue
        number = numbers.get(_message(row).key)
        for block in _blocks(row):
            if block.key not in changes:
                continue
            change, kept = changes[block.key]
            judgement = workspace.judgements.get(block.key)
            only_copy = judgement is not None and judgement.verdict is Verdict.ONLY_COPY
            yield ChangedBlock(change, place, number, steps[block.key], kept, only_copy and not kept)


def _message(row: PairedRow) -> Message:
    message = row.before or row.after
    assert message is not None, "a row has a side"
    return message


def _blocks(row: PairedRow) -> Iterator[Block]:
    """The blocks of both sides, each key once."""
    before = row.before.blocks if row.before else ()
    known = {block.key for block in before}
    yield from before
    yield from (block for block in (row.after.blocks if row.after else ()) if block.key not in known)


def _numbers(workspace: Workspace) -> Mapping[str, int]:
    numbers: dict[str, int] = {}
    for number, message in enumerate(workspace.session.messages):
        numbers.setdefault(message.key, number)
    return numbers
