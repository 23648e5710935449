"""What must not grow with a session: widgets, what a preview takes, what is waited for."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from app.model import Block
from app.tokens.counter import Counter
from app.tui.app import HandcompactApp
from app.tui.screens.inspect import InspectScreen
from app.tui.screens.text import TextScreen
from app.tui.widgets.detail import SHOWN_CHARS, Detail
from app.tui.widgets.text_pane import TextPane
from tests.tui.driving import opening, shows, until
from tests.tui.files import anthropic_file, written
from tests.tui.on_screen import press, settle
from tests.tui.screen_text import screen_text


async def widgets_of(file: Path) -> int:
    """Widgets on all screens, once the list was gone through and a stage was looked at."""
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "G", "g", "S", "S", "right_square_bracket", "d")
        return sum(1 for screen in app.screen_stack for _ in screen.walk_children())


async def test_there_is_no_widget_for_a_message(tmp_path: Path) -> None:
    few = await widgets_of(anthropic_file(tmp_path, turns=12))
    many = await widgets_of(anthropic_file(tmp_path, turns=120, name="long.json"))
    assert many == few


async def test_of_a_text_of_a_megabyte_the_detail_takes_a_screenful_and_enter_shows_all(
    tmp_path: Path,
) -> None:
    lines = "".join(f"line {n:,} of a log that is long\n" for n in range(35_000))
    call = {"type": "tool_use", "id": "r", "name": "Bash", "input": {"command": "make"}}
    result = {"type": "tool_result", "tool_use_id": "r", "content": lines}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "Build it."},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
    ]
    assert len(lines) > 1_000_000
    app = HandcompactApp(opening(written(tmp_path, messages)))
    async with app.run_test(size=(80, 24)) as pilot:
        text = await press(pilot, "G")
        assert "line 0 of a log" in text
        detail = app.screen.query_one(Detail)
        assert detail.text.row_count < SHOWN_CHARS / 20
        await press(pilot, "enter")
        assert shows(app, TextScreen)
        await until(pilot, lambda: "35,000 lines" in screen_text(app))
        assert app.screen.query_one(TextPane).line_count == 35_000
        assert "line 34,999 of a log" in await press(pilot, "G")


async def test_the_share_that_is_counted_is_told_and_leaving_ends_the_counting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.tui.screens.parts.background.TELL_SECONDS", 0.0)
    go_on, counted = threading.Semaphore(8), list[str]()
    original = Counter._count

    def count(self: Counter, block: Block) -> int:
        go_on.acquire(timeout=5)
        counted.append(block.key)
        return original(self, block)

    app = HandcompactApp(opening(anthropic_file(tmp_path, turns=40)))
    async with app.run_test(size=(80, 24)) as pilot:
        monkeypatch.setattr(Counter, "_count", count)
        while not shows(app, InspectScreen) or " counting " not in screen_text(app):
            await pilot.pause(0.01)
        screen = app.screen
        assert isinstance(screen, InspectScreen)
        await pilot.press("escape")
        while shows(app, InspectScreen):
            await pilot.pause(0.01)
        go_on.release(200)
        await settle(pilot)
        assert len(counted) < len(screen.workspace.rows) / 2
