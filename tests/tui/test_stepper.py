"""Stepping through a pipeline by keys."""

from __future__ import annotations

import pytest

from app.pipeline import load
from app.tui.screens.diff import DiffScreen
from app.tui.screens.export import ExportScreen
from app.tui.screens.options import OptionsScreen
from app.tui.screens.stepper import StepperScreen
from app.tui.widgets.change_list import ChangeList
from app.tui.widgets.fact_list import FactList
from app.work.workspace import Workspace
from tests.build import assistant, result, use, user
from tests.tui.on_screen import OnScreen, kind_of_screen, opened, press, settle
from tests.tui.screen_text import assert_golden
from tests.work.test_workspace import busy_session, session

HOSTILE = "[/x] \x1b]52;c;eA==\x07 修复登录 [b]"


def workspace(turns: int = 24) -> Workspace:
    return Workspace(busy_session(turns), load("react-mini"), exact=False)


def stepper(work: Workspace | None = None, *, ascii: bool = False) -> OnScreen:  # noqa: A002
    return OnScreen(StepperScreen, opened(work or workspace()), ascii=ascii)


async def test_how_a_preview_looks() -> None:
    app = stepper()
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "right_square_bracket")
        assert_golden(app, "stepper")
        await pilot.resize_terminal(120, 36)
        await settle(pilot)
        assert_golden(app, "stepper")


async def test_how_it_looks_in_ascii() -> None:
    app = stepper(ascii=True)
    async with app.run_test(size=(80, 24)) as pilot:
        text = await settle(pilot)
        assert text.isascii()
        assert_golden(app, "stepper-ascii")
        await press(pilot, "right_square_bracket")
        for key in ("d", "o", "e"):
            assert (await press(pilot, key)).isascii()
            await press(pilot, "escape")


async def test_accept_and_back() -> None:
    app = stepper()
    async with app.run_test(size=(80, 24)) as pilot:
        assert "Stage 1 of 3" in await settle(pilot)
        text = await press(pilot, "right_square_bracket")
        assert "Stage 2 of 3" in text and "accepted budget" in text
        assert "cleared" in text
        text = await press(pilot, "right_square_bracket", "right_square_bracket")
        assert "all 3 stages done" in text and "e plans the export" in text
        assert "all 3 stages of react-mini are done" in await press(pilot, "right_square_bracket")
        text = await press(pilot, "left_square_bracket", "left_square_bracket", "left_square_bracket")
        assert "Stage 1 of 3" in text
        assert "no stage has been run yet" in await press(pilot, "left_square_bracket")


async def test_skip_and_jump() -> None:
    app = stepper()
    async with app.run_test(size=(80, 24)) as pilot:
        text = await press(pilot, "s")
        assert "skipped" in text and "Stage 2 of 3" in text
        assert "Stage 3 of 3" in await press(pilot, "3")
        assert "Stage 1 of 3" in await press(pilot, "1")
        assert "react-mini has 3 stages" in await press(pilot, "7")


async def test_a_refused_change_stays_in_the_list_and_can_be_allowed_again() -> None:
    work = workspace()
    app = stepper(work)
    async with app.run_test(size=(80, 24)) as pilot:
        text = await press(pilot, "j", "x")
        assert [line.split()[:5] for line in text.splitlines() if "kept" in line] == [
            [">", "6", "~2,041", "~1,380", "kept"]
        ]
        assert work.state.refused == {"tool_result_budget": {"m7/0"}}
        assert "kept" not in await press(pilot, "x")
        assert not any(work.state.refused.values())


async def test_a_pin_holds_and_undo_takes_it_back() -> None:
    work = workspace()
    app = stepper(work)
    async with app.run_test(size=(80, 24)) as pilot:
        assert "pinned: stages leave it alone" in await press(pilot, "p")
        assert work.state.pins == {"m3/0"}
        assert "it is pinned: p unpins it" in await press(pilot, "x")
        assert "undone: pin 1 block" in await press(pilot, "u")
        assert not work.state.pins
        assert "redone: pin 1 block" in await press(pilot, "ctrl+r")
        assert "unpinned" in await press(pilot, "p")


async def test_after_the_last_stage_the_list_is_of_all_together() -> None:
    app = stepper()
    async with app.run_test(size=(80, 24)) as pilot:
        text = await press(pilot, "a")
        assert_golden(app, "stepper-done")
        assert "in all" in text and "cleared" in text
        assert "2 stages change it: p pins it against all of them" in await press(pilot, "x")
        assert "all stages are done" in await press(pilot, "o")
        assert "cut" in await press(pilot, "G")


