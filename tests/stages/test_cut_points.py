"""Cuts never go through a pair, whatever the order of calls and results."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.model import ToolResult, ToolUse
from app.stages.base import Messages
from app.stages.cut_points import (
    BLOCKS,
    MESSAGES,
    tail_of,
    tail_within,
    weigh,
    whole_pairs_before,
    whole_pairs_behind,
)
from app.stages.survey import Survey
from app.tokens import estimator
from tests.build import assistant, conversation, result, summary, use, user


def ids(messages: Messages) -> tuple[set[str], set[str]]:
    """Ids of the calls, and of the results."""
    blocks = [block for message in messages for block in message.blocks]
    calls = {block.id for block in blocks if isinstance(block, ToolUse)}
    return calls, {block.tool_use_id for block in blocks if isinstance(block, ToolResult)}


@st.composite
def talks(draw: st.DrawFn) -> Messages:
    """Calls and results in any order in which each result comes after its call; some lack the other half."""
    messages = []
    waiting: list[str] = []
    for n in range(draw(st.integers(1, 14))):
        match draw(st.integers(0, 3)):
            case 0:
                messages.append(user(f"word {n}"))
            case 1:
                calls = [f"c{n}_{k}" for k in range(draw(st.integers(1, 3)))]
                waiting += calls
                messages.append(assistant(*(use(call, "Read", {}) for call in calls)))
            case 2 if waiting:
                answered = waiting.pop(draw(st.integers(0, len(waiting) - 1)))
                messages.append(user(result(answered, "text")))
            case _:
                messages.append(user(result(f"lonely{n}", "text")))
    return conversation(*messages)


@settings(max_examples=50, deadline=None)
@given(talks(), st.data())
def test_a_moved_cut_splits_no_pair_and_moves_no_further_than_it_must(
    messages: Messages, data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(messages)))
    moved = whole_pairs_before(messages, cut)
    assert moved <= cut
    before, behind = ids(messages[:moved]), ids(messages[moved:])
    assert not before[0] & behind[1]
    for between in range(moved + 1, cut + 1):
        assert ids(messages[:between])[0] & ids(messages[between:])[1]

    end = whole_pairs_behind(messages, cut)
    assert end >= cut
    assert not ids(messages[:end])[0] & ids(messages[end:])[1]
    for between in range(cut, end):
        assert ids(messages[:between])[0] & ids(messages[between:])[1]


def test_an_id_that_is_used_again_pairs_with_the_nearest_call() -> None:
    messages = conversation(
        assistant(use("a", "Read", {})), user(result("a", "1")),
        assistant(use("a", "Read", {})), user(result("a", "2")),
    )  # fmt: skip
    assert whole_pairs_before(messages, 2) == 2
    assert whole_pairs_before(messages, 3) == 2
    assert whole_pairs_behind(messages, 1) == 2


PARALLEL = conversation(
    user("Go."),
    assistant("Yes.", use("a", "Read", {}), use("b", "Read", {})),
    user(result("a", "1"), result("b", "2")),
    assistant("Done."),
)


@pytest.mark.parametrize(
    ("keep", "counts", "cut"),
    [(1, MESSAGES, 3), (2, MESSAGES, 2), (9, MESSAGES, 0), (0, MESSAGES, 4), (1, BLOCKS, 3), (2, BLOCKS, 2),
     (3, BLOCKS, 2), (4, BLOCKS, 1), (7, BLOCKS, 0)],
)  # fmt: skip
def test_blocks_are_counted_and_cuts_lie_between_messages(keep: int, counts: str, cut: int) -> None:
    assert tail_of(PARALLEL, keep, counts) == cut


def test_what_an_earlier_compaction_left_is_not_counted() -> None:
    messages = conversation(summary("All before."), *PARALLEL)
    survey = Survey(messages)
    assert weigh(survey, MESSAGES) == 4 and weigh(survey, BLOCKS) == 7
    assert tail_of(messages, 4, MESSAGES) == 1


def test_a_tail_takes_what_has_room() -> None:
    words = conversation(*(user("word " * 100) for _ in range(10)))
    measure = estimator("chars")
    assert tail_within(words, 1600, 2, MESSAGES, measure) == 7
    assert tail_within(words, 100, 2, MESSAGES, measure) == 8
    assert tail_within(words, 100_000, 2, MESSAGES, measure) == 8
