"""What the provider said when it refused, and what the pipeline does about it."""

from __future__ import annotations

from app.pipeline import load
from app.tui.screens.refusal import RefusalScreen
from app.tui.screens.stepper import StepperScreen
from app.tui.widgets.controls import PushButton
from app.tui.widgets.editor import Editor
from app.work.stage_inputs import note_failure
from app.work.workspace import Workspace
from tests.build import assistant, user
from tests.tui.on_screen import OnScreen, kind_of_screen, opened, press, settle
from tests.tui.screen_text import assert_golden
from tests.work.test_stage_inputs import after, minicode
from tests.work.test_workspace import session

REFUSED = "prompt is too long: 300000 tokens > 1000 maximum"


def refused() -> Workspace:
    work = minicode(24, window=200_000)
    work.set_options("tool_result_budget", {"enabled": False})
    return work


def refusals(work: Workspace) -> int:
    return len(work.state.refusals.get("recover", ()))


def stepper(work: Workspace) -> OnScreen:
    return OnScreen(StepperScreen, opened(work))


async def test_an_error_is_understood_taken_answered_and_undone() -> None:
    work = refused()
    app = stepper(work)
    async with app.run_test(size=(80, 24)) as pilot:
        text = await press(pilot, "F")
        assert kind_of_screen(app) is RefusalScreen and "a refusal without numbers is assumed" in text
        editor = app.screen.query_one(Editor)
        editor.insert("\x1b[31m429 rate limit: 40,000 tokens per min")
        assert "not a refusal for length" in await settle(pilot)
        assert "\x1b" not in editor.text
        assert "does not say that the conversation is too long" in await press(pilot, "ctrl+s")
        editor.start(REFUSED)
        text = await settle(pilot)
        assert "300,000 tokens sent, the limit is 1,000" in text
        assert_golden(app, "refusal")
        await pilot.resize_terminal(120, 36)
        await settle(pilot)
        assert_golden(app, "refusal")
        text = await press(pilot, "ctrl+s")
        assert kind_of_screen(app) is StepperScreen and "recover runs with it: 6 goes there" in text
        text = await press(pilot, "6")
        assert "Stage 6 of 6" in text and "dropped" in text and "reactive" in text
        while work.state.refusals.get("recover"):
            await press(pilot, "u")
        assert "F pastes the provider's error" in await press(pilot, "6")


async def test_each_refusal_cuts_harder_until_it_gives_up_and_all_can_be_forgotten() -> None:
    work = refused()
    app = stepper(work)
    async with app.run_test(size=(80, 24)) as pilot:
        counts = []
        for attempt in range(3):
            await press(pilot, "F")
            app.screen.query_one(Editor).start("" if attempt else REFUSED)
            await press(pilot, "ctrl+s")
            counts.append(len(after(work, "recover").messages))
        assert counts == sorted(counts, reverse=True) and refusals(work) == 3
        text = await press(pilot, "F")
        assert "next" in next(line for line in text.splitlines() if "gives up" in line)
        await press(pilot, "ctrl+s")
        assert "gives up" in after(work, "recover").note
        text = await press(pilot, "F", "ctrl+r")
        assert "forgotten" in text and refusals(work) == 0
        assert "there are no refusals or failures to forget" in await press(pilot, "ctrl+r")
        await press(pilot, "escape")
        assert work.undo() is not None and refusals(work) == 4


async def test_the_breaker_is_shown_and_reset() -> None:
    work = refused()
    for _ in range(3):
        note_failure(work, "summarize", "no route")
    app = stepper(work)
    async with app.run_test(size=(80, 24)) as pilot:
        assert "stopped after 3 failures in a row" in await press(pilot, "F")
        app.screen.query_one("#forget", PushButton).focus()
        assert "0 failures in a row; stops at 3" in await press(pilot, "enter")
        assert not work.state.failures["summarize"]


async def test_what_the_session_itself_tells_of_is_there_to_take() -> None:
    told, older = f"API Error: {REFUSED}", "API Error: 413 Prompt is too long"
    said = (user("Go on."), assistant(older), user("Hm."), assistant(told), user("Hm."), assistant(told))
    work = Workspace(session(*said, assistant("!")), load("layered"), exact=False)
    app = stepper(work)
    async with app.run_test(size=(80, 24)) as pilot:
        text = await press(pilot, "F")
        assert "300000 tokens" in text and "found in the session 1 of 2" in text
        text = await press(pilot, "ctrl+n")
        assert "413 Prompt is too long" in text and "no numbers given" in text and "2 of 2" in text
        assert "300000 tokens" in await press(pilot, "ctrl+n")
        await press(pilot, "escape")
        assert not work.history.done


async def test_a_pipeline_without_a_stage_for_it_says_so() -> None:
    work = Workspace(session(user("Go on."), assistant("!")), load("react-mini"), exact=False)
    app = stepper(work)
    async with app.run_test(size=(80, 24)) as pilot:
        assert "react-mini has no recovery stage" in await press(pilot, "F")
