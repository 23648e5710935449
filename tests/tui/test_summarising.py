"""A summary in the place of marked rows: by rules, by hand, and by a model that is really asked."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pytest
from textual.widgets import TextArea

from app.model import text_of
from app.tui.app import HandcompactApp
from app.tui.screens.choose import ChooseScreen
from app.tui.screens.confirm import ConfirmScreen
from app.tui.screens.inspect import InspectScreen
from app.tui.screens.prompt import PromptScreen
from app.tui.screens.proof import ProofScreen
from app.tui.screens.rewrite import RewriteScreen
from app.tui.widgets.controls import PushButton
from app.work.workspace import Workspace
from tests.summarizers.served import chat_events, hold, serving, status, stream
from tests.tui.driving import opening, shows
from tests.tui.files import LONG, written
from tests.tui.on_screen import press, settle
from tests.tui.screen_text import assert_golden, screen_text

SIZE = (80, 24)
MENU = ("D", *["j"] * 6, "enter")
"""To the sources of a summary of the marked rows."""
RANGE = ("j", "v", "j", "j", "v")
"""From the call of the first read to its answer."""
ANSWER = "He read src/f0.py and src/f9.py."


@pytest.fixture
def app(tmp_path: Path) -> HandcompactApp:
    messages: list[dict[str, object]] = []
    for n in range(4):
        read = {"type": "tool_use", "id": f"r{n}", "name": "Read", "input": {"file_path": f"src/f{n}.py"}}
        result = {"type": "tool_result", "tool_use_id": f"r{n}", "content": LONG}
        messages += [
            {"role": "user", "content": f"Question {n}. Never rename module_{n}."},
            {"role": "assistant", "content": [read]},
            {"role": "user", "content": [result]},
            {"role": "assistant", "content": f"Answer {n}."},
        ]
    return HandcompactApp(opening(written(tmp_path, messages)))


def workspace(app: HandcompactApp) -> Workspace:
    screen = next(screen for screen in app.screen_stack if isinstance(screen, InspectScreen))
    return screen.workspace


def texts(app: HandcompactApp) -> list[str]:
    return [text_of(block) for message in workspace(app).messages for block in message.blocks]


def model(folder: Path, **values: object) -> None:
    """Settings that name a model."""
    (folder / "config").mkdir(exist_ok=True)
    lines = "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items())
    (folder / "config" / "config.toml").write_text(f"[model]\n{lines}")


def program(code: str) -> list[str]:
    return [sys.executable, "-c", f"import sys, time; sys.stdin.buffer.read(); {code}"]


async def test_the_sources_are_those_of_the_stages_and_rules_need_nobody(app: HandcompactApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        text = await press(pilot, *RANGE, *MENU)
        assert shows(app, ChooseScreen)
        assert all(words in text for words in ("rules only", "written by you", "a model: shows the prompt"))
        assert "summarise" in await press(pilot, "enter") and " marked" not in screen_text(app)
        assert any(text.startswith("[Summary of 3 messages]") for text in texts(app))
        await press(pilot, "u")
        assert not workspace(app).steps


async def test_what_was_written_by_hand_is_held_against_the_session(app: HandcompactApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, *RANGE, *MENU, "j", "enter")
        assert shows(app, RewriteScreen)
        assert app.screen.query_one(TextArea).text.startswith("### Summary of conversation so far:")
        assert "[Results" not in app.screen.query_one(TextArea).text, "the line is added when it is done"
        app.screen.query_one(TextArea).text = ANSWER
        text = await press(pilot, "ctrl+s")
        assert shows(app, ProofScreen) and "path src/f9.py" in text
        assert "none of your rules is missing" in text, "what stays is still there to be read"
        text = await press(pilot, "escape")
        assert shows(app, InspectScreen) and "u undoes it" in text
        assert any(text.startswith(f"[Summary of 3 messages]\n\n{ANSWER}") for text in texts(app))


async def test_a_model_is_asked_for_the_rows_and_proved(app: HandcompactApp, tmp_path: Path) -> None:
    with serving(stream(*chat_events(ANSWER[:10], ANSWER[10:]))) as served:
        model(tmp_path, kind="openai", model="m-1", base_url=served.url)
        async with app.run_test(size=SIZE) as pilot:
            await press(pilot, "v", *["j"] * 7, "v", *MENU, "end", "enter")
            # Their own words would go with them: that is asked before anything is sent.
            assert shows(app, ConfirmScreen) and "Never rename module_0" in screen_text(app)
            text = await press(pilot, "right", "enter")
            assert shows(app, PromptScreen) and "nothing sent yet" in text and not served.bodies
            assert f"m-1 at 127.0.0.1:{served.port}, not encrypted" in text
            app.screen.query_one("#send", PushButton).focus()
            text = await press(pilot, "enter")
            assert shows(app, ProofScreen)
            assert "path src/f9.py" in text and "2 of your rules" in text
            [body] = served.bodies
            assert "Question 0" in json.dumps(body) and "Question 3" not in json.dumps(body)
            done = len(workspace(app).history.done)
            assert "none of your rules is missing" in await press(pilot, "a")
            assert len(workspace(app).history.done) == done == 1
            assert any("- Never rename module_0." in text for text in texts(app))
            assert "u undoes it" in await press(pilot, "escape")
            await press(pilot, "u")
            assert not workspace(app).steps


async def test_a_model_that_fails_or_is_stopped_changes_nothing(app: HandcompactApp, tmp_path: Path) -> None:
    refused = status(429, {"error": {"message": "slow down " * 12}}, retry_after="17")
    with serving(refused) as served:
        model(tmp_path, kind="anthropic", model="m-1", base_url=served.url)
        async with app.run_test(size=SIZE) as pilot:
            await press(pilot, *RANGE, *MENU, "end", "enter")
            app.screen.query_one("#send", PushButton).focus()
            await press(pilot, "enter")
            assert_failed_golden(app, served.port)
            text = await press(pilot, "escape")
            assert shows(app, InspectScreen) and not workspace(app).history.done
            model(tmp_path, kind="command", argv=program("print('abc', flush=True); time.sleep(20)"))
            await press(pilot, *MENU, "end", "enter")
            app.screen.query_one("#send", PushButton).focus()
            pilot.app.simulate_key("enter")
            for _ in range(200):
                await pilot.pause(0.05)
                if "characters so far" in (text := screen_text(app)):
                    break
            assert "4 characters so far  (esc stops)" in text
            pilot.app.simulate_key("escape")
            assert "stopped; nothing changed" in await settle(pilot)
            assert not workspace(app).history.done


async def test_after_a_failure_it_can_be_sent_again(app: HandcompactApp, tmp_path: Path) -> None:
    answers = [status(529, {"error": {"message": "Overloaded"}}), stream(*chat_events(ANSWER))]
    with serving(lambda handler, served: answers[len(served.bodies) - 1](handler, served)) as served:
        model(tmp_path, kind="openai", model="m-1", base_url=served.url)
        async with app.run_test(size=SIZE) as pilot:
            await press(pilot, *RANGE, *MENU, "end", "enter")
            app.screen.query_one("#send", PushButton).focus()
            text = await press(pilot, "enter")
            assert "failed on its side (529): try again later: Overloaded" in " ".join(text.split())
            assert text.splitlines()[0].endswith("asked once")
            assert len(served.bodies) == 1 and shows(app, PromptScreen)
            await press(pilot, "enter")
            assert shows(app, ProofScreen) and served.bodies[0] == served.bodies[1]


async def test_leaving_the_program_closes_the_connection(app: HandcompactApp, tmp_path: Path) -> None:
    with serving(hold) as served:
        model(tmp_path, kind="openai", model="m-1", base_url=served.url)
        async with app.run_test(size=SIZE) as pilot:
            await press(pilot, *RANGE, *MENU, "end", "enter")
            app.screen.query_one("#send", PushButton).focus()
            pilot.app.simulate_key("enter")
            for _ in range(200):
                await pilot.pause(0.05)
                if served.came.is_set():
                    break
            began = time.monotonic()
            app.exit()
        assert served.closed.wait(3) and time.monotonic() - began < 5


def assert_failed_golden(app: HandcompactApp, port: int) -> None:
    """The port differs from run to run."""
    text = screen_text(app)
    assert "asks to wait 17 seconds (429): slow down" in " ".join(text.split()) and str(port) in text
    assert "nothing changed" in text


async def test_how_asking_for_rows_looks(app: HandcompactApp, tmp_path: Path) -> None:
    model(tmp_path, kind="command", argv=["summariser", "--brief"])
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, *RANGE, *MENU, "end", "enter")
        assert_golden(app, "prompt-rows")


async def test_rows_of_which_nothing_may_go_are_not_asked_about(app: HandcompactApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        text = await press(pilot, "j", "j", *MENU, "end", "enter")
        assert shows(app, InspectScreen) and "no complete call/result pair" in text
