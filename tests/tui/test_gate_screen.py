"""Walking the calls of the model by keys."""

from __future__ import annotations

from app.pipeline import load
from app.tui.screens.gate import GateScreen
from app.tui.screens.stepper import StepperScreen
from app.work.workspace import Workspace
from tests.tui.on_screen import OnScreen, kind_of_screen, opened, press, settle
from tests.tui.screen_text import assert_golden
from tests.views.test_gate_walk import gated
from tests.work.test_workspace import busy_session


async def test_how_a_call_that_cuts_looks() -> None:
    app = OnScreen(StepperScreen, opened(gated()))
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "v")
        assert kind_of_screen(app) is GateScreen
        assert_golden(app, "gate")
        await pilot.resize_terminal(120, 36)
        await settle(pilot)
        assert_golden(app, "gate")


async def test_forwards_and_back_through_the_calls() -> None:
    app = OnScreen(StepperScreen, opened(gated()))
    async with app.run_test(size=(80, 24)) as pilot:
        text = await press(pilot, "v")
        assert "call 7 of 9" in text and "latch: open since call 3; 1 result cut before this call" in text
        text = await press(pilot, "left_square_bracket", "left")
        assert "call 5 of 9" in text and "waiting" in text and "seen in 1 of 3 prompts" in text
        assert "spared" in text and "frozen" in text and "as recorded" in text
        text = await press(pilot, *["left"] * 4)
        assert "call 1 of 9" in text and "latch: closed" in text and "no result in this prompt" in text
        assert "this is the first call" in await press(pilot, "left")
        text = await press(pilot, "l")
        assert "call 3 of 9" in text and "latch: opens at this call" in text
        assert "call 7 of 9" in await press(pilot, "l")
        text = await press(pilot, "right", "right_square_bracket")
        assert "call 9 of 9" in text and "~" in text and "estimated" in text
        assert "this is the call that follows" in await press(pilot, "right")
        await press(pilot, "escape")
        assert kind_of_screen(app) is StepperScreen


async def test_a_session_in_which_the_latch_stays_closed() -> None:
    app = OnScreen(StepperScreen, opened(Workspace(busy_session(4), load("gate-8k"), exact=False)))
    async with app.run_test(size=(80, 24)) as pilot:
        assert "latch: closed" in await press(pilot, "v")
        assert "the latch never opens in this session" in await press(pilot, "l")


async def test_another_stage_says_that_it_replays_nothing() -> None:
    app = OnScreen(StepperScreen, opened(Workspace(busy_session(4), load("react-mini"), exact=False)))
    async with app.run_test(size=(80, 24)) as pilot:
        assert "replays no calls: use pipeline gate-8k" in await press(pilot, "v")
