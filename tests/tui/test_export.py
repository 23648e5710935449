"""The export dialog: nothing is written before it is asked for, and never the original by mistake."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from app.errors import Stopped
from app.export.cancellation import Stopper
from app.export.files import StagedFile
from app.export.plan import ExportOptions, ExportPlan, make_plan
from app.export.readback import compare_with_plan
from app.formats.source import BytesSource, Source
from app.opening import Opened, open_workspace
from app.tui.screens.export import ExportScreen
from app.tui.screens.inspect import InspectScreen
from app.tui.screens.lost import LostScreen
from app.tui.widgets.controls import PushButton, TickBox
from app.work.workspace import Workspace
from tests.tui.on_screen import OnScreen, kind_of_screen, press, settle
from tests.tui.screen_text import assert_golden, screen_text

SAMPLES = Path(__file__).parents[2] / "sample_sessions"
BIG = "line of a file\n" * 400


def turns(count: int) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for n in range(count):
        call = {"type": "tool_use", "id": f"r{n}", "name": "Read", "input": {"file_path": f"src/f{n}.py"}}
        result = {"type": "tool_result", "tool_use_id": f"r{n}", "content": BIG}
        messages += [
            {"role": "user", "content": f"Question {n}?"},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
            {"role": "assistant", "content": f"Answer {n}."},
        ]
    return messages


@pytest.fixture
def original(tmp_path: Path) -> Path:
    path = tmp_path / "login fix.json"
    path.write_text(json.dumps({"model": "claude-sonnet-4-5", "messages": turns(24)}))
    return path


def work(path: Path, settings: tuple[str, ...] = ()) -> Opened:
    opened = open_workspace(str(path), pipeline="react-mini", settings=settings, exact=False)
    opened.workspace.run_all()
    return opened


DROPPING = ("tool_result_budget.enabled=false", "microcompact.enabled=false")


def dialog(opened: Opened) -> OnScreen:
    return OnScreen(ExportScreen, opened)


def tick(app: OnScreen, name: str) -> TickBox:
    box = app.screen.query_one(f"#{name}", TickBox)
    box.focus()
    return box


def target(app: OnScreen) -> Input:
    return app.screen.query_one("#target", Input)


async def test_how_it_looks(original: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(original.parent)
    monkeypatch.setenv("HOME", str(original.parent))
    app = dialog(work(Path(original.name), DROPPING))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        target(app).value = "login fix.compacted.json"
        await settle(pilot)
        assert_golden(app, "export")
        await pilot.resize_terminal(120, 36)
        await settle(pilot)
        assert_golden(app, "export")


async def test_the_focus_starts_on_the_safe_button_and_leaving_writes_nothing(original: Path) -> None:
    app = dialog(work(original))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert app.focused is app.screen.query_one("#cancel", PushButton)
        await press(pilot, "enter")
        assert kind_of_screen(app) is not ExportScreen
    assert sorted(original.parent.glob("*.json")) == [original]


async def test_write_makes_a_new_file_with_backup_and_report(original: Path) -> None:
    before = original.read_bytes()
    opened = work(original)
    app = dialog(opened)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        new = Path(target(app).value)
        assert new != original
        text = await press(pilot, "tab", "tab", "enter")
        assert "Written" in text and "Backup" in text and "Report" in text
        assert "read back and compared with the plan" in text
    assert original.read_bytes() == before
    assert len(new.read_bytes()) < len(before) / 2
    papers = {path.suffix for path in (original.parent / ".transcripts").iterdir()}
    assert papers == {".json"} and not opened.workspace.is_unsaved


async def test_another_name_can_be_typed_and_one_that_exists_is_refused(
    original: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.tui.screens.parts.export_fields.TYPING", 0.01)
    app = dialog(work(original))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        target(app).focus()
        target(app).value = str(original)
        await pilot.pause(0.1)
        assert "already exists: choose another name" in await settle(pilot)
        assert app.screen.query_one("#write", PushButton).dimmed
        target(app).value = str(original.parent / "mine.json")
        await pilot.pause(0.1)
        await settle(pilot)
        app.screen.query_one("#write", PushButton).focus()
        assert "Written" in await press(pilot, "enter")
    assert (original.parent / "mine.json").exists()


async def test_words_of_the_user_go_only_when_it_is_ticked(original: Path) -> None:
    app = dialog(work(original, DROPPING))
    async with app.run_test(size=(80, 24)) as pilot:
        text = await settle(pilot)
        assert "Question 1?" in text and "tick the line above" in text
        app.screen.query_one("#write", PushButton).focus()
        assert "messages of yours would be lost" in await press(pilot, "enter")
        assert sorted(original.parent.glob("*.json")) == [original]
        tick(app, "words")
        await press(pilot, "space")
        app.screen.query_one("#write", PushButton).focus()
        assert "Written" in await press(pilot, "enter")


async def test_in_place_replaces_the_original_and_keeps_it_in_a_backup(original: Path) -> None:
    before = original.read_bytes()
    app = dialog(work(original))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        tick(app, "in-place")
        text = await press(pilot, "space")
        assert target(app).disabled and target(app).value == str(original)
        assert "always when the original is replaced" in text
        tick(app, "backup")
        assert "always makes a backup" in await press(pilot, "space")
        tick(app, "report")
        await press(pilot, "space")
        assert app.screen.query_one("#backup", TickBox).value
        app.screen.query_one("#write", PushButton).focus()
        text = await press(pilot, "enter")
        assert "Backup" in text and "Report" not in text
    assert len(original.read_bytes()) < len(before) / 2
    assert before in [path.read_bytes() for path in (original.parent / ".transcripts").iterdir()]


async def test_an_original_that_changed_meanwhile_is_not_replaced(original: Path) -> None:
    app = dialog(work(original))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        tick(app, "in-place")
        await press(pilot, "space")
        original.write_text("the agent went on")
        app.screen.query_one("#write", PushButton).focus()
        assert "was rewritten since it was opened" in await press(pilot, "enter")
    assert original.read_text() == "the agent went on"


async def test_a_dry_run_shows_the_plan_and_comes_back(original: Path) -> None:
    app = dialog(work(original))
    async with app.run_test(size=(80, 24)) as pilot:
        text = await press(pilot, "tab", "enter")
        assert "Stage 2   microcompact" in text and "Dry run: nothing was written." in await press(pilot, "G")
        assert "[ Dry run ]" in await press(pilot, "escape")
        assert kind_of_screen(app) is ExportScreen


async def test_stages_that_were_not_accepted_are_named(original: Path) -> None:
    opened = work(original)
    opened.workspace.go_to(2)
    app = dialog(opened)
    async with app.run_test(size=(80, 24)) as pilot:
        assert "not accepted, so not included: micro, retain tail" in await settle(pilot)


async def test_the_command_line_is_copied_with_what_it_cannot_say(original: Path) -> None:
    opened = work(original)
    opened.workspace.refuse("tool_result_budget", ["x"])
    app = dialog(opened)
    async with app.run_test(size=(80, 24)) as pilot:
        assert "it cannot express 1 rejected change" in await press(pilot, "ctrl+y")
        assert app.clipboard.startswith("handcompact compact ") and "--pipeline react-mini" in app.clipboard


async def test_escape_stops_a_write_before_anything_is_in_place(
    original: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = dialog(work(original))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        new = Path(target(app).value)
        screen = app.screen
        assert isinstance(screen, ExportScreen)
        _pausing(monkeypatch, screen.action_close)
        app.screen.query_one("#write", PushButton).focus()
        assert "stopped:" in await press(pilot, "enter")
        assert not new.exists()
        monkeypatch.undo()
        assert "Written" in await press(pilot, "enter")


async def test_nothing_writes_a_plan_out_while_it_is_carried_out(
    original: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written_out: list[ExportPlan] = []

    def text(plan: ExportPlan) -> str:
        written_out.append(plan)
        return "the whole session"

    monkeypatch.setattr(ExportPlan, "__repr__", text)
    app = dialog(work(original))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        app.screen.query_one("#write", PushButton).focus()
        assert "Written" in await press(pilot, "enter")
    assert not written_out


def _pausing(monkeypatch: pytest.MonkeyPatch, close: Callable[[], None]) -> None:
    """Press escape at the moment when the file is read back."""

    def slow(staged: StagedFile, plan: ExportPlan, stopper: Stopper) -> None:
        close()
        compare_with_plan(staged, plan, stopper)

    monkeypatch.setattr("app.export.write.compare_with_plan", slow)


async def test_a_session_from_standard_input_asks_for_a_place(original: Path) -> None:
    opened = work(original)
    app = dialog(Opened(opened.workspace, BytesSource(original.read_bytes())))
    async with app.run_test(size=(80, 24)) as pilot:
        assert "name one to write" in await settle(pilot)
        await press(pilot, "tab", "enter", "tab", "enter")
        assert kind_of_screen(app) is ExportScreen


async def test_a_strange_file_name_cannot_act_on_the_terminal(original: Path) -> None:
    strange = original.rename(original.parent / "\x1b]0;x\x07[b].json")
    app = dialog(work(strange))
    async with app.run_test(size=(80, 24)) as pilot:
        text = await settle(pilot)
        assert "\x1b" not in text and "\x07" not in text
        tick(app, "in-place")
        assert "\x1b" not in await press(pilot, "space")
        await press(pilot, "space")
        app.screen.query_one("#write", PushButton).focus()
        assert "\x1b" not in await press(pilot, "enter")
    assert len(list(original.parent.glob("*.json"))) == 2


async def test_a_tick_writes_a_session_for_other_people(tmp_path: Path) -> None:
    key = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    original = tmp_path / "bug.json"
    first = {"role": "user", "content": f"My token {key} in /home/adalovelace/work fails."}
    messages = [first, *turns(3)[1:]]
    original.write_text(json.dumps({"model": "claude-sonnet-4-5", "messages": messages}))
    before = original.read_bytes()
    app = dialog(work(original))
    async with app.run_test(size=(100, 60)) as pilot:
        await settle(pilot)
        usual = target(app).value
        tick(app, "share")
        text = await press(pilot, "space")
        assert target(app).value == str(tmp_path / "bug.shared.json") != usual
        assert "none: the original is not touched" in text
        assert "masked   GitHub token: 1 time" in text and key not in text
        assert app.screen.query_one("#resume", PushButton).dimmed
        tick(app, "install")
        await press(pilot, "space")
        assert not app.screen.query_one("#share", TickBox).value, "one place or the other"
        tick(app, "share")
        await press(pilot, "space")
        app.screen.query_one("#dry-run", PushButton).focus()
        assert "Masked    GitHub token" in await press(pilot, "enter")
        await press(pilot, "escape")
        app.screen.query_one("#write", PushButton).focus()
        text = await press(pilot, "enter")
        assert "Written" in text and "\n Resume " not in text and "what was masked" in text
    shared = (tmp_path / "bug.shared.json").read_text()
    assert key not in shared and "adalovelace" not in shared and "/home/user/work" in shared
    assert original.read_bytes() == before and not (tmp_path / ".transcripts").exists()


async def test_the_arrows_go_from_button_to_button_as_in_a_question(original: Path) -> None:
    app = dialog(work(original))
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "right")
        assert app.focused is app.screen.query_one("#dry-run", PushButton)
        await press(pilot, "right")
        assert app.focused is app.screen.query_one("#write", PushButton)
        await press(pilot, "right")
        assert app.focused is app.screen.query_one("#write", PushButton), "no field takes its turn"
        await press(pilot, "left", "left", "left")
        assert app.focused is app.screen.query_one("#cancel", PushButton)


async def test_the_list_of_what_is_gone_is_a_tick(original: Path) -> None:
    opened = work(original)
    usual = opened.workspace.index
    app = dialog(opened)
    async with app.run_test(size=(80, 24)) as pilot:
        text = await settle(pilot)
        assert "[x] Write a list of removed results" in text and Path(usual).name in text
        tick(app, "index")
        text = await press(pilot, "space")
        assert "[ ] Write a list of removed results" in text and Path(usual).name not in text
        await press(pilot, "ctrl+y")
        assert app.clipboard.endswith("--no-index")
        assert Path(usual).name in await press(pilot, "space")
        await press(pilot, "space")
        app.screen.query_one("#write", PushButton).focus()
        assert "Written" in await press(pilot, "enter")
    assert not Path(usual).exists()


async def test_facts_that_are_lost_are_counted_and_one_key_shows_them(tmp_path: Path) -> None:
    messages = turns(24)
    messages[2]["content"][0]["content"] = f"{BIG}retry_budget = 17\n{BIG}"
    messages[-1]["content"] = "retry_budget is too small."
    original = tmp_path / "lossy.json"
    original.write_text(json.dumps({"model": "claude-sonnet-4-5", "messages": messages}))
    app = dialog(work(original))
    async with app.run_test(size=(80, 24)) as pilot:
        assert "1 fact that is still mentioned: L shows it" in await settle(pilot)
        text = await press(pilot, "L")
        assert kind_of_screen(app) is LostScreen and "retry_budget = 17" in text
        # What is kept from there changes the plan.
        await press(pilot, "p")
        text = await press(pilot, "escape")
        assert kind_of_screen(app) is ExportScreen and "still mentioned" not in text


async def test_a_long_path_shows_its_end(tmp_path: Path) -> None:
    folder = tmp_path / ("a folder with a long name " * 3).strip()
    folder.mkdir()
    path = folder / "login.json"
    path.write_text(json.dumps({"model": "claude-sonnet-4-5", "messages": turns(3)}))
    app = dialog(work(path))
    async with app.run_test(size=(80, 24)) as pilot:
        line = (await settle(pilot)).splitlines()[1]
        assert line.rstrip().endswith(".json")


async def test_a_plan_that_takes_long_says_for_how_long(
    original: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = threading.Event()

    def slow(*given: Any) -> ExportPlan:
        held.wait(5)
        return make_plan(*given)

    monkeypatch.setattr("app.tui.screens.parts.exporting.make_plan", slow)
    monkeypatch.setattr("app.tui.screens.parts.progress.SLOW_SECONDS", 0.01)
    app = dialog(work(original))
    async with app.run_test(size=(80, 24)) as pilot:
        while "esc stops it and closes" not in screen_text(app):
            await pilot.pause(0.02)
        held.set()
        assert "nothing is written yet" in await settle(pilot)


async def test_escape_stops_a_plan_that_takes_long_and_the_work_behind_it(
    original: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, ended = threading.Event(), list[Exception]()

    def slow(workspace: Workspace, source: Source, options: ExportOptions, stopper: Stopper) -> ExportPlan:
        assert go_on.wait(20)
        try:
            return make_plan(workspace, source, options, stopper)
        except Stopped as error:
            ended.append(error)
            raise

    app = OnScreen(InspectScreen, work(original))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        monkeypatch.setattr("app.tui.screens.parts.exporting.make_plan", slow)
        await pilot.press("e")
        while "planning ..." not in screen_text(app):
            await pilot.pause(0.01)
        await pilot.press("escape")
        while kind_of_screen(app) is not InspectScreen:
            await pilot.pause(0.01)
        go_on.set()
        for _ in range(2_000):  # the thread of a worker that was given up is in no list
            if ended:
                break
            await pilot.pause(0.01)
        assert str(ended[0]) == "stopped: there is no plan"
        await settle(pilot)
        assert kind_of_screen(app) is InspectScreen and not list(app.workers)
        # It can be planned again at once.
        assert "nothing is written yet" in await press(pilot, "e")


async def test_where_much_text_stays_lost_facts_are_looked_for_only_when_asked(
    original: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.tui.screens.parts.exporting.MOST_STAYS", 10)
    app = dialog(work(original))
    async with app.run_test(size=(80, 24)) as pilot:
        assert "not searched yet (too much text remains): L searches" in await settle(pilot)


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("sample", ["codex-three-turns.jsonl", "claude-code-v2-0.jsonl"])
async def test_a_session_that_its_agent_would_not_find_says_what_to_tick(sample: str, tmp_path: Path) -> None:
    original = Path(shutil.copy(SAMPLES / sample, tmp_path))
    app = dialog(work(original))
    async with app.run_test(size=(100, 40)) as pilot:
        await settle(pilot)
        assert "folder  so that C" in screen_text(app)
        app.screen.query_one("#write", PushButton).focus()
        text = " ".join((await press(pilot, "enter")).split())
        assert "not here: press e again, tick" in text and "--install" not in text
        app.screen.query_one("#resume", PushButton).focus()
        assert "--install" not in await press(pilot, "enter")
        await press(pilot, "escape")
        app.push_screen(ExportScreen(app.opened))
        await settle(pilot)
        tick(app, "install")
        assert "finds it" not in await press(pilot, "space")
        app.screen.query_one("#write", PushButton).focus()
        assert " resume " in (await press(pilot, "enter")).replace("--resume", "resume")
        assert not app.screen.query_one("#resume", PushButton).dimmed
