"""A session is moved to another agent from the screen: what is lost is told first, then it is written."""

from __future__ import annotations

from pathlib import Path

from app.formats import open_session
from app.opening import open_workspace
from app.tui.screens.inspect import InspectScreen
from tests.formats.claude_code.records import assistant, lines, result, thinking, use, user
from tests.tui.on_screen import OnScreen, press, settle

RECORDS = [
    user(1, None, "Why?"),
    assistant(2, 1, [thinking("Hm."), use("a", file_path="a.py")]),
    user(3, 2, [result("a", "text")]),
    assistant(4, 3, "Because."),
]


def shown(folder: Path) -> OnScreen:
    file = folder / "a.jsonl"
    file.write_bytes(lines(*RECORDS))
    return OnScreen(InspectScreen, open_workspace(str(file), pipeline="react-mini", exact=False))


async def test_a_session_is_moved_after_a_look_at_what_is_lost(home: Path) -> None:
    app = shown(home)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await settle(pilot)
        await app.run_action("move", default_namespace=app.screen)
        text = await settle(pilot)
        assert "Codex" in text and "Copilot CLI" in text and "Claude Code " not in text.split("Convert to")[1]
        text = await press(pilot, "enter")
        assert "Convert this session to Codex?" in text and "thinking" in text and "␊" not in text
        assert not (home / ".codex").exists(), "nothing is written before it was said"
        text = await press(pilot, "right", "enter")
        (new,) = (home / ".codex/sessions").rglob("rollout-*.jsonl")
        assert "written: ~/.codex/sessions" in text
        (told,) = app._notifications
        assert told.message.endswith(f"codex resume {open_session(new)[0].session_id}")


async def test_nothing_is_written_when_it_is_not_wanted(home: Path) -> None:
    app = shown(home)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await app.run_action("move", default_namespace=app.screen)
        text = await press(pilot, "enter", "escape")
        assert "nothing written" in text and "converting to" not in text
        assert not (home / ".codex").exists() and isinstance(app.screen, InspectScreen)