async def test_the_only_copies_are_marked_and_gone_to() -> None:
    messages = [user("Look it up.")]
    for n in range(12):
        name = "WebFetch" if n in (3, 7) else "Read"
        messages += [assistant(use(f"r{n}", name, {"path": f"f{n}"})), user(result(f"r{n}", "y" * 9000))]
    work = Workspace(session(*messages, assistant("Done.")), load("react-mini"), exact=False)
    app = stepper(work)
    async with app.run_test(size=(80, 24)) as pilot:
        text = await settle(pilot)
        assert "loses the only copy of 2 results" in text
        changes = app.screen.query_one(ChangeList)
        seen = []
        for _ in range(3):
            await press(pilot, "exclamation_mark")
            seen.append(changes.current.number if changes.current else None)
        assert set(seen) == {8, 16}


async def test_a_check_leads_to_its_rows() -> None:
    work = workspace()
    work.set_options("tool_result_budget", {"enabled": False})
    work.set_options("microcompact", {"enabled": False})
    work.go_to(3)
    app = stepper(work)
    async with app.run_test(size=(80, 24)) as pilot:
        text = await settle(pilot)
        assert "of your 24 messages" in text
        await press(pilot, "tab")
        facts = app.screen.query_one(FactList)
        assert facts.has_focus and facts.size.height > 6
        row = next(i for i in range(facts.row_count) if facts.fact_at(i).keys)
        facts.cursor = row
        await press(pilot, "enter")
        changes = app.screen.query_one(ChangeList)
        assert changes.has_focus and changes.current is not None
        assert changes.current.word == "dropped" and changes.current.warning


async def test_a_stage_that_changes_nothing_says_why() -> None:
    app = stepper(workspace(turns=2))
    async with app.run_test(size=(80, 24)) as pilot:
        text = await press(pilot, "right_square_bracket")
        assert "nothing" in text and "are within the limit of 80,000" in text
        assert "no changed block under the cursor" in await press(pilot, "d")


async def test_other_screens_open_and_come_back_to_the_state_of_then() -> None:
    work = workspace()
    app = stepper(work)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "enter")
        assert kind_of_screen(app) is DiffScreen
        await press(pilot, "x", "escape")
        assert kind_of_screen(app) is StepperScreen
        assert "kept" in await settle(pilot)
        await press(pilot, "o")
        assert kind_of_screen(app) is OptionsScreen
        await press(pilot, "escape", "e")
        assert kind_of_screen(app) is ExportScreen
        await press(pilot, "escape")
        assert kind_of_screen(app) is StepperScreen


async def test_a_search_finds_rows_and_ends_with_escape() -> None:
    app = stepper()
    async with app.run_test(size=(80, 24)) as pilot:
        text = await press(pilot, "slash", "f", "2", "1", "enter")
        assert "'f21'" in text and "1 of 1" in text
        changes = app.screen.query_one(ChangeList)
        assert changes.current is not None and changes.current.number == 86


async def test_a_click_on_a_stage_goes_there() -> None:
    app = stepper()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.click("#stages", offset=(5, 2))
        assert "Stage 3 of 3" in await settle(pilot)


async def test_text_of_a_session_cannot_act() -> None:
    messages = [user(HOSTILE)]
    for n in range(6):
        messages += [
            assistant(use(f"r{n}", HOSTILE, {"path": HOSTILE})),
            user(result(f"r{n}", HOSTILE * 900)),
        ]
    work = Workspace(session(*messages, assistant(HOSTILE)), load("react-mini"), exact=False)
    app = stepper(work)
    async with app.run_test(size=(80, 24)) as pilot:
        text = await press(pilot, "d")
        assert "\x1b" not in text and "\x07" not in text and "[/x]" in text


async def test_another_pipeline_can_be_chosen() -> None:
    work = workspace()
    app = stepper(work)
    async with app.run_test(size=(80, 24)) as pilot:
        text = await press(pilot, "right_square_bracket", "P")
        assert "undoes the 1 stage that ran" in " ".join(text.split())
        text = await press(pilot, "down", "enter")
        assert work.pipeline.name != "react-mini" and work.pipeline.name in text
        assert f"Stage 1 of {len(work.pipeline.steps)}" in text


async def test_an_empty_session_says_so_instead_of_failing() -> None:
    app = stepper(Workspace(session(), load("react-mini"), exact=False))
    async with app.run_test(size=(80, 24)) as pilot:
        assert "no result is longer" in await settle(pilot)
        await press(pilot, "x", "p", "d", "n", "exclamation_mark", "a", "u")


async def test_coming_back_from_a_screen_that_changed_nothing_walks_no_stage_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    walks = list[int]()
    original = StepperScreen.walk

    def walk(self: StepperScreen) -> object:
        walks.append(1)
        return original(self)

    monkeypatch.setattr(StepperScreen, "walk", walk)
    app = stepper()
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "d", "escape", "o", "escape", "e", "escape", "question_mark", "escape")
        assert len(walks) == 1
        await press(pilot, "d", "p", "escape")
        assert len(walks) == 2
