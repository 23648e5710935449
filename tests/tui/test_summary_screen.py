"""Giving a stage its summary by keys: by rules, memory, hand and model, and the proof of what was written."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from app.model import Session
from app.pipeline import load
from app.tui.screens.choose import ChooseScreen
from app.tui.screens.confirm import ConfirmScreen
from app.tui.screens.prompt import PromptScreen
from app.tui.screens.proof import ProofScreen, marked
from app.tui.screens.stepper import StepperScreen
from app.tui.screens.summary import SummaryScreen
from app.tui.widgets.controls import PushButton
from app.tui.widgets.editor import Editor
from app.work.workspace import Workspace
from tests.build import assistant, result, use, user
from tests.tui.driving import type_in
from tests.tui.on_screen import OnScreen, kind_of_screen, opened, press, settle
from tests.tui.screen_text import assert_golden
from tests.work.test_stage_inputs import after, summary_of, working
from tests.work.test_workspace import session

GHOST = "Look at src/ghost.py, then set 4711."


def waiting(turns: int = 6) -> Workspace:
    """At the summary of `layered`, which nobody gave."""
    work = working(turns)
    work.set_options("summarize", {"max_total_chars": 3000})
    work.go_to(4)
    return work


def stepper(work: Workspace) -> OnScreen:
    return OnScreen(StepperScreen, opened(work))


def settings(folder: Path, argv: list[str]) -> None:
    (folder / "config").mkdir(exist_ok=True)
    (folder / "config" / "config.toml").write_text(f'[model]\nkind = "command"\nargv = {json.dumps(argv)}\n')


def program(code: str) -> list[str]:
    return [sys.executable, "-c", f"import sys, time; sys.stdin.buffer.read(); {code}"]


async def test_what_the_list_offers_and_a_summary_by_rules() -> None:
    work = waiting()
    app = stepper(work)
    async with app.run_test(size=(80, 24)) as pilot:
        text = await settle(pilot)
        assert "none written by hand" in text and "w provides a summary" in text
        text = await press(pilot, "w")
        assert kind_of_screen(app) is ChooseScreen
        assert all(words in text for words in ("rules only", "another file", "written by you", "none set"))
        text = await press(pilot, "enter")
        assert "Stage 4 of 5" in text and "summary by rules" in text
        assert summary_of(after(work, "summarize")).startswith("[Context compacted at ")
        await press(pilot, "u")
        assert after(work, "summarize").boundary is None


async def test_a_stage_that_writes_no_summary_says_which_does() -> None:
    work = working()
    app = stepper(work)
    async with app.run_test(size=(80, 24)) as pilot:
        assert "does not use a summary: summarize, recover can" in await press(pilot, "w")
        await press(pilot, "a")
        assert "all stages are done" in await press(pilot, "w")


async def test_the_memory_of_the_project_is_offered_and_another_file_can_be_named(tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("Prices are in cents. \x1b]0;x\x07\n")
    (tmp_path / "notes.md").write_text("Taxes are in cents too.\n")
    messages = [user("Fix the sums of the cart."), assistant(use("r1", "Read", {"file_path": "a.py"}))]
    messages += [
        user(result("r1", "line of a file\n" * 400)),
        assistant("Done."),
        user("Thanks."),
        assistant("!"),
    ]
    held = session(*messages)
    named = Session(held.format, held.name, held.records, held.messages, model=held.model, cwd=str(tmp_path))
    work = Workspace(named, load("minicode"), exact=False)
    work.go_to(5)
    app = stepper(work)
    async with app.run_test(size=(120, 36)) as pilot:
        assert "under the high-water mark" in await settle(pilot)
        text = await press(pilot, "w")
        assert "CLAUDE.md" in text and "AGENTS.md" not in text
        assert "\x1b" not in await press(pilot, "j", "enter")
        assert "Prices are in cents." in work.state.summaries["summarize"].memory
        assert work.state.options["summarize"]["when"] == "always"
        await press(pilot, "w", "j", "j", "enter")
        assert "missing.md is not a file" in await type_in(pilot, str(tmp_path / "missing.md"))
        await press(pilot, "w", "j", "j", "enter")
        assert "summary from notes.md" in await type_in(pilot, str(tmp_path / "notes.md"))
        assert "Taxes" in work.state.summaries["summarize"].memory


async def test_ones_own_words_are_written_over_the_summary_by_rules_and_proved() -> None:
    work = waiting()
    app = stepper(work)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "w", "j", "j", "enter")
        assert kind_of_screen(app) is SummaryScreen
        editor = app.screen.query_one(Editor)
        assert editor.text.startswith("### Summary of conversation so far:")
        assert_golden(app, "summary")
        await pilot.resize_terminal(120, 36)
        await settle(pilot)
        assert_golden(app, "summary")
        editor.start("")
        assert "the text is empty" in await press(pilot, "ctrl+s")
        editor.insert(f"{GHOST} \x1b]52;c;eA==\x07 [/x]")
        assert "\x1b" not in editor.text and "[/x]" in editor.text
        text = await press(pilot, "ctrl+s")
        assert kind_of_screen(app) is ProofScreen
        assert "path src/ghost.py" in text and "number 4711" in text and "4711 [?" in text
        assert "6 of your rules" in text
        assert_golden(app, "proof")
        await pilot.resize_terminal(80, 24)
        await settle(pilot)
        assert_golden(app, "proof")
        assert "none of your rules is missing" in await press(pilot, "a")
        assert "none of your rules is missing" in await press(pilot, "a")
        assert "never change the public names of module 3" in summary_of(after(work, "summarize"))
        text = await press(pilot, "escape")
        assert kind_of_screen(app) is StepperScreen and "dropped" in text
        await press(pilot, "u", "u")
        assert after(work, "summarize").boundary is None


async def test_what_was_written_is_not_thrown_away_without_a_question() -> None:
    work = waiting()
    app = stepper(work)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "w", "j", "j", "enter", "x", "escape")
        assert kind_of_screen(app) is ConfirmScreen
        await press(pilot, "escape")
        assert kind_of_screen(app) is SummaryScreen
        await press(pilot, "escape", "right", "enter")
        assert kind_of_screen(app) is StepperScreen
        assert after(work, "summarize").boundary is None


async def test_a_prompt_is_read_saved_and_sent_nowhere_without_a_model(tmp_path: Path) -> None:
    work = waiting()
    before = work.history.done
    app = stepper(work)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "w", "end", "enter")
        assert kind_of_screen(app) is PromptScreen
        app.screen.query_one("#send", PushButton).focus()
        assert "no model is set" in await press(pilot, "enter")
        app.screen.query_one("#save", PushButton).focus()
        await press(pilot, "enter")
        assert "nothing sent yet" in await type_in(pilot, str(tmp_path / "prompt.txt"))
        assert "Question 0" in (tmp_path / "prompt.txt").read_text()
        await press(pilot, "escape")
        assert kind_of_screen(app) is StepperScreen and work.history.done == before


async def test_how_a_prompt_looks(tmp_path: Path) -> None:
    settings(tmp_path, ["summariser", "--brief"])
    work = Workspace(
        session(user("The key is sk-ant-" + "x1" * 20 + "."), *working(3).session.messages),
        load("layered"),
        exact=False,
    )
    work.go_to(4)
    app = stepper(work)
    async with app.run_test(size=(80, 24)) as pilot:
        text = await press(pilot, "w", "end", "enter")
        assert "1 string in it" in text and "the program summariser --brief" in text
        assert_golden(app, "prompt")
        await pilot.resize_terminal(120, 36)
        await settle(pilot)
        assert_golden(app, "prompt")


async def test_a_model_answers_after_the_button_and_only_then(tmp_path: Path) -> None:
    settings(tmp_path, program(f"print({GHOST!r})"))
    work = waiting()
    app = stepper(work)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "w", "end", "enter")
        assert not any(summaries.models for summaries in work.state.summaries.values())
        app.screen.query_one("#send", PushButton).focus()
        text = await press(pilot, "enter")
        assert kind_of_screen(app) is ProofScreen and "number 4711" in text
        assert summary_of(after(work, "summarize")) == f"[Compacted]\n\n{GHOST}"
        await press(pilot, "a")
        assert len(work.state.summaries["summarize"].models) == 2
        assert "module 5" in summary_of(after(work, "summarize"))


async def test_a_model_that_fails_changes_nothing_and_can_be_stopped(tmp_path: Path) -> None:
    work = waiting()
    app = stepper(work)
    async with app.run_test(size=(160, 24)) as pilot:
        settings(tmp_path, program("sys.exit('no key')"))
        await press(pilot, "w", "end", "enter")
        app.screen.query_one("#send", PushButton).focus()
        text = await press(pilot, "enter")
        assert "no key" in text and "nothing changed" in text
        await press(pilot, "escape")
        assert work.state.failures == {"summarize": 1} and after(work, "summarize").boundary is None
        settings(tmp_path, program("time.sleep(20)"))
        await press(pilot, "w", "end", "k", "enter")
        app.screen.query_one("#send", PushButton).focus()
        pilot.app.simulate_key("enter")
        await pilot.pause(0.2)
        pilot.app.simulate_key("escape")
        assert "stopped; nothing changed" in await settle(pilot)
        assert work.state.failures == {"summarize": 1}
        text = await press(pilot, "escape", "w")
        assert "1 in a row" in text
        await press(pilot, "end", "enter")
        assert not work.state.failures["summarize"]


def test_marks_stand_behind_what_they_are_about() -> None:
    assert marked("plain", []) == "plain"
