"""The list of sessions: what is found, filtered, sorted, opened, and said when a file cannot be opened."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from app.tui.app import HandcompactApp, Opening
from app.tui.screens.inspect import InspectScreen
from app.tui.screens.sessions import SessionsScreen
from tests.tui.driving import shows, type_in
from tests.tui.files import anthropic_file, claude_project
from tests.tui.on_screen import press, settle
from tests.tui.screen_text import assert_golden, screen_text

HOUR = 3600.0
SIZES = [(80, 24), (120, 36)]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with three sessions of Claude Code and one sample."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / ".claude"))
    now = time.time()
    titles = {
        "修复登录跳转 [/x] \x1b]0;owned\x07": now - 3.5 * HOUR,
        "Round totals in francs": now - 30.5 * HOUR,
        "Why is the build slow?": now - 24 * 30.5 * HOUR,
    }
    claude_project(tmp_path / ".claude", titles)
    samples = tmp_path / "samples"
    samples.mkdir()
    anthropic_file(samples, turns=2, name="a-short-one.json")
    monkeypatch.setattr("app.discovery._samples_dir", lambda: samples)
    return tmp_path


@pytest.mark.parametrize("size", SIZES)
async def test_the_newest_session_is_first_and_the_samples_are_last(
    machine: Path, size: tuple[int, int]
) -> None:
    app = HandcompactApp(Opening())
    async with app.run_test(size=size) as pilot:
        text = await settle(pilot)
        assert_golden(app, "sessions")
        assert "\x1b" not in text and "\x07" not in text


async def test_a_filter_is_narrowed_while_it_is_typed_and_cleared_with_escape(machine: Path) -> None:
    app = HandcompactApp(Opening())
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("slash", *"franc")
        assert "Why is the build" not in (text := await settle(pilot)) and "Round totals" in text
        await pilot.press("enter")
        assert "1 of 4 sessions with 'franc'" in await settle(pilot)
        assert "Why is the build" in await press(pilot, "escape")


async def test_sessions_are_sorted_by_size_and_back(machine: Path) -> None:
    app = HandcompactApp(Opening())
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert ">" in screen_text(app).splitlines()[3]
        assert "a short one" in (await press(pilot, "S")).splitlines()[3]
        assert "a short one" in (await press(pilot, "S")).splitlines()[6]


async def test_enter_opens_a_session_and_escape_comes_back(machine: Path) -> None:
    app = HandcompactApp(Opening())
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        text = await press(pilot, "G", "enter")
        assert shows(app, InspectScreen)
        assert "a-short-one.json" in text and "Question 0" in text
        await press(pilot, "escape")
        assert shows(app, SessionsScreen)


async def test_a_file_that_cannot_be_opened_is_told_in_place(machine: Path) -> None:
    app = HandcompactApp(Opening())
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "o")
        text = await type_in(pilot, "/no/such")
        assert shows(app, SessionsScreen)
        assert "/no/such" in text and "Round totals" in text
        (machine / "notes [x].txt").write_text("no session at all")
        await press(pilot, "o")
        text = " ".join((await type_in(pilot, "~/notes [x].txt")).split())
        assert "notes [x].txt" in text and "supported:" in text and "/no/such" not in text


async def test_a_file_of_the_command_line_opens_at_once_and_falls_back_to_the_list(machine: Path) -> None:
    app = HandcompactApp(Opening(file=str(machine / "gone.jsonl")))
    async with app.run_test(size=(80, 24)) as pilot:
        text = await settle(pilot)
        assert "gone.jsonl" in text and "Round totals" in text


async def test_waiting_for_a_session_can_be_given_up(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = HandcompactApp(Opening())
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        monkeypatch.setattr(SessionsScreen, "_read", lambda *_: Waiting())
        await pilot.press("enter")
        await pilot.pause()
        assert "esc gives up" in screen_text(app)
        await pilot.press("escape")
        await pilot.pause()
        assert "not opened" in screen_text(app) and Waiting.cancelled


class Waiting:
    """A worker that never ends."""

    cancelled = False

    def cancel(self) -> None:
        Waiting.cancelled = True


async def test_an_empty_machine_still_has_something_to_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    app = HandcompactApp(Opening())
    async with app.run_test(size=(80, 24)) as pilot:
        text = await settle(pilot)
        assert "samples below; no sessions in ~/claude/projects, ~/.codex/sessions" in text
        assert "samples" in text.splitlines()[3]
