"""Steps that were not exported: asked about when a person leaves, and offered when they come back."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from app.persistence.journal import journal_dir
from app.tui.app import HandcompactApp, Opening
from app.tui.screens.choose import ChooseScreen
from app.tui.screens.inspect import InspectScreen
from app.tui.screens.sessions import SessionsScreen
from tests.tui.driving import opening, shows, until
from tests.tui.files import anthropic_file, claude_project
from tests.tui.on_screen import press
from tests.tui.screen_text import assert_golden, screen_text

ROOT = Path(__file__).parents[2]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return anthropic_file(tmp_path, turns=3)


def kept() -> list[Path]:
    return sorted(journal_dir().glob("*")) if journal_dir().is_dir() else []


async def come_back(pilot: Pilot[None]) -> str:
    """Wait for the question."""
    return await until(pilot, lambda: isinstance(pilot.app.screen, ChooseScreen))


async def took_up(pilot: Pilot[None]) -> str:
    """Say yes to it, and wait until it is done."""
    await press(pilot, "enter")
    return await until(pilot, lambda: "reapplied" in screen_text(pilot.app))


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_leaving_asks_and_coming_back_offers(file: Path, size: tuple[int, int]) -> None:
    app = HandcompactApp(opening(file))
    async with app.run_test(size=size) as pilot:
        await press(pilot, "a", "q")
        assert shows(app, ChooseScreen)
        assert_golden(app, "leave")
        await press(pilot, "down", "enter")
    assert app._exit and len(kept()) == 1
    for path in kept():
        os.utime(path, (time.time() - 3 * 3600, time.time() - 3 * 3600))
    app = HandcompactApp(opening(file))
    async with app.run_test(size=size) as pilot:
        await come_back(pilot)
        assert_golden(app, "take-up")
        text = await took_up(pilot)
        assert shows(app, InspectScreen) and "reapplied 3 steps" in text
        assert len(kept()) == 1
        assert "undone: accept" in await press(pilot, "u")


async def test_staying_goes_nowhere_and_forgetting_leaves_nothing(file: Path) -> None:
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "a", "q", "enter")
        assert not app._exit and shows(app, InspectScreen) and len(kept()) == 1
        await press(pilot, "escape", "down", "down", "enter")
        assert shows(app, SessionsScreen) and kept() == []


async def test_left_for_later_they_are_offered_again_and_can_be_forgotten(file: Path) -> None:
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "a", "escape", "down", "enter")
        assert shows(app, SessionsScreen)
    for keys, left in ((("down", "enter"), 1), (("escape",), 1), (("down", "down", "enter"), 0)):
        app = HandcompactApp(opening(file))
        async with app.run_test(size=(80, 24)) as pilot:
            await come_back(pilot)
            assert "3 steps on this file were not exported" in screen_text(app)
            await press(pilot, *keys)
            assert len(kept()) == left and not app.screen_stack[-1].is_modal
            await press(pilot, "q")
            assert app._exit


async def test_steps_of_two_programs_can_be_told_apart(file: Path) -> None:
    for keys in (["a"], ["down", "enter", "p", "j", "p"]):
        app = HandcompactApp(opening(file))
        async with app.run_test(size=(80, 24)) as pilot:
            if kept():
                await come_back(pilot)
            await press(pilot, *keys, "q", "down", "enter")
    assert len(kept()) == 2
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        first = await come_back(pilot)
        second = await press(pilot, "down")
        day = time.strftime("%Y-%m-%d ")
        assert day in first and day in second, "the minute may be the same"
        deeds = ("accept tool_result_budget", "pin 1 block (2 times)")
        for words in deeds:
            assert (words in first) is not (words in second)
        assert "with react-mini" in first


async def test_nothing_is_asked_after_an_export(file: Path) -> None:
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "a")
        assert isinstance(app.screen, InspectScreen)
        app.screen.workspace.mark_written()
        assert kept() == []
        await press(pilot, "q")
        assert app._exit


async def test_the_list_marks_a_session_whose_steps_were_not_exported(tmp_path: Path) -> None:
    claude_project(tmp_path / "claude", {"Left in the middle.": time.time(), "Done.": time.time() - 60})
    app = HandcompactApp(Opening())
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "Left in the middle." in screen_text(app))
        assert "not exported" not in screen_text(app)
        await press(pilot, "enter")
        await until(pilot, lambda: shows(app, InspectScreen))
        await press(pilot, "p", "escape", "down", "enter")
        await until(pilot, lambda: shows(app, SessionsScreen) and "not exported" in screen_text(app))
        text = screen_text(app)
        assert ">*Left in the middle." in text and "* 1 step not exported" in text
        assert "not exported" not in await press(pilot, "down")


async def test_a_reread_keeps_one_journal(file: Path) -> None:
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "a", "r", "p")
        assert len(kept()) == 1 and kept()[0].read_bytes().count(b"\n") == 5


async def test_steps_that_cannot_be_kept_are_said_once(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (file.parent / "blocked").write_text("")
    monkeypatch.setenv("HANDCOMPACT_STATE_DIR", str(file.parent / "blocked"))
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "a", "p")
        assert len(app._notifications) == 1
        text = await press(pilot, "q")
        assert "could not be saved to disk" in text and "keep them" not in text


# The end of a program that nobody asked for


class Terminal:
    """The program in a pseudo-terminal, driven by keys."""

    def __init__(self, file: Path) -> None:
        self.master, slave = pty.openpty()
        env = {**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "PYTHONPATH": str(ROOT)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "app", str(file), "--pipeline", "react-mini"],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=env,
            start_new_session=True,
        )
        os.close(slave)

    def press(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def until(self, done: Callable[[], bool], seconds: float = 30) -> None:
        """Read what it draws until something is so."""
        end = time.monotonic() + seconds
        while not done():
            assert time.monotonic() < end, "it did not happen in time"
            if select.select([self.master], [], [], 0.05)[0]:
                os.read(self.master, 65_536)

    def wait_for_rows(self) -> None:
        drawn = bytearray()
        end = time.monotonic() + 30
        while b"react-mini" not in drawn:
            assert time.monotonic() < end
            if select.select([self.master], [], [], 0.05)[0]:
                drawn += os.read(self.master, 65_536)


@pytest.mark.parametrize("end", ["kill -9", "closed terminal", "terminated"])
async def test_a_program_that_is_ended_loses_nothing(file: Path, end: str) -> None:
    terminal = Terminal(file)
    try:
        terminal.wait_for_rows()
        terminal.press("jjp")
        terminal.until(lambda: bool(kept()))
        terminal.press("a")
        terminal.until(lambda: kept()[0].read_bytes().count(b"\n") == 5)
    finally:
        match end:
            case "kill -9":
                terminal.process.kill()
            case "terminated":
                terminal.process.send_signal(signal.SIGTERM)
            case _:
                # What a terminal that goes away sends to all that run in it.
                os.killpg(terminal.process.pid, signal.SIGHUP)
        terminal.process.wait(20)
        os.close(terminal.master)
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        text = await come_back(pilot)
        assert "4 steps on this file were not exported" in text
        text = await took_up(pilot)
        assert "reapplied 4 steps" in text
        assert app.screen.workspace.state.pins  # type: ignore[attr-defined]
