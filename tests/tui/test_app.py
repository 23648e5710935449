"""What holds on all screens: theme, signs, preferences, colours that may be missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import COLOR_SYSTEMS

from app.display import ASCII, UNICODE
from app.settings import Preferences, load_preferences, save_preferences
from app.tui.app import HandcompactApp, Opening
from tests.tui.driving import opening
from tests.tui.files import anthropic_file
from tests.tui.on_screen import press, settle
from tests.tui.screen_text import screen_strips, screen_text


async def test_a_theme_is_taken_from_the_command_line_and_kept_when_it_changes() -> None:
    app = HandcompactApp(Opening(theme="textual-light"))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert app.theme == "textual-light"
        app.theme = "ansi-dark"
        await pilot.pause()
    assert load_preferences().theme == "ansi-dark"
    assert HandcompactApp(Opening()).theme == "ansi-dark"


def test_a_terminal_of_sixteen_colours_gets_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("COLORTERM")
    assert HandcompactApp(Opening()).theme == "ansi-dark"
    assert HandcompactApp(Opening(theme="textual-dark")).theme == "textual-dark"
    save_preferences(Preferences(theme="textual-light"))
    assert HandcompactApp(Opening()).theme == "ansi-light"
    monkeypatch.setenv("TERM", "xterm-256color")
    assert HandcompactApp(Opening()).theme == "textual-light"


def test_a_theme_that_does_not_exist_is_not_fatal() -> None:
    save_preferences(Preferences(theme="gone"))
    assert HandcompactApp(Opening(theme="no-such-theme")).theme == "textual-dark"


async def test_signs_change_at_once_on_every_screen_and_are_remembered(tmp_path: Path) -> None:
    app = HandcompactApp(opening(anthropic_file(tmp_path, turns=2)))
    app.glyphs = UNICODE
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "█" in screen_text(app)
        app.action_toggle_ascii()
        text = await settle(pilot)
        # The test's own terminal stays one with blocks in its scroll bars.
        assert "█ kept" not in text and "# kept" in text and "----" in text
        assert load_preferences().ascii
    assert HandcompactApp(Opening()).glyphs is ASCII


@pytest.mark.parametrize("theme", ["textual-dark", "textual-light", "ansi-dark"])
async def test_nothing_needs_colour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, theme: str) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = HandcompactApp(opening(anthropic_file(tmp_path), theme=theme))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        text = await press(pilot, "j", "j", "j", "p", "a")
        for word in ("pinned", "compacted", "call", "decision", ">", "*"):
            assert word in text


@pytest.mark.parametrize("term", ["xterm", "xterm-256color"])
@pytest.mark.parametrize("theme", [None, "textual-light", "ansi-dark", "ansi-light"])
async def test_text_can_be_told_from_its_background_without_colour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, term: str, theme: str | None
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", term)
    monkeypatch.delenv("COLORTERM")
    app = HandcompactApp(opening(anthropic_file(tmp_path), theme=theme))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        painted = [segment for strip in screen_strips(app) for segment in strip if segment.text.strip()]
        written = list(filter(None, (segment.style for segment in painted)))
        assert len(written) > 50
        system = COLOR_SYSTEMS[app.console.color_system or ""]
        for style in written:
            if style.color is not None and not style.color.is_default:
                assert style.color.downgrade(system) != (style.bgcolor and style.bgcolor.downgrade(system))


async def test_ctrl_c_leaves_nothing_and_says_what_does(tmp_path: Path) -> None:
    app = HandcompactApp(opening(anthropic_file(tmp_path)))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        assert "ctrl+q quits" in await press(pilot, "ctrl+c")
        await press(pilot, "ctrl+q")
        assert app.return_code == 0


async def test_quitting_with_nothing_to_lose_asks_nothing(tmp_path: Path) -> None:
    app = HandcompactApp(opening(anthropic_file(tmp_path, turns=2)))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("q")
        await pilot.pause()
        assert not app.is_running
