"""The record of a stage that replays a session call by call, for screens that step through it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from msgspec import Struct

from app.stages.prompt_sizes import PromptSize


class ReplayOutcome(StrEnum):
    """The state of a long result at the end of the replay."""

    FROZEN = "frozen"
    """It was there when the latch opened."""
    WAITING = "waiting"
    """It was not seen often enough yet."""
    CUT = "cut"
    SPARED = "spared"
    """It is not a candidate: its tool, a failure, protection ..."""


class ModelCall(Struct, frozen=True):
    """One call of the model, and what the stage did before it."""

    number: int
    """1-based."""
    message: str | None
    """Key of the reply; None for the next call, which has none yet."""
    tokens: int | None
    """Size of the prompt; None if unknown."""
    recorded: bool
    """Whether the provider reported those tokens; else they are estimated."""
    is_open: bool
    """Whether the latch is open at this call."""
    cut: tuple[str, ...] = ()
    """Keys of the results that were cut before it."""


class WatchedResult(Struct, frozen=True):
    """One result that is longer than the limit."""

    key: str
    fate: ReplayOutcome
    words: str
    """Why, as a fragment of a sentence."""
    seen: int = 0
    """Calls after the latch opened whose prompt held the whole result."""


@dataclass(frozen=True)
class Replay:
    """The replay from the first call to the next one."""

    readings: Sequence[PromptSize]
    """The moment before each call."""
    latch: Mapping[int, bool]
    """Number of a call -> whether the latch is open from it on; only where that changes."""
    cuts: Mapping[int, tuple[str, ...]]
    """Number of a call -> keys of the results that were cut before it."""
    results: tuple[WatchedResult, ...]
    opened_at: int | None
    """Number of the call at which the latch opened; None while it is closed."""
    frozen: frozenset[str]
    """Keys of all results, long or not, that were there when it opened."""

    @cached_property
    def calls(self) -> tuple[ModelCall, ...]:
        """Every call, with what was done before it."""
        return tuple(self._calls())

    def _calls(self) -> Iterator[ModelCall]:
        is_open = False
        for number, reading in enumerate(self.readings, 1):
            is_open = self.latch.get(number, is_open)
            cut = self.cuts.get(number, ())
            yield ModelCall(number, reading.reply, reading.tokens, reading.recorded, is_open, cut)
