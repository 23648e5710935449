"""The result gate call by call: the long results in each prompt and their state at that call.

Derived from a stage's `Replay`, so that a screen can step forwards and backwards through the model calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from msgspec import Struct

from app.model import Block, Role, ToolUse, blocks_of
from app.stages.replay import ModelCall, Replay, ReplayOutcome, WatchedResult
from app.stages.result_gate import ResultGate
from app.work.walk import Step
from app.work.workspace import Workspace


class ResultStanding(StrEnum):
    """The state of a long result before one call."""

    WHOLE = "whole"
    """The latch is closed: nothing is counted."""
    FROZEN = "frozen"
    WAITING = "waiting"
    CUT = "cut"
    SPARED = "spared"


class ResultThen(Struct, frozen=True):
    """One long result in one prompt."""

    block: Block
    number: int
    """Of its message in the session."""
    tool: str
    path: str
    standing: ResultStanding
    words: str
    """Why, as a fragment of a sentence."""


class CallView(Struct, frozen=True):
    """One call of the model, and every long result that its prompt held."""

    call: ModelCall
    results: tuple[ResultThen, ...]
    opens: bool
    """Whether the latch opens at it."""


@dataclass(frozen=True)
class GateWalk:
    """All calls of a session as the gate processed them."""

    calls: tuple[CallView, ...]
    open_at_tokens: int
    opened_at: int | None

    @property
    def start(self) -> int:
        """Where to begin: the first call that cuts something, else that of the latch, else the last."""
        cutting = (i for i, view in enumerate(self.calls) if view.call.cut)
        return next(cutting, len(self.calls) - 1 if self.opened_at is None else self.opened_at - 1)


def gate_walk(workspace: Workspace, step: Step) -> GateWalk | None:
    """The walk of a step; None if its stage does not replay calls."""
    replay, stage = step.result.replay, step.action
    if replay is None or not isinstance(stage, ResultGate):
        return None
    return GateWalk(tuple(_views(workspace, step, replay, stage)), stage.open_at_tokens, replay.opened_at)


class _Placed(Struct, frozen=True):
    """A long result with where it stands among the messages."""

    watched: WatchedResult
    block: Block
    place: int
    number: int
    tool: str
    path: str
    cut_at: int | None


def _views(workspace: Workspace, step: Step, replay: Replay, stage: ResultGate) -> Iterator[CallView]:
    messages = step.before
    ends = {message.key: place for place, message in enumerate(messages)}
    replies = [0]
    for message in messages:
        replies.append(replies[-1] + (message.role is Role.ASSISTANT))
    placed = _placed(workspace, step, replay)
    opened_at = replay.opened_at
    for call in replay.calls:
        end = len(messages) if call.message is None else ends[call.message]
        held = (
            _then(one, call, opened_at, replies[end] - replies[one.place], stage.views)
            for one in placed
            if one.place < end
        )
        yield CallView(call, tuple(held), call.number == opened_at)


def _placed(workspace: Workspace, step: Step, replay: Replay) -> list[_Placed]:
    """The long results in their order. (Without an open latch a replay watches none.)"""
    watched = {one.key: one for one in replay.results}
    cut_at = {key: call.number for call in replay.calls for key in call.cut}
    calls = {block.id: block for _, block in blocks_of(step.before) if isinstance(block, ToolUse)}
    numbers = _numbers(workspace)
    found = []
    for place, message in enumerate(step.before):
        for block in message.blocks:
            one = watched.get(block.key)
            if one is None:
                continue
            call = calls.get(getattr(block, "tool_use_id", ""))
            tool, path = ("", "") if call is None else (call.name, call.path or "")
            number = numbers.get(message.key, place)
            found.append(_Placed(one, block, place, number, tool, path, cut_at.get(block.key)))
    return found


def _numbers(workspace: Workspace) -> Mapping[str, int]:
    return {message.key: number for number, message in enumerate(workspace.session.messages)}


def _then(one: _Placed, call: ModelCall, opened_at: int | None, seen: int, views: int) -> ResultThen:
    standing, words = _standing(one, call, opened_at, seen, views)
    return ResultThen(one.block, one.number, one.tool, one.path, standing, words)


def _standing(
    one: _Placed, call: ModelCall, opened_at: int | None, seen: int, views: int
) -> tuple[ResultStanding, str]:
    if opened_at is None or call.number < opened_at:
        return ResultStanding.WHOLE, "the latch is closed"
    match one.watched.fate:
        case ReplayOutcome.FROZEN:
            return ResultStanding.FROZEN, one.watched.words
        case ReplayOutcome.CUT if one.cut_at is not None and call.number >= one.cut_at:
            return ResultStanding.CUT, one.watched.words
        case ReplayOutcome.SPARED:
            return ResultStanding.SPARED, one.watched.words
    return ResultStanding.WAITING, f"seen in {min(seen, views)} of {views} prompts"
