"""Who waits is told how far it is: bytes read, text counted, stages run."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from app.formats.source import BytesSource, FileSource
from app.tokens.counter import Counter
from app.tui.app import HandcompactApp, Opening
from app.tui.screens.inspect import InspectScreen
from app.tui.screens.parts import background, progress
from app.tui.screens.parts.opens import Reading
from app.views.outlook import Outlook, outlook
from app.work.walk import Told, Walker
from app.work.workspace import Workspace
from tests.benchmarks.made import make
from tests.tui.driving import opening, shows
from tests.tui.files import anthropic_file
from tests.tui.on_screen import settle
from tests.tui.screen_text import screen_text


class Gate:
    """Lets work through as far as it is told to."""

    def __init__(self) -> None:
        self._passes = threading.Semaphore(0)

    def let_through(self, times: int) -> None:
        for _ in range(times):
            self._passes.release()

    def before(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """The same call, which waits here first."""

        def call(*arguments: Any, **named: Any) -> Any:
            assert self._passes.acquire(timeout=20)
            return real(*arguments, **named)

        return call


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    monkeypatch.setattr(progress, "TELL_SECONDS", 0.01)
    monkeypatch.setattr("app.tui.screens.parts.background.STEP_SECONDS", 0.0)
    gate = Gate()
    yield gate
    gate.let_through(10_000)


async def until(pilot: Pilot[None], words: str) -> None:
    """Wait until these words stand on the screen."""
    for _ in range(1_000):
        if words in screen_text(pilot.app):
            return
        await pilot.pause(0.01)
    raise AssertionError(f"{words!r} never stood there:\n{screen_text(pilot.app)}")


def test_a_reading_tells_the_share_of_the_bytes_and_then_that_they_are_judged() -> None:
    reading, source = Reading("a.jsonl"), BytesSource(b"x" * 3 * 2**20)
    assert reading.now() == ("reading a.jsonl", "")
    reading.begin(source)
    assert reading.now() == ("reading a.jsonl", "")
    source.reached = 2**20
    assert reading.now() == ("reading a.jsonl", "33% of 3.0 MiB")
    source.reached = source.size
    assert reading.now() == ("classifying a.jsonl", "")


async def test_while_a_file_is_opened_the_share_that_is_read_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gate: Gate
) -> None:
    file = make(tmp_path / "s.jsonl", "claude", 4)
    real = FileSource.read
    slow = gate.before(real)

    def read(source: FileSource, offset: int, length: int) -> bytes:
        return slow(source, offset, length) if offset == 2 << 20 else real(source, offset, length)

    monkeypatch.setattr(FileSource, "read", read)
    app = HandcompactApp(Opening(file=str(file), pipeline="react-mini"))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, "52% of 3.8 MiB")
        assert "esc cancels" in screen_text(app) and f"reading {file}" in screen_text(app)
        gate.let_through(10)
        await settle(pilot)
        assert shows(app, InspectScreen)
        # And once more where it is read again.
        gate._passes = threading.Semaphore(0)
        with file.open("ab") as more:
            more.write(b"\n")
        await pilot.press("r")
        await until(pilot, "reading the file again")
        await until(pilot, "52% of 3.8 MiB")
        await pilot.press("escape")
        await until(pilot, "not reloaded")
        gate.let_through(10)
        await settle(pilot)
        assert shows(app, InspectScreen)


async def test_how_many_of_the_stages_ahead_are_run_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gate: Gate
) -> None:
    monkeypatch.setattr(Walker, "_result", gate.before(Walker._result))
    app = HandcompactApp(opening(anthropic_file(tmp_path)))
    async with app.run_test(size=(80, 24)) as pilot:
        for done in range(3):
            await until(pilot, f"running the stages ahead: {done} of 3 done ...")
            gate.let_through(1)
        assert "react-mini: " in await settle(pilot)


async def test_what_the_stages_measure_is_counted_before_with_its_share(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gate: Gate
) -> None:
    app = HandcompactApp(Opening(file=str(anthropic_file(tmp_path, turns=40)), pipeline="clear-tool-uses"))
    monkeypatch.setattr(Counter, "_count", gate.before(Counter._count))
    async with app.run_test(size=(80, 24)) as pilot:
        while not shows(app, InspectScreen):
            await pilot.pause(0.01)
        gate.let_through(100)
        await until(pilot, "running the stages ahead ...")
        while "counting 0%" in screen_text(app):
            await pilot.pause(0.01)
        assert "  counting " in screen_text(app) and "running the stages ahead ..." in screen_text(app)
        # Another look takes the place of this one.
        screen = app.screen
        assert isinstance(screen, InspectScreen)
        await pilot.press("p")
        gate.let_through(10_000)
        await settle(pilot)
        assert screen.workspace.counter.counted_share(screen.workspace.to_count()) == 1


async def test_the_text_beside_the_list_tells_an_estimate_as_one_and_then_what_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gate: Gate
) -> None:
    let_go = threading.Event()

    def held(workspace: Workspace, told: Told) -> Outlook:
        assert let_go.wait(20)
        return outlook(workspace, told)

    monkeypatch.setattr(Counter, "_count", gate.before(Counter._count))
    monkeypatch.setattr(background, "outlook", held)
    app = HandcompactApp(opening(anthropic_file(tmp_path)))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, "─ #0 user ~14 tokens ─")
        gate.let_through(10_000)
        await until(pilot, "─ #0 user 15 tokens ─")
        let_go.set()
        await settle(pilot)
