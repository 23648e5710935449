"""Every stage of our presets changes the long sample, on what those before it left."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.opening import open_workspace
from app.pipeline import load
from app.workspace import Workspace

LONG = Path(__file__).parents[2] / "sample_sessions" / "claude-code-long.jsonl"


def opened(preset: str) -> Workspace:
    return open_workspace(str(LONG), pipeline=preset, exact=False).workspace


@pytest.mark.parametrize(
    ("preset", "step"),
    [(preset, step.name) for preset in ("gentle", "react-mini", "gate-8k") for step in load(preset).steps],
)
def test_a_stage_finds_something_to_do(preset: str, step: str) -> None:
    workspace = opened(preset)
    while workspace.steps == () or workspace.steps[-1].name != step:
        assert workspace.advance()
    assert workspace.steps[-1].changes


@pytest.mark.parametrize("preset", ["gentle", "gate-8k"])
def test_no_word_of_the_persons_goes(preset: str) -> None:
    workspace = opened(preset)
    workspace.run_all()
    assert workspace.words_gone == ()
    assert workspace.tokens(workspace.messages) < workspace.tokens(workspace.session.live)


def test_gentle_takes_no_more_than_it_must() -> None:
    workspace = open_workspace(
        str(LONG), pipeline="gentle", settings=["superseded-reads.target_share=0.8"], exact=False
    ).workspace
    workspace.run_all()
    reads = workspace.steps[0].result
    assert reads.note.startswith("the target of 160,000 is met: 15")
    whole = opened("gentle")
    whole.run_all()
    assert 0 < len(reads.changes) < len(whole.steps[0].changes)


def test_the_gate_keeps_the_cached_prefix() -> None:
    workspace = opened("gate-8k")
    workspace.run_all()
    (step,) = workspace.steps
    replay = step.result.replay
    assert replay is not None and replay.opened_at is not None
    before = workspace.session.live
    opening = next(i for i, m in enumerate(before) if m.key == replay.calls[replay.opened_at - 1].message)
    assert step.result.messages[:opening] == before[:opening]
    assert not replay.frozen.intersection(change.key for change in step.changes)
