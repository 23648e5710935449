"""Groups of rows and quick fixes: what weighs most, and all of it in one step."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from app.tui.app import HandcompactApp
from app.tui.screens.confirm import ConfirmScreen
from app.tui.screens.groups import GroupsScreen
from app.tui.screens.inspect import InspectScreen
from app.work.workspace import Workspace
from tests.tui.driving import opening, shows
from tests.tui.files import LONG, anthropic_file, written
from tests.tui.on_screen import press, settle
from tests.tui.screen_text import assert_golden

SIZE = (80, 24)


@pytest.fixture
def app(tmp_path: Path) -> HandcompactApp:
    return HandcompactApp(opening(anthropic_file(tmp_path)))


@pytest.fixture
def busy(tmp_path: Path) -> HandcompactApp:
    """One file read three times, one that is on disk, an answer after each."""
    here = tmp_path / "here.py"
    here.write_text(LONG)
    messages: list[dict[str, Any]] = []
    for n, path in enumerate(["src/[b]x[/b].py"] * 3 + [str(here)]):
        read = {"type": "tool_use", "id": f"r{n}", "name": "Read", "input": {"file_path": path}}
        text = LONG if path == str(here) else f"version {n}\n{LONG}"
        messages += [
            {"role": "user", "content": f"Question {n}?"},
            {"role": "assistant", "content": [read]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"r{n}", "content": text}]},
            {"role": "assistant", "content": f"Answer {n}."},
        ]
    return HandcompactApp(opening(written(tmp_path, messages)))


def workspace(app: HandcompactApp) -> Workspace:
    screen = next(screen for screen in app.screen_stack if isinstance(screen, InspectScreen))
    return screen.workspace


async def test_o_groups_rows_by_path_tool_turn_and_verdict(app: HandcompactApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "o", "j")
        assert_golden(app, "groups")
        assert "12 calls" in await press(pilot, "o") and "Rows by tool" in await press(pilot)
        text = await press(pilot, "o")
        assert "Rows by turn" in text and "1 Question 0: 登录" in text
        assert "regenerable" in await press(pilot, "o")
        assert "Rows by path" in await press(pilot, "o")


async def test_enter_shows_the_rows_of_a_group_and_escape_all_again(app: HandcompactApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        text = await press(pilot, "o", "enter")
        assert shows(app, InspectScreen) and "1 of 2" in text and "only src/" in text
        assert "of 60" in await press(pilot, "escape")
        await press(pilot, "o", "escape")
        assert shows(app, InspectScreen)


async def test_an_edit_acts_on_the_whole_group_and_is_undone_there(busy: HandcompactApp) -> None:
    async with busy.run_test(size=SIZE) as pilot:
        await settle(pilot)
        text = await press(pilot, "o")
        assert "src/[b]x[/b].py" in text and "3 reads" in text
        assert "clear 3 blocks" in await press(pilot, "c")
        assert shows(busy, GroupsScreen) and len(workspace(busy).history.done) == 1
        assert "undone: clear 6 blocks" in await press(pilot, "u")
        assert "nothing to undo" in await press(pilot, "u")


async def test_marked_groups_are_edited_together_and_their_marks_are_the_rows(busy: HandcompactApp) -> None:
    async with busy.run_test(size=SIZE) as pilot:
        await settle(pilot)
        text = await press(pilot, "o", "space", "space")
        assert "8 rows marked" in text
        assert "8 marked" in await press(pilot, "escape")
        assert "drop 8 blocks" in await press(pilot, "o", "x")
        assert "no message under the cursor" in await press(pilot, "c")


async def test_quick_fixes_say_what_each_would_free_and_are_one_step(busy: HandcompactApp) -> None:
    async with busy.run_test(size=SIZE) as pilot:
        await settle(pilot)
        # No golden: the tokens of the whole depend on the name of the test's folder.
        shown = await press(pilot, "X")
        assert re.search(r"> superseded reads +2 blocks +~3.4k tokens", shown)
        assert "duplicate reads · no file was read twice with the same content" in shown
        assert re.search(r"files unchanged on disk ... +reads the files", shown)
        assert "reads of files that were read again or changed later" in shown
        assert "superseded reads 2 blocks" in await press(pilot, "enter")
        assert len(workspace(busy).history.done) == 1
        text = await press(pilot, "X", "enter")
        assert "superseded reads:" in text and len(workspace(busy).history.done) == 1


async def test_the_disk_is_looked_at_only_when_chosen_and_asked_about(busy: HandcompactApp) -> None:
    async with busy.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "X", "end", "enter")
        assert shows(busy, ConfirmScreen)
        assert "nothing changed" in await press(pilot, "enter")
        await press(pilot, "X", "end", "enter", "right", "enter")
        (step,) = workspace(busy).steps
        assert len(step.changes) == 1


async def test_a_read_says_what_became_of_its_file(busy: HandcompactApp) -> None:
    async with busy.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert "this row does not name a file" in await press(pilot, "O")
        assert "the file is gone: src/[b]x[/b].py" in await press(pilot, "j", "j", "O")
        seen = await press(pilot, "G", "k", "O")
        assert "the file is unchanged: " in seen
