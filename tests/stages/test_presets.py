"""Every stage of our presets changes the long sample, on what those before it left."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.model import SendStatus, blocks_of
from app.opening import open_workspace
from app.pipeline import load, preset_names
from app.stages.base import Context, run_stage
from app.tokens import estimator
from app.work.checks import CheckLevel
from app.work.stage_inputs import give_memory, give_refusal, give_summary
from app.work.workspace import Step, Workspace

LONG = Path(__file__).parents[2] / "sample_sessions" / "claude-code-long.jsonl"
TRACES = Path(__file__).parents[1] / "data" / "traces"


def opened(preset: str) -> Workspace:
    return open_workspace(str(LONG), pipeline=preset, exact=False, out=Path("/saved/new.jsonl")).workspace


SETTINGS = {
    "minicode": {
        "summarize": {"window_tokens": 20_000, "max_tail_tokens": 8000},
        "recover": {"window_tokens": 1000},
    },
    "layered": {"summarize": {"keep_messages": 20}},
    "langchain": {"summarize": {"window_tokens": 40_000}},
    "openhands": {},
}
"""What a stage waits for: a small window, a tail that leaves the next one something."""


def prepared(preset: str) -> Workspace:
    """The long sample with what the stages of a preset wait for: a memory, a summary, a refusal."""
    workspace = opened(preset)
    for step, options in SETTINGS.get(preset, {}).items():
        workspace.set_options(step, options)
    if preset == "minicode":
        give_memory(workspace, "summarize", ["# Lantern Street\n\nPrices are whole minor units."])
    if preset == "layered":
        give_summary(workspace, "summarize", "hand", "The login is mended, the prices are next.")
        give_summary(workspace, "recover", "hand", "The login is mended.")
    if preset in ("langchain", "openhands"):
        give_summary(workspace, "summarize", "hand", "The login is mended, the prices are next.")
    if preset in ("minicode", "layered"):
        give_refusal(workspace, "recover", "prompt is too long: 210000 tokens > 200000 maximum")
    return workspace


@pytest.mark.parametrize(
    ("preset", "step"),
    [
        (preset, step.name)
        for preset in preset_names()
        for step in load(preset).steps
        if step.name != "active_context"
    ],
)
def test_a_stage_finds_something_to_do(preset: str, step: str) -> None:
    workspace = prepared(preset)
    while workspace.steps == () or workspace.steps[-1].name != step:
        assert workspace.advance()
    assert workspace.steps[-1].changes


@pytest.mark.parametrize("preset", preset_names())
def test_what_each_stage_does_is_told_as_it_was(preset: str) -> None:
    workspace = prepared(preset)
    workspace.run_all()
    told = "\n".join(line for step in workspace.steps for line in told_step(workspace, step)) + "\n"
    path = TRACES / f"{preset}.txt"
    if os.environ.get("UPDATE_GOLDENS") == "1":
        path.parent.mkdir(exist_ok=True)
        path.write_text(told, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == told, f"{path.name} differs; UPDATE_GOLDENS=1 rewrites it"


def told_step(workspace: Workspace, step: Step) -> Iterator[str]:
    """One step: what changed by kind, its note, its trace, its boundary, and its size before and after."""
    result = step.result
    kinds = Counter(str(change.kind) for change in step.changes)
    yield f"{step.name}: {', '.join(f'{count} {kind}' for kind, count in sorted(kinds.items())) or 'nothing'}"
    yield f"  tokens {workspace.tokens(step.before)} -> {workspace.tokens(result.messages)}"
    yield f"  messages {len(step.before)} -> {len(result.messages)}"
    yield from (f"  note {result.note}",) if result.note else ()
    yield from (f"  trace {line}" for line in result.trace)
    if result.protected:
        yield f"  protected {result.protected}"
    if result.boundary is not None:
        made = result.boundary
        yield f"  boundary {made.trigger} {made.strategy} removed={made.removed} hides={made.hides}"
    yield from (f"  file {Path(file.path).parent}/... {len(file.text)}" for file in result.files)


def test_the_active_context_is_what_stands_behind_the_newest_boundary() -> None:
    workspace = opened("minicode")
    session = workspace.session
    told = workspace.ahead[0]
    assert told.changes == () and told.result.note.startswith("the view starts at the manual compaction of ")
    here = (SendStatus.LIVE, SendStatus.BEFORE_BOUNDARY)
    whole = tuple(message for message in session.messages if message.standing in here)
    context = Context(estimator("minicode"))
    stage = load("minicode").steps[0].stage
    assert run_stage(stage, whole, context).messages == session.live != whole


@pytest.mark.parametrize("preset", ["minicode", "layered", "langchain", "openhands"])
def test_a_summary_takes_most_and_what_is_protected_stays(preset: str) -> None:
    workspace = prepared(preset)
    workspace.run_all()
    after = {block.key for _, block in blocks_of(workspace.messages)}
    assert workspace.protection.text.keys() | workspace.protection.place.keys() <= after
    assert len(workspace.messages) < len(workspace.session.live) / 2
    assert workspace.words_gone and all(check.level is not CheckLevel.FAIL for check in workspace.checks())


@pytest.mark.parametrize("preset", ["gentle", "gate-8k", "clear-tool-uses"])
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
