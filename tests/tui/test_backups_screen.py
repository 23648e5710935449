"""The backups on the screens: listed, held against what stands there, put back after a question."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.export.plan import ExportOptions, make_plan
from app.export.write import write
from app.opening import open_workspace
from app.tui.app import HandcompactApp, Opening
from app.tui.screens.backups import BackupsScreen
from app.tui.screens.confirm import ConfirmScreen
from app.tui.screens.inspect import InspectScreen
from app.tui.screens.session_diff import ContrastScreen
from app.tui.screens.sessions import SessionsScreen
from tests.plain_messages import reading_turns
from tests.tui.driving import shows, until
from tests.tui.files import anthropic_file
from tests.tui.on_screen import press, settle
from tests.tui.screen_text import assert_golden


@pytest.fixture
def folder(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the program is started in; two samples stand in the list of sessions."""
    work = home / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    samples = tmp_path / "samples"
    samples.mkdir()
    anthropic_file(samples, turns=2, name="a-short-one.json")
    anthropic_file(samples, turns=3, name="b-longer-one.json")
    monkeypatch.setattr("app.discovery.folders._samples_dir", lambda: samples)
    monkeypatch.setattr("app.export.artifacts.time.strftime", lambda *_: "20260102T030506Z")
    monkeypatch.setattr("app.tui.screens.backups._local", lambda made: f"{made[:4]}-01-02 03:04")
    return work


@pytest.fixture
def session(folder: Path) -> Path:
    """A session that `react-mini` replaced in place, and one whose export stands beside it."""
    paths = []
    for name, in_place in (("other work.json", False), ("login fix.json", True)):
        path = folder / name
        path.write_text(json.dumps({"model": "claude-sonnet-4-5", "messages": reading_turns(24)}))
        path.chmod(0o600)
        opened = open_workspace(str(path), pipeline="react-mini", exact=False)
        opened.workspace.run_all()
        out = None if in_place else folder / "smaller.json"
        write(make_plan(opened.workspace, opened.source, ExportOptions(in_place=in_place, out=out)))
        paths.append(path)
    return paths[1]


async def test_how_it_looks(session: Path) -> None:
    for size in ((80, 24), (120, 36)):
        app = HandcompactApp(Opening())
        async with app.run_test(size=size) as pilot:
            await press(pilot, "b")
            assert_golden(app, "backups")
            await press(pilot, "slash", *"login", "enter", "d")
            assert shows(app, ContrastScreen)
            assert_golden(app, "contrast")


async def test_a_backup_is_put_back_after_a_question_that_is_safe_to_hurry_through(session: Path) -> None:
    compacted = session.read_bytes()
    app = HandcompactApp(Opening())
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "b", "slash", *"login", "enter")
        await press(pilot, "enter")
        assert shows(app, ConfirmScreen)
        await press(pilot, "enter")
        assert shows(app, BackupsScreen) and session.read_bytes() == compacted, "Cancel has the focus"
        await press(pilot, "enter", "escape")
        assert session.read_bytes() == compacted
        text = await press(pilot, "enter", "right", "enter")
        assert "the replaced file is kept" in text and session.read_bytes() != compacted
        assert json.loads(session.read_bytes())["messages"] == reading_turns(24)
        # What was replaced is a backup now, and the one that was put back has nothing left to do.
        assert "3 backups" in text
        await press(pilot, "slash", *"login", "enter")
        assert "before another backup was restored" in await settle(pilot)
        assert "is identical to this backup" in await press(pilot, "n", "enter")


async def test_backups_beside_a_file_that_was_opened_are_listed(
    session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    app = HandcompactApp(Opening())
    async with app.run_test(size=(80, 24)) as pilot:
        assert "0 backups" in await press(pilot, "b")
    app = HandcompactApp(Opening(file=str(session)))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: shows(app, InspectScreen))
        text = await press(pilot, "escape", "b")
        assert "2 backups" in text and "login fix.json" in text


async def test_keys_that_cannot_act_say_why(folder: Path) -> None:
    app = HandcompactApp(Opening())
    async with app.run_test(size=(80, 24)) as pilot:
        assert "no backups yet: an export makes one" in await press(pilot, "b")
        assert "no backups yet" in await press(pilot, "enter")
        text = await press(pilot, "d")
        assert "no backups yet" in text
        assert "looked " in text and "work/.transcripts" in text and "outside agents" in text
        await press(pilot, "escape")
        assert shows(app, SessionsScreen)


async def test_a_session_that_cannot_be_read_is_said_and_can_be_put_back(session: Path) -> None:
    session.write_text("no session any more")
    app = HandcompactApp(Opening())
    async with app.run_test(size=(80, 24)) as pilot:
        text = await press(pilot, "b", "slash", *"login", "enter", "d")
        assert shows(app, ContrastScreen) and "login fix.json is" in text
        await press(pilot, "escape", "enter", "right", "enter")
        assert json.loads(session.read_bytes())["messages"]


async def test_two_sessions_of_the_list_are_held_against_each_other(folder: Path) -> None:
    app = HandcompactApp(Opening())
    async with app.run_test(size=(80, 24)) as pilot:
        assert "d on another session" in await press(pilot, "d")
        assert "comparison cancelled" in await press(pilot, "d")
        text = await press(pilot, "d", "j", "d")
        assert shows(app, ContrastScreen)
        assert (
            "a-short-one.json" in text and "b-longer-one.json" in text and "kept 8, changed 0, gone 0" in text
        )
        await press(pilot, "escape")
        assert shows(app, SessionsScreen)
