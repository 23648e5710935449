"""After a mistake of ours in a key, a thread, a message or a painted row the work goes on, or is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NoReturn

import pytest
from textual.pilot import Pilot

from app.crash_log import log_dir
from app.persistence.journal import journal_dir
from app.tui.app import HandcompactApp
from app.tui.screens.confirm import ConfirmScreen
from app.tui.screens.inspect import InspectScreen
from app.tui.screens.parts import background
from tests.tui.driving import opening, shows
from tests.tui.files import anthropic_file
from tests.tui.on_screen import press, settle
from tests.tui.screen_text import screen_text
from tests.tui.terminal import written_to_terminal

SECRET = "secret of the session"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("HANDCOMPACT_TRACEBACKS")
    return anthropic_file(tmp_path, turns=3)


def fail(*_: object, **__: object) -> NoReturn:
    raise KeyError(SECRET)


async def settled(pilot: Pilot[None]) -> str:
    for _ in range(4):
        await settle(pilot)
    return screen_text(pilot.app)


def check_log() -> None:
    logs = list(log_dir().iterdir())
    assert len(logs) == 1 and "secret" not in logs[0].read_text() and "KeyError" in logs[0].read_text()


async def test_a_key_that_fails_is_told_and_nothing_else_changes(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(InspectScreen, "action_filter", fail)
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        text = await press(pilot, "j", "p", "f")
        assert shows(app, ConfirmScreen) and "Something went wrong" in text and "KeyError" in text
        assert "Your steps are" in text and "no session text" in text and SECRET not in text
        await press(pilot, "escape")
        assert isinstance(app.screen, InspectScreen)
        assert len(app.screen.workspace.history.done) == 1
        assert "undone: pin" in await press(pilot, "u")
    check_log()


async def test_leaving_after_it_keeps_the_steps(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(InspectScreen, "action_filter", fail)
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "a", "f", "right", "enter")
    assert app.return_code == 3 and len(list(journal_dir().iterdir())) == 1


async def test_a_thread_that_fails_is_told_once(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "j")
        monkeypatch.setattr(background, "outlook", fail)
        text = await press(pilot, "p")
        assert shows(app, ConfirmScreen) and "KeyError" in text
        monkeypatch.undo()
        monkeypatch.setenv("HANDCOMPACT_STATE_DIR", str(file.parent / "state"))
        await press(pilot, "escape")
        assert isinstance(app.screen, InspectScreen) and app.screen.workspace.state.pins
    check_log()


async def test_a_screen_that_breaks_begins_anew_with_the_work(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "j", "p", "a")
        broken = app.screen
        tried: list[Any] = []
        real = HandcompactApp.begin_anew

        async def mended(self: HandcompactApp, works: Any) -> None:
            tried.append(works)
            context.undo()
            await real(self, works)

        monkeypatch.setattr(HandcompactApp, "begin_anew", mended)
        with pytest.MonkeyPatch.context() as context:
            context.setattr(InspectScreen, "lay_rows", fail)
            app.simulate_key("u")
            text = await settled(pilot)
        assert tried and shows(app, ConfirmScreen) and "Something went wrong" in text
        await press(pilot, "escape")
        text = await settled(pilot)
        assert isinstance(app.screen, InspectScreen) and app.screen is not broken
        assert len(app.screen.workspace.history.done) == 3 and "Looking at f0" in text
        assert "undone: accept" in await press(pilot, "u")
    check_log()


def test_a_row_that_cannot_be_painted_is_gone_on_from(file: Path) -> None:
    written = written_to_terminal("tests.tui.failing_app", str(file), "once", size=(80, 24))
    assert "went on with 3 steps" in written and "Traceback" not in written and "secret" not in written
    logs = [log.read_text() for log in log_dir().iterdir()]
    assert logs and all("KeyError" in log and "secret" not in log for log in logs)


def test_what_breaks_again_and_again_ends_with_a_line_and_the_steps_kept(file: Path) -> None:
    written = written_to_terminal("tests.tui.failing_app", str(file), "always", size=(80, 24))
    last = written[written.rindex("handcompact: ") :]
    assert last.startswith("handcompact: unexpected KeyError in app/tui/widgets/line_view.py:")
    assert "Your steps are saved on disk." in last and str(log_dir()) in last
    assert "secret" not in written and "Traceback" not in written
    assert len(list(journal_dir().iterdir())) == 1
