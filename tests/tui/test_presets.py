"""How every preset looks while it is stepped through, on a long session of Claude Code."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from textual.pilot import Pilot

from app.formats import detect, open_source
from app.pipeline import load, preset_names
from app.tui.screens.diff import DiffScreen
from app.tui.screens.gate import GateScreen
from app.tui.screens.stepper import StepperScreen
from app.tui.widgets.change_list import ChangeList
from app.work.stage_inputs import give_refusal, prefer
from app.work.workspace import Status, Workspace
from tests.tui.on_screen import OnScreen, kind_of_screen, opened, press, settle
from tests.tui.screen_text import assert_golden

SAMPLE = Path(__file__).parent.parent.parent / "sample_sessions" / "claude-code-long.jsonl"
SIZES = ((80, 24), (120, 36))
LATER = 2_000_000_000.0
"""Long after the session's newest reply, in seconds since 1970."""


def long_session(preset: str) -> Workspace:
    source = open_source(str(SAMPLE))
    session = detect(source).read(source)
    return Workspace(session, load(preset), exact=False, root="/home/dev/shop")


@pytest.fixture(autouse=True)
def some_hours_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the provider still has the session in its cache must not depend on the day."""
    monkeypatch.setattr("app.work.pricing.time", SimpleNamespace(time=lambda: LATER))


async def settled(pilot: Pilot[None]) -> None:
    """Wait for the scroll bars, too: they are painted after the rows that they stand beside."""
    for _ in range(3):
        await settle(pilot)


def summarised(work: Workspace) -> None:
    prefer(work, "summarize", "structured")


def refused(work: Workspace) -> None:
    give_refusal(work, "recover", "prompt is too long: 209045 tokens > 20000 maximum")


SHOWN: list[tuple[str, int, Callable[[Workspace], None] | None]] = [
    ("gentle", 1, None),
    ("gentle", 3, None),
    ("react-mini", 2, None),
    ("react-mini", 3, None),
    ("minicode", 1, None),
    ("minicode", 2, None),
    ("minicode", 5, summarised),
    ("minicode", 6, refused),
    ("layered", 2, None),
    ("layered", 4, None),
    ("layered", 4, summarised),
    ("gate-8k", 1, None),
]
"""A preset, the stage that is tried while those before it are accepted, and what was given to it."""


@pytest.mark.parametrize(
    ("preset", "stage", "given"), SHOWN, ids=[f"{p}-{n}{'-given' if g else ''}" for p, n, g in SHOWN]
)
async def test_how_a_stage_looks(preset: str, stage: int, given: Callable[[Workspace], None] | None) -> None:
    work = long_session(preset)
    if given:
        given(work)
    work.go_to(stage)
    app = OnScreen(StepperScreen, opened(work))
    name = f"preset-{preset}-{stage}{'-given' if given else ''}"
    async with app.run_test(size=SIZES[0]) as pilot:
        await settled(pilot)
        assert_golden(app, name)
        await pilot.resize_terminal(*SIZES[1])
        await settled(pilot)
        assert_golden(app, name)
        if app.screen.query_one(ChangeList).current is None:
            return
        await press(pilot, "d")
        await settled(pilot)
        assert kind_of_screen(app) is DiffScreen
        assert_golden(app, f"{name}-diff")


async def test_how_the_calls_behind_a_gate_look() -> None:
    app = OnScreen(StepperScreen, opened(long_session("gate-8k")))
    async with app.run_test(size=SIZES[0]) as pilot:
        await press(pilot, "v")
        await settled(pilot)
        assert kind_of_screen(app) is GateScreen
        assert_golden(app, "preset-gate-8k-calls")


@pytest.mark.parametrize("preset", sorted(preset_names()))
async def test_every_preset_is_walked_to_its_end_and_back(preset: str) -> None:
    work = long_session(preset)
    app = OnScreen(StepperScreen, opened(work))
    stages = len(work.pipeline.steps)
    async with app.run_test(size=SIZES[0]) as pilot:
        text = await press(pilot, *["right_square_bracket"] * stages)
        assert text.splitlines()[0].rstrip().endswith("done")
        assert {step.status for step in work.steps} == {Status.DONE}
        text = await press(pilot, *["left_square_bracket"] * stages)
        assert f"Stage 1 of {stages}" in text and not work.steps
