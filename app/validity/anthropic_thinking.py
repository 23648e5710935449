"""The Messages API's rules about thinking: its position, and that it is kept or left out as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from app.validity.base import Location, Options, Pairs, Report
from app.validity.turns import Block, BlockFamily, Turn, read_turns


class Loop:
    """The assistant's turn in progress: everything since the last user message without a tool result."""

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        self.thought = False
        """Whether some part of it begins with thinking. Not every part does: models skip it between calls."""
        self.newest: Turn | None = None
        self.waiting = False
        """Whether a tool result came last, so that the turn continues with the next request."""

    def turn(self, turn: Turn) -> None:
        """Take in the next turn of the conversation."""
        if turn.role == "assistant":
            self.newest = turn
            self.waiting = False
            self.thought = self.thought or _begins_with_thinking(turn)
        elif turn.of(BlockFamily.RESULT):
            self.waiting = self.newest is not None
        elif turn.role == "user":
            self._start()


class ThinkingRules:
    """Checks the turns in order; holds digests of the original thinking if there is an original."""

    def __init__(self, report: Report, options: Options) -> None:
        self._report = report
        self._original = None if options.before is None else Original(options.before)
        self._required = options.thinking == "on"
        self._loop = Loop()
        self._newest: Turn | None = None

    def turn(self, turn: Turn) -> None:
        """Check the next turn."""
        self._loop.turn(turn)
        if turn.role != "assistant":
            return
        self._newest = turn
        if any(block.family is BlockFamily.THINKING for block in turn.blocks):
            self._order(turn)
            self._kept(turn)

    def end(self) -> None:
        """Check after the last turn."""
        self._missing()
        if self._original is not None and self._newest is not None:
            self._partial(self._original, self._newest)

    def _order(self, turn: Turn) -> None:
        first, last = turn.blocks[0], turn.blocks[-1]
        if first.family is not BlockFamily.THINKING:
            self._report.add("anthropic.thinking-not-first", first.location)
        if last.family is BlockFamily.THINKING:
            self._report.add("anthropic.thinking-last", last.location)
        for run in _thinking_runs(turn):
            for block in run[1:]:
                self._report.add("anthropic.thinking-adjacent", block.location)

    def _kept(self, turn: Turn) -> None:
        if self._original is None:
            return
        for block in turn.of(BlockFamily.THINKING):
            if block.seal not in self._original.runs:
                self._report.add("anthropic.thinking-altered", block.location)

    def _partial(self, original: Original, newest: Turn) -> None:
        kept: dict[int, set[int]] = {}
        for seal in {block.seal for block in newest.of(BlockFamily.THINKING)}:
            for turn, run in original.runs.get(seal, ()):
                kept.setdefault(turn, set()).add(run)
        lacking = {turn: runs for turn, runs in kept.items() if len(runs) < original.runs_of[turn]}
        if kept and len(lacking) == len(kept):
            turn, runs = max(lacking.items(), key=lambda item: (len(item[1]), item[0]))
            location = newest.blocks[0].location
            detail = f"{len(runs)} of {original.runs_of[turn]} kept"
            self._report.add("anthropic.thinking-partial", Location(location.index, location.key), detail)

    def _missing(self) -> None:
        newest = self._loop.newest
        if newest is None or self._loop.thought or not newest.blocks:
            return
        lost = self._original is not None and self._original.thinks_in_loop and self._loop.waiting
        if self._required or lost:
            self._report.add("anthropic.thinking-missing", newest.blocks[0].location)


class Original:
    """The thinking of the conversation before an edit, as digests."""

    def __init__(self, pairs: Pairs) -> None:
        self.runs: dict[bytes, list[tuple[int, int]]] = {}
        """Digest of a block -> each (turn, run of thinking in that turn) that holds it."""
        self.runs_of: list[int] = []
        """Number of runs of thinking in each turn."""
        loop = Loop()
        for number, turn in enumerate(read_turns(_readable(pairs))):
            loop.turn(turn)
            runs = _thinking_runs(turn)
            self.runs_of.append(len(runs))
            for i, run in enumerate(runs):
                for block in run:
                    self.runs.setdefault(block.seal, []).append((number, i))
        self.thinks_in_loop = loop.waiting and loop.thought


def _readable(pairs: Pairs) -> Iterator[tuple[Location, Mapping[str, Any]]]:
    for index, (key, message) in enumerate(pairs):
        if isinstance(message, Mapping):
            yield Location(index, key), message


def _begins_with_thinking(turn: Turn) -> bool:
    return bool(turn.blocks) and turn.blocks[0].family is BlockFamily.THINKING


def _thinking_runs(turn: Turn) -> list[list[Block]]:
    """The thinking of a turn, as runs of adjacent blocks."""
    grouped = groupby(turn.blocks, key=lambda block: block.family is BlockFamily.THINKING)
    return [list(run) for thinking, run in grouped if thinking]
