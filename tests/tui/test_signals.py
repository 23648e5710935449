"""Told to end by the system, the screens leave as if a key had been pressed."""

from __future__ import annotations

import signal
import threading
import time
from pathlib import Path

import pytest

from app.export.cancellation import Stopper
from app.export.files import StagedFile
from app.export.plan import ExportPlan
from app.export.readback import compare_with_plan
from app.tui.app import HandcompactApp
from app.tui.widgets.controls import PushButton
from tests.tui.driving import opening
from tests.tui.files import anthropic_file
from tests.tui.on_screen import press, settle


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
async def test_nothing_half_written_is_left_when_it_is_told_to_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    sign = getattr(signal, name, None)
    if sign is None or signal.getsignal(sign) is not signal.SIG_DFL:
        pytest.skip(f"{name} means nothing here")
    written, go_on = threading.Event(), threading.Event()

    def slow(staged: StagedFile, plan: ExportPlan, stopper: Stopper) -> None:
        written.set()
        assert go_on.wait(20)
        compare_with_plan(staged, plan, stopper)

    monkeypatch.setattr("app.export.write.compare_with_plan", slow)
    folder = tmp_path / "sessions"
    folder.mkdir()
    app = HandcompactApp(opening(anthropic_file(folder)))
    before = sorted(folder.rglob("*"))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "a", "e")
        app.screen.query_one("#write", PushButton).focus()
        await pilot.press("enter")
        while not written.is_set():
            await pilot.pause(0.01)
        assert sorted(folder.rglob("*")) != before
        signal.raise_signal(sign)
        while app.return_code is None:
            await pilot.pause(0.01)
    go_on.set()
    assert app.return_code == 128 + sign
    ends = time.monotonic() + 10
    while sorted(folder.rglob("*")) != before and time.monotonic() < ends:
        time.sleep(0.01)
    assert sorted(folder.rglob("*")) == before
