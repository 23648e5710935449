"""Reading what a stage does to one message after the other."""

from __future__ import annotations

from app.pipeline import load
from app.tui.screens.diff import DiffScreen
from app.tui.widgets.message_diff import MessageDiff
from app.work.workspace import Workspace
from tests.build import assistant, result, thinking, use, user
from tests.tui.on_screen import OnScreen, opened, press, settle
from tests.tui.screen_text import assert_golden
from tests.work.test_workspace import busy_session, session


def workspace() -> Workspace:
    return Workspace(busy_session(), load("react-mini"), exact=False)


def diff(work: Workspace, key: str | None = None, step: str | None = None) -> OnScreen:
    return OnScreen(lambda at: DiffScreen(at, key=key, step=step), opened(work))


async def test_how_it_looks() -> None:
    work = workspace()
    work.go_to(2)
    app = diff(work, "m7/0", "microcompact")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert_golden(app, "diff")
        assert "side by side needs 120 columns, this terminal has 80" in await press(pilot, "s")
        await pilot.resize_terminal(120, 36)
        await settle(pilot)
        assert_golden(app, "diff")
        await press(pilot, "s")
        assert_golden(app, "diff-split")
        await pilot.resize_terminal(80, 24)
        assert "│" not in await settle(pilot)


async def test_n_goes_through_the_changed_messages() -> None:
    app = diff(workspace(), None, "tool_result_budget")
    async with app.run_test(size=(80, 24)) as pilot:
        assert "message 1 of 24 changed" in await settle(pilot)
        text = await press(pilot, "n", "n")
        assert "message 3 of 24 changed" in text and "#10 user" in text
        assert "message 1 of 24 changed" in await press(pilot, "N", "N")
        assert "that was the first changed message" in await press(pilot, "N")


async def test_n_goes_through_matches_while_something_is_searched() -> None:
    app = diff(workspace(), "m3/0", "tool_result_budget")
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "enter", "slash", "f", "i", "l", "e", "enter")
        text = await press(pilot, "n")
        assert "message 1 of 24 changed" in text and "'file'" in text
        await press(pilot, "slash", "escape", "n")
        assert "message 2 of 24 changed" in await settle(pilot)


async def test_refusing_and_pinning_keep_the_message_in_sight() -> None:
    work = workspace()
    app = diff(work, "m7/0", "tool_result_budget")
    async with app.run_test(size=(80, 24)) as pilot:
        text = await press(pilot, "x")
        assert "message 2 of 24 changed" in text and "rejected by you" in text and "-0 +0 lines" in text
        assert work.state.refused == {"tool_result_budget": {"m7/0"}}
        assert "rejected by you" not in await press(pilot, "x")
        assert "pinned by you" in await press(pilot, "p")
        assert "it is pinned: p unpins it" in await press(pilot, "x")
        assert "pinned by you" not in await press(pilot, "u")


async def test_all_steps_together() -> None:
    work = workspace()
    work.run_all()
    app = diff(work, "m3/0")
    async with app.run_test(size=(80, 24)) as pilot:
        text = await settle(pilot)
        assert "3 stages together" in text and "2,041" in text and "cleared" in text
        assert "2 stages change it" in await press(pilot, "x")


async def test_a_stage_that_waits_can_be_read_and_refused() -> None:
    work = workspace()
    app = diff(work, "m3/0", "microcompact")
    async with app.run_test(size=(80, 24)) as pilot:
        text = await settle(pilot)
        assert "stage 2 micro" in text and "cleared" in text
        assert "rejected by you" in await press(pilot, "x")
        assert work.state.refused == {"microcompact": {"m3/0"}} and work.steps == ()


async def test_dropped_messages_show_all_they_held() -> None:
    messages = [user("First."), user("Old question?")]
    messages += [
        assistant(thinking("Hm."), use("r0", "Bash", {"command": "ls -la"})),
        user(result("r0", "a\nb")),
    ]
    for n in range(60):
        messages += [user(f"Question {n}?"), assistant("words " * 400)]
    work = Workspace(session(*messages), load("react-mini"), exact=False)
    app = diff(work, "m3/0", "retain_tail")
    work.go_to(3)
    async with app.run_test(size=(80, 24)) as pilot:
        text = await settle(pilot)
        assert "thinking" in text and "- Hm." in text
        assert "tool_use Bash" in text and "- command: ls -la" in text
        assert "dropped" in text


async def test_the_text_that_goes_is_copied() -> None:
    app = diff(workspace(), "m3/0", "tool_result_budget")
    async with app.run_test(size=(80, 24)) as pilot:
        assert "copied 6,000 characters" in await press(pilot, "y")
        assert app.clipboard.count("line of a file") == 400


def one_read(text: str, kept: int) -> Workspace:
    """A session with one read, cut to so many characters."""
    messages = (user("Go."), assistant(use("r", "Read", {"path": "f"})), user(result("r", text)))
    work = Workspace(session(*messages, assistant("Done.")), load("react-mini"), exact=False)
    work.set_options("tool_result_budget", {"max_result_chars": kept})
    return work


async def test_folded_lines_open() -> None:
    app = diff(one_read("".join(f"line {n}\n" for n in range(3000)), 25_000), "m3/0", "tool_result_budget")
    async with app.run_test(size=(80, 24)) as pilot:
        assert "unchanged lines" in await settle(pilot)
        pane = app.screen.query_one(MessageDiff)
        before = pane.row_count
        await press(pilot, "j", "j", "enter")
        assert pane.row_count > before


async def test_long_texts_are_compared_on_request() -> None:
    app = diff(one_read("a line\n" * 90_000, 300_000), "m3/0", "tool_result_budget")
    async with app.run_test(size=(80, 24)) as pilot:
        assert "too long to compare here" in await settle(pilot)
        assert "too long" not in await press(pilot, "enter")


async def test_when_nothing_differs_every_key_answers() -> None:
    work = Workspace(busy_session(1), load("react-mini"), exact=False)
    work.refuse("tool_result_budget", ["m3/0"])
    work.set_options("tool_result_budget", {"enabled": False})
    app = diff(work, None, "tool_result_budget")
    async with app.run_test(size=(80, 24)) as pilot:
        assert "nothing differs" in await settle(pilot)
        for key in ("x", "p", "y", "n", "N", "enter", "w"):
            await press(pilot, key)
        assert "message 1 of 1 changed" in await press(pilot, "u", "u")
