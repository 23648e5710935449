"""The list of sessions: what is found, filtered, sorted, opened, and said when a file cannot be opened."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import time
import weakref
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.screen import Screen
from textual.worker import WorkerFailed

from app.discovery.found_session import FoundSession
from app.model import Session
from app.settings import load_preferences
from app.tui.app import HandcompactApp, Opening
from app.tui.screens.inspect import InspectScreen
from app.tui.screens.parts import watching
from app.tui.screens.sessions import SessionsScreen
from app.tui.widgets.session_list import SessionList
from tests.many_sessions import make
from tests.plain_session import SAMPLES
from tests.tui.driving import shows, type_in
from tests.tui.files import anthropic_file, claude_project
from tests.tui.on_screen import press, settle
from tests.tui.screen_text import assert_golden, screen_text
from tests.tui.terminal import ROOT

HOUR = 3600.0
OWN_ID = "01a22b88-652c-7cf1-9182-83c7b06e4e46"
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
    monkeypatch.setattr("app.discovery.folders._samples_dir", lambda: samples)
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


async def test_sessions_are_sorted_by_one_thing_after_the_other(machine: Path) -> None:
    app = HandcompactApp(Opening())
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for by in ("size", "tokens", "messages", "agent"):
            assert f"by {by}" in await press(pilot, "S")
        assert "by " not in (await press(pilot, "S")).splitlines()[0]


@pytest.mark.parametrize("size", SIZES)
async def test_sessions_below_their_projects(
    home: Path, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.discovery.folders._samples_dir", lambda: home / "none")
    make(home, 24, newest=time.time() - 90)
    app = HandcompactApp(Opening())
    async with app.run_test(size=size) as pilot:
        await press(pilot, "p", "down")
        assert_golden(app, "sessions-projects")
        folded = await press(pilot, "g", "enter")
        assert ">+ /" in folded and folded.count("- /") + folded.count("+ /") > 1
        assert ">- /" in await press(pilot, "enter")
    assert load_preferences().by_project


async def test_a_filter_shows_an_agent_with_the_folder_that_was_looked_in(home: Path) -> None:
    make(home, 24, newest=time.time() - 90)
    app = HandcompactApp(Opening())
    async with app.run_test(size=(80, 24)) as pilot:
        text = await press(pilot, "f")
        assert "Codex: ~/.codex/sessions" in text and "opencode: ~/.local/share" in text
        header = (await press(pilot, "down", "down", "enter")).splitlines()[0]
        assert header.startswith(" handcompact · 4 of ") and "sessions of Codex" in header
        assert "of Codex" not in (await press(pilot, "escape")).splitlines()[0]


async def test_the_transcript_of_a_subagent_opens_from_its_session(home: Path) -> None:
    folder = home / ".claude/projects/-p"
    shutil.copytree(SAMPLES / "claude-code-tools", folder / "claude-code-tools")
    shutil.copy(SAMPLES / "claude-code-tools.jsonl", folder)
    app = HandcompactApp(Opening())
    async with app.run_test(size=(100, 30)) as pilot:
        assert "a: 1 subagent" in await settle(pilot)
        assert "general-purpose: Survey docs" in await press(pilot, "a")
        text = await press(pilot, "enter")
        assert shows(app, InspectScreen) and "List what lies in docs/" in text
        await press(pilot, "escape", "down")
        assert "no subagent transcripts" in await press(pilot, "a")


async def test_a_session_that_an_agent_is_at_work_on_says_so(home: Path) -> None:
    folder = home / ".claude/projects/-p"
    folder.mkdir(parents=True)
    (folder / f"{OWN_ID}.jsonl").write_text('{"type":"user","message":{"role":"user","content":"Go."}}\n')
    told = {"pid": os.getppid(), "sessionId": OWN_ID, "startedAt": time.time() * 1000}
    (home / ".claude/sessions").mkdir()
    (home / ".claude/sessions/1.json").write_text(json.dumps(told))
    app = HandcompactApp(Opening())
    async with app.run_test(size=(120, 30)) as pilot:
        text = await settle(pilot)
        assert (f"! at work: Claude Code ({os.getppid()})" in text and ">! " in text) or ">!Go." in text


@pytest.mark.parametrize("number", [300, pytest.param(10_000, marks=pytest.mark.slow)])
async def test_no_look_at_many_sessions_holds_up_the_screen(
    home: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(home, number)
    spans: list[float] = []
    show = SessionsScreen._show

    def timed(screen: SessionsScreen, *, to_start: bool = False) -> None:
        began = time.thread_time()
        show(screen, to_start=to_start)
        spans.append(time.thread_time() - began)

    monkeypatch.setattr(SessionsScreen, "_show", timed)
    app = HandcompactApp(Opening())
    async with app.run_test(size=(120, 36)) as pilot:
        while not spans:
            await pilot.pause()
        assert ">" in screen_text(app), "rows stand there before any head is read"
        await settle(pilot)
        await press(pilot, "S", "S", "p", "slash", "1", "2", "enter", "escape")
    assert max(spans) < 0.1, "seconds of the screen's own thread"


async def test_the_cursor_stays_on_its_session_while_more_come(home: Path) -> None:
    make(home, 30)
    app = HandcompactApp(Opening())
    async with app.run_test(size=(120, 36)) as pilot:
        await press(pilot, "down", "down", "down")
        screen = app.screen
        assert isinstance(screen, SessionsScreen)
        here = screen.query_one(SessionList).current
        newer = replace(screen._rows[0], name="/new", modified=time.time() + 9) if screen._rows else None
        assert isinstance(newer, FoundSession) and here is not None
        screen.post_message(SessionsScreen.Came([newer]))
        await settle(pilot)
        assert screen.query_one(SessionList).current == here


async def test_enter_opens_a_session_and_escape_comes_back(machine: Path) -> None:
    app = HandcompactApp(Opening())
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        text = await press(pilot, "G", "enter")
        assert shows(app, InspectScreen)
        assert "a-short-one.json" in text and "Question 0" in text
        await press(pilot, "escape")
        assert shows(app, SessionsScreen)


async def test_a_session_that_was_left_is_no_longer_held_once_another_is_read(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # However long the program waits between two looks at the file.
    monkeypatch.setattr(watching, "WATCH_SECONDS", 1000.0)
    app = HandcompactApp(Opening())
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await go(app, "enter", InspectScreen)
        left = weakref.ref(opened_session(app))
        await go(app, "escape", SessionsScreen)
        for _ in range(6):  # others may be read before all of the old screen is gone
            app.simulate_key("down")
            await go(app, "enter", InspectScreen)
            await go(app, "escape", SessionsScreen)
            if left() is None:
                return
        raise AssertionError("the session is held for as long as the program runs")


async def go(app: HandcompactApp, key: str, to: type[Screen[Any]]) -> None:
    """Press a key and wait for that screen, without the timers that a pilot leaves in the event loop."""
    app.simulate_key(key)
    while not isinstance(app.screen, to) or list(app.workers):
        await asyncio.sleep(0.01)


def opened_session(app: HandcompactApp) -> Session:
    assert isinstance(app.screen, InspectScreen)
    return app.screen.workspace.session


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
        assert "supported:" not in await press(pilot, "escape"), "it is read, and need not stand there"


async def test_a_file_of_the_command_line_opens_at_once_and_falls_back_to_the_list(machine: Path) -> None:
    app = HandcompactApp(Opening(file=str(machine / "gone.jsonl")))
    async with app.run_test(size=(80, 24)) as pilot:
        text = await settle(pilot)
        assert "gone.jsonl" in text and "Round totals" in text


async def test_waiting_for_a_session_can_be_given_up(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = HandcompactApp(Opening())
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        monkeypatch.setattr(SessionsScreen, "_read_session", lambda *_: Waiting())
        await pilot.press("enter")
        await pilot.pause()
        assert "esc cancels" in screen_text(app)
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


async def test_a_file_that_is_given_is_opened_before_any_folder_is_looked_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []
    monkeypatch.setattr(SessionsScreen, "look_for_sessions", lambda _: looked.append("looked"))
    app = HandcompactApp(Opening(file=str(anthropic_file(tmp_path))))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert shows(app, InspectScreen) and not looked
        await press(pilot, "escape")
        assert shows(app, SessionsScreen) and looked


async def test_a_mistake_of_ours_while_reading_ends_the_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ImportError("half made [/x]")

    monkeypatch.setattr("app.opening.open_workspace", fail)
    app = HandcompactApp(Opening(file=str(anthropic_file(tmp_path))))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        while list(app.workers):
            with suppress(WorkerFailed):
                await app.workers.wait_for_complete()
            await pilot.pause()
        text = screen_text(app)
        assert "not opened: ImportError: half made [/x]" in text
        screen = app.screen
        assert isinstance(screen, SessionsScreen) and not screen.is_opening


def test_a_fresh_process_opens_a_file(tmp_path: Path) -> None:
    """Whatever its threads import, and in which order."""
    env = {name: str(tmp_path) for name in ("HOME", "HANDCOMPACT_DATA_DIR", "HANDCOMPACT_CONFIG_DIR")}
    code = "import sys, tests.tui.opens_and_leaves as it; sys.exit(it.main(sys.argv[1]))"
    file = str(anthropic_file(tmp_path))
    done = subprocess.run([sys.executable, "-c", code, file], cwd=ROOT, env={**os.environ, **env}, timeout=60)
    assert done.returncode == 0
