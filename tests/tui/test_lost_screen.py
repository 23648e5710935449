"""The facts that go: listed with where they stood and who speaks of them, opened, kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.tui.app import HandcompactApp
from app.tui.screens.inspect import InspectScreen
from app.tui.screens.lost import LostScreen
from app.tui.screens.text import TextScreen
from tests.formats.claude_code.records import assistant, lines, result, use, user
from tests.tui.driving import opening, shows, until
from tests.tui.on_screen import press, settle
from tests.tui.screen_text import assert_golden, screen_text

LONG = "a line of a file\n" * 300


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "shop.jsonl"
    path.write_bytes(
        lines(
            user(1, None, "Why does it fail? 登录"),
            assistant(2, 1, [use("a", file_path="a.py")]),
            user(3, 2, [result("a", f"{LONG}retry_budget = 17 # [/x] \x1b[2J\n{LONG}")]),
            assistant(4, 3, [use("b", name="Bash", command="pytest")]),
            user(5, 4, [result("b", f"{LONG}PostingError: account 7731-04 is frozen\n{LONG}")]),
            assistant(6, 5, "retry_budget is too small, so that PostingError comes."),
            user(7, 6, "And?"),
            assistant(8, 7, "Wait."),
        )
    )
    return path


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_what_goes_is_listed_opened_and_kept(file: Path, size: tuple[int, int]) -> None:
    app = HandcompactApp(opening(file))
    async with app.run_test(size=size) as pilot:
        await press(pilot, "a", "L")
        assert shows(app, LostScreen)
        assert_golden(app, "lost")
        await press(pilot, "enter")
        assert shows(app, TextScreen)
        await until(pilot, lambda: "account 7731-04 is frozen" in screen_text(app))
        await press(pilot, "escape", "o")
        assert shows(app, TextScreen)
        await until(pilot, lambda: "so that PostingError comes" in screen_text(app))
        text = await press(pilot, "escape", "p")
        assert "1 fact lost by your steps" in text and "retry_budget = 17" in text
        assert "it stays; u undoes this" in text
        text = await press(pilot, "p")
        assert "0 facts" in text
        assert "2 facts" in await press(pilot, "u", "u")
        await press(pilot, "escape")
        assert shows(app, InspectScreen)


async def test_before_anything_is_done_it_tells_what_the_stages_would_lose(file: Path) -> None:
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(120, 36)) as pilot:
        text = await press(pilot, "L")
        assert "2 facts lost if all stages run" in text and "PostingError" in text
        await press(pilot, "escape", "right_square_bracket", "L")
        assert shows(app, LostScreen)


async def test_where_nothing_is_lost_it_says_so_and_keys_say_why(file: Path) -> None:
    file.write_bytes(lines(user(1, None, "Hello"), assistant(2, 1, "Hello.")))
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        text = await press(pilot, "L")
        assert "0 facts" in text and "no removed fact is" in text
        for key in ("o", "p"):
            assert "there are no facts" in await press(pilot, key)
        assert "nothing to undo" in await press(pilot, "u")
        await settle(pilot)
