"""The view over earlier compactions: only what stands behind the newest one is worked on."""

from __future__ import annotations

import pytest

from app.model import Boundary, Message, blocks_of
from app.pipeline import load
from app.stages.base import Messages, run_stage
from app.summarizers import Summaries
from app.tokens import estimator
from tests.build import assistant, conversation, result, summary, system, use, user
from tests.stages.given import context, run

LONG = "a line of a result that was read, which is long enough to go\n" * 90


def turn(name: str) -> tuple[Message, ...]:
    """A question, a call with its long result, and an answer, by their names."""
    return (
        user(f"{name}?", key=f"{name}-asked"),
        assistant(use(f"{name}-call", "Read", {"file_path": f"{name}.py"}), key=f"{name}-called"),
        user(result(f"{name}-call", LONG), key=f"{name}-read"),
        assistant(f"{name}.", key=f"{name}-answered"),
    )


def marker(name: str, *, hides: bool = True, removed: int = 7) -> Message:
    boundary = Boundary(f"{name}-boundary", "auto", "summarize", removed=removed, hides=hides)
    return summary(f"[Compacted]\n\nSummary {name}.", boundary=boundary, key=name)


def keys(messages: Messages) -> list[str]:
    return [message.key for message in messages]


TWO: Messages = conversation(*turn("a"), marker("first"), *turn("b"), marker("second"), *turn("c"))


def test_the_view_starts_at_the_newest_of_two_boundaries() -> None:
    seen = run("active_context", TWO)
    assert keys(seen.messages) == ["second", "c-asked", "c-called", "c-read", "c-answered"]
    assert seen.note == "the view starts at the auto compaction, which removed 7 messages"
    gone = {change.key for change in seen.changes}
    assert gone == {block.key for message in TWO[:9] for block in message.blocks}
    again = run("active_context", seen.messages)
    assert again.messages is seen.messages and again.changes == ()


def test_a_marker_that_hides_nothing_does_not_start_a_view() -> None:
    messages = conversation(*turn("a"), marker("first"), *turn("b"), marker("snip", hides=False), *turn("c"))
    assert keys(run("active_context", messages).messages)[:2] == ["first", "b-asked"]


def test_what_must_stay_follows_the_boundary_and_system_words_stay_in_front() -> None:
    rules = (
        assistant(use("rules", "Read", {"file_path": "CLAUDE.md"}), key="rules-called"),
        user(result("rules", "Prices are in cents."), key="rules-read"),
    )
    messages = conversation(
        system("Be brief.", key="system"), *turn("a"), *rules, marker("first"), *turn("b"), marker("second"),
        *turn("c"),
    )  # fmt: skip
    seen = run("active_context", messages)
    assert keys(seen.messages)[:5] == ["system", "second", "rules-called", "rules-read", "c-asked"]
    assert seen.protected > 0


@pytest.mark.parametrize("step", [step.name for step in load("minicode").steps])
def test_no_stage_looks_before_the_newest_boundary(step: str) -> None:
    """Two compactions with turns between: each stage sees, changes and tells of the newest segment alone."""
    pipeline = load("minicode").with_options(
        {
            "microcompact": {"when": "always", "keep_recent": 0},
            "summarize": {"when": "always", "min_messages": 1, "source": "structured"},
            "recover": {"full_first": False, "ratios": "0.3", "floor_messages": 1},
        }
    )
    messages, old = TWO, {block.key for message in TWO[:9] for block in message.blocks}
    for planned in pipeline.steps:
        if planned.name not in ("active_context", step):
            continue
        given = context(messages, estimator=estimator("minicode"), summaries=Summaries(memory="Cents."))
        done = run_stage(planned.stage, messages, given)
        if planned.name == step != "active_context":
            assert not old & {change.key for change in done.changes}
            assert not {block.key for _, block in blocks_of(done.messages)} & old
        messages = done.messages


def test_two_runs_with_turns_between_leave_both_markers() -> None:
    """The first summary is carried on as it was, behind the boundary of the second."""
    options = {"when": "always", "source": "structured", "min_messages": 2, "keep_messages": 4}
    measure = {"estimator": estimator("minicode"), "tokens": estimator("rough"), "now": 1_750_000_000.0}
    first = run("summarize", conversation(*turn("a"), *turn("b"), *turn("c")), options, **measure)
    assert first.boundary is not None and first.boundary.removed == 8
    went_on = (*first.messages, *conversation(*turn("d"), *turn("e"), *turn("f")))
    seen = run("active_context", went_on)
    assert seen.messages is went_on, "the summary and what came since is one segment"
    second = run("summarize", seen.messages, options, **measure)
    assert second.boundary is not None and second.boundary.removed == 8 + 12, "what went before counts on"
    made, carried = second.messages[0].blocks
    assert made.key != carried.key and keys(second.messages)[0] == second.messages[0].key
    assert keys(second.messages)[1:] == ["f-asked", "f-called", "f-read", "f-answered"]
    texts = [block.content.preview for block in second.messages[0].blocks if hasattr(block, "content")]
    assert all(text.startswith("[Context compacted at 15:06:40 — Full Compact]") for text in texts)
    assert "12 messages" in texts[1] and sum(m.boundary is not None for m in second.messages) == 1
