"""The open session's file is written on by its agent."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from app.export.files import STAGING_PREFIX
from app.export.plan import ExportOptions, make_plan
from app.export.write import write
from app.opening import open_workspace
from app.tui.screens.inspect import InspectScreen
from tests.formats.claude_code.records import assistant, lines, result, use, user
from tests.tui.on_screen import OnScreen, press, settle

RECORDS = [
    user(1, None, "Why?"),
    assistant(2, 1, [use("a", file_path="a.py")]),
    user(3, 2, [result("a", "a line of a file\n" * 900)]),
    assistant(4, 3, "Because."),
]


def shown(tmp_path: Path) -> tuple[OnScreen, Path]:
    file = tmp_path / "a.jsonl"
    file.write_bytes(lines(*RECORDS))
    opened = open_workspace(str(file), pipeline="react-mini", exact=False)
    return OnScreen(InspectScreen, opened), file


async def look(app: OnScreen, pilot: Pilot[None]) -> str:
    screen = app.screen
    assert isinstance(screen, InspectScreen)
    screen.look_at_file()
    return await settle(pilot)


async def test_growth_is_noticed_and_read_with_the_steps_kept(tmp_path: Path) -> None:
    app, file = shown(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await press(pilot, "down", "down", "p")
        assert "file grew" not in await look(app, pilot)
        with file.open("ab") as out:
            out.write(lines(user(5, 4, "And \x1b]0;now?"), assistant(6, 5, "Wait.")))
        text = await look(app, pilot)
        assert "! file grew" in text and "r reloads it" in text and "And" not in text
        text = await press(pilot, "r")
        assert "Wait." in text and "2 messages more" in text and "file grew" not in text
        assert "pinned" in text and "3 of 6" in text, "pin and cursor are where they were"
        assert "undone: pin 1 block" in await press(pilot, "u")
        assert "reloaded: no new messages" in await press(pilot, "r")


async def test_what_was_written_in_place_is_no_strangers_change(tmp_path: Path) -> None:
    app, file = shown(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        app.workspace.run_all()
        write(make_plan(app.workspace, app.opened.source, ExportOptions(in_place=True)))
        app.workspace.mark_written()
        text = await look(app, pilot)
        assert "! file replaced" in text and "the one you wrote in place: r opens it" in text
        assert "! file replaced" in await look(app, pilot)
        with file.open("ab") as out:
            out.write(lines(user(5, 4, "And now?")))
        assert "And now?" in await press(pilot, "r") and "! file" not in await look(app, pilot)


async def test_a_file_that_is_no_session_any_more_leaves_the_screen_as_it_is(tmp_path: Path) -> None:
    app, file = shown(tmp_path)
    async with app.run_test(size=(200, 30)) as pilot:
        await settle(pilot)
        file.write_text("garbage \x1b[2J")
        assert "! file changed" in await look(app, pilot)
        text = await press(pilot, "r")
        assert "is text that is not JSON" in text and "Because." in text
        text = await press(pilot, "down", "down", "right_square_bracket")
        assert app.is_running and "\x1b" not in text
    file.unlink()


async def test_an_agent_at_work_on_the_session_is_named_when_it_opens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.running.users_of", lambda _: ("Claude \x1b[2J (7)",))
    app, _ = shown(tmp_path)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        text = await settle(pilot)
        (told,) = app._notifications
        assert "in use by" in told.message and "\x1b" not in told.message + text


async def test_what_a_killed_export_left_is_named_with_what_removes_it(tmp_path: Path) -> None:
    app, file = shown(tmp_path)
    (file.parent / f"{STAGING_PREFIX}4194305-ab").write_text("half")
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await settle(pilot)
        (told,) = app._notifications
        assert (
            "1 unfinished file left by a killed export" in told.message and "--remove-strays" in told.message
        )


async def test_a_lost_file_is_said(tmp_path: Path) -> None:
    app, file = shown(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        file.unlink()
        assert "the file is gone" in await look(app, pilot)
        assert "does not exist" in await press(pilot, "r")
