"""Stages are linear: what they measure and read grows with the conversation and no faster."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from app.model import Author, Block, Message, Text
from app.stages import stage_named
from app.stages.base import Context, Messages, run_stage
from app.stages.protection import protected
from app.tokens.pipeline_measures import CharsEstimator
from tests.build import assistant, conversation, result, thinking, use, user

STAGES: Mapping[str, Mapping[str, Any]] = {
    "tool_result_budget": {"max_result_chars": 300, "target_tokens": 1},
    "read_dedup": {},
    "microcompact": {"when": "always", "min_chars": 0, "target_chars": 1},
    "result_gate": {"open_at_tokens": 1, "max_result_chars": 300, "head_chars": 100, "tail_chars": 50},
    "drop_superseded": {"target_tokens": 1},
    "drop_thinking": {"target_tokens": 1},
    "fit": {"target_chars": 1, "preview_chars": 100},
    "snip": {"max_messages": 20},
    "summarize": {"when": "always", "source": "structured"},
}


@dataclass
class Work:
    """How often texts were read and blocks were measured."""

    reads: int = 0
    measured: int = 0


@dataclass
class Watched:
    """Content that tells how often it is read."""

    text: str
    work: Work = field(repr=False)

    @property
    def chars(self) -> int:
        return len(self.text)

    size = chars

    @property
    def preview(self) -> str:
        return self.text[:160]

    def read(self) -> str:
        self.work.reads += 1
        return self.text

    def value(self) -> object:
        return self.text


class Counting(CharsEstimator):
    """Code points, with a count of the blocks that are measured."""

    def __init__(self, work: Work) -> None:
        self._work = work

    def block(self, block: Block) -> int:
        self._work.measured += 1
        return super().block(block)

    def total(self, messages: Iterable[Message]) -> int:
        return sum(self.block(block) for message in messages for block in message.blocks)


def talk(turns: int, work: Work) -> Messages:
    """Turns with a thought, a read of one of fifty files and its long result."""
    messages = []
    for n in range(turns):
        text = Text("", Watched(f"{n % 50}\n" * 300, work), Author.INJECTED)
        messages += [
            user(f"Question {n}?"),
            assistant(thinking("Hm."), use(f"r{n}", "Read", {"file_path": f"f{n % 50}.py"})),
            user(result(f"r{n}", text)),
            assistant(f"Answer {n}."),
        ]
    return conversation(*messages)


def work_of(stage: str, turns: int) -> Work:
    work = Work()
    messages = talk(turns, work)
    context = Context(
        Counting(work), protected(messages), tokens=Counting(work), tool_names=frozenset({"Read"})
    )
    done = run_stage(stage_named(stage).build(STAGES[stage]), messages, context)
    assert len(done.changes) > turns / 2
    return work


@pytest.mark.parametrize("stage", STAGES)
def test_ten_times_the_turns_is_ten_times_the_work(stage: str) -> None:
    small, large = work_of(stage, 200), work_of(stage, 2000)
    assert large.measured <= 11 * small.measured
    assert large.reads <= 11 * small.reads
    blocks, results = 5 * 2000, 2000
    assert large.measured <= 4 * blocks
    assert large.reads <= 5 * results
