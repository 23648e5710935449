"""A large file shows how it begins while the rest of it is read."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from app import opening
from app.tui.app import HandcompactApp, Opening
from app.tui.screens.inspect import InspectScreen
from app.tui.screens.sessions import SessionsScreen
from tests.benchmarks.made import make
from tests.tui.driving import shows
from tests.tui.on_screen import press
from tests.tui.screen_text import screen_text


async def until(pilot: Pilot[None], is_so: Callable[[], bool]) -> None:
    """Wait until something is so; the threads of the app may go on meanwhile."""
    for _ in range(1_000):
        if is_so():
            await pilot.pause()
            return
        await pilot.pause(0.02)
    raise AssertionError("it did not come true in time")


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Reading all of a file waits until this is set, and its beginning is worth a look from 1 MB on."""
    gate = threading.Event()
    real = opening.open_workspace

    def waiting(file: str, **how: object) -> opening.Opened:
        assert gate.wait(30)
        return real(file, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(opening, "open_workspace", waiting)
    monkeypatch.setattr(opening, "LARGE_BYTES", 1_000_000)
    return gate


@pytest.mark.parametrize("shape", ["claude", "codex", "openai"])
async def test_the_first_rows_are_there_before_the_file_is_read(
    tmp_path: Path, gate: threading.Event, shape: str
) -> None:
    file = make(tmp_path / f"s.{'json' if shape == 'openai' else 'jsonl'}", shape, 1.5)
    app = HandcompactApp(Opening(file=str(file)))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.screen.has_class("-head"))
        shown = screen_text(app)
        assert "reading" in shown and "esc cancels" in shown
        assert "tool_result" in shown and "preview" in shown
        gate.set()
        await until(pilot, lambda: shows(app, InspectScreen))
        await press(pilot, "escape")
        assert shows(app, SessionsScreen) and not app.screen.has_class("-head")


async def test_giving_up_takes_the_first_rows_away(tmp_path: Path, gate: threading.Event) -> None:
    file = make(tmp_path / "s.jsonl", "claude", 1.5)
    app = HandcompactApp(Opening(file=str(file)))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.screen.has_class("-head"))
        await pilot.press("escape")
        assert not app.screen.has_class("-head")
        gate.set()
        await until(pilot, lambda: not app.workers)
        assert shows(app, SessionsScreen)


async def test_a_small_file_is_opened_at_once(tmp_path: Path, gate: threading.Event) -> None:
    file = make(tmp_path / "s.jsonl", "claude", 0.2)
    assert opening.open_head(str(file), "gentle") is None
    gate.set()
    app = HandcompactApp(Opening(file=str(file)))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: shows(app, InspectScreen))
