"""Whatever is pressed, clicked or typed, in whatever order: the program goes on, and the file stays."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from textual import events
from textual.command import CommandPalette
from textual.pilot import OutOfBounds, Pilot

from app.pipeline import preset_names
from app.tui.app import HandcompactApp, Opening
from app.tui.keys import keys_of
from app.tui.screens.inspect import InspectScreen
from tests.own_place import own_place
from tests.tui.on_screen import settle

SAMPLES = Path(__file__).parents[2] / "sample_sessions"
NAMES = (
    "awkward-cjk.jsonl", "claude-code-compacted.jsonl", "codex-compacted.jsonl", "copilot-compacted.jsonl",
    "gemini-cli-compressed.jsonl", "openai-chat.json", "opencode-compacted.json",
    "qwen-code-compressed.jsonl",
)  # fmt: skip
PLAIN: Final = (
    "enter", "enter", "escape", "up", "down", "pageup", "pagedown", "home", "end", "left", "right", "tab",
    "shift+tab", "space", "1", "x", "backspace", "delete",
)  # fmt: skip
WORDS = ("cart", "0", "-5", "9" * 30, "[/x]", "a*(", "登录", "", "../x", "1e9")
SIZES = ((80, 24), (120, 36), (40, 10), (20, 5))
DEEPEST = 14
"""Screens that may lie over each other: more are opened by each other without an end."""


class Walk:
    """One walk by chance, and what was done on it."""

    def __init__(self, pilot: Pilot[None], chance: Random) -> None:
        self.pilot = pilot
        self.chance = chance
        self.done: list[str] = []

    async def step(self) -> None:
        """Do something, and wait until all is still, or not at all."""
        pick = self.chance.random()
        if isinstance(self.pilot.app.screen, CommandPalette):
            # Textual's own menu fails at a page key that comes before its list is laid out.
            await self._press("escape")
        elif pick < 0.6:
            await self._press_bound()
        elif pick < 0.8:
            await self._press(self.chance.choice(PLAIN))
        elif pick < 0.86:
            self._paste(self.chance.choice(WORDS))
        elif pick < 0.96:
            await self._click()
        else:
            size = self.chance.choice(SIZES)
            self.done.append(f"resize {size}")
            await self.pilot.resize_terminal(*size)
        await (settle(self.pilot) if self.chance.random() < 0.5 else self.pilot.pause(0))

    async def _press_bound(self) -> None:
        """Press a key of the screen, or do what only the menu offers."""
        screen = self.pilot.app.screen
        where = getattr(screen, "WHERE", None)
        keys = [key for key in keys_of(where) if key.id != "quit"] if where is not None else []
        if not keys:
            await self._press("escape")
            return
        key = self.chance.choice(keys)
        if key.keys:
            await self._press(self.chance.choice(key.keys.split(",")))
        else:
            self.done.append(key.action)
            await settle(self.pilot)  # as it is once the menu was opened and read
            if self.pilot.app.screen is screen:
                await screen.run_action(key.action)

    async def _press(self, key: str) -> None:
        self.done.append(key)
        self.pilot.app.simulate_key(key)

    def _paste(self, words: str) -> None:
        self.done.append(f"paste {words!r}")
        if self.pilot.app.focused is not None:
            self.pilot.app.focused.post_message(events.Paste(words))

    async def _click(self) -> None:
        size = self.pilot.app.size
        at = self.chance.randrange(size.width), self.chance.randrange(size.height)
        self.done.append(f"click {at}")
        try:
            await self.pilot.click(offset=at, times=self.chance.choice((1, 1, 2)))
        except OutOfBounds:
            self.done.append("resized meanwhile")


async def walk(chance: Random, folder: Path, steps: int) -> None:
    sample = SAMPLES / chance.choice(NAMES)
    file = folder / sample.name
    shutil.copy(sample, file)
    app = HandcompactApp(Opening(file=str(file), pipeline=chance.choice(preset_names())))
    async with app.run_test(size=chance.choice(SIZES[:2])) as pilot:
        going = Walk(pilot, chance)
        await settle(pilot)
        assert isinstance(app.screen, InspectScreen)
        for _ in range(steps):
            await going.step()
            if app.return_code is not None:
                break  # a click on Quit
            names = [type(screen).__name__ for screen in app.screen_stack]
            assert app.is_running and len(names) <= DEEPEST, f"{sample.name}: {going.done} {names}"
        await settle(pilot)
    # It may have chosen to replace the file: then there is a backup.
    kept = [path for path in folder.rglob("*") if path.is_file()]
    assert any(path.read_bytes() == sample.read_bytes() for path in kept), going.done


def walks(monkeypatch: pytest.MonkeyPatch, seed: int, steps: int) -> None:
    monkeypatch.setenv("EDITOR", "true")
    with own_place(monkeypatch) as folder:
        asyncio.run(walk(Random(seed), folder, steps))


OWN: Any = {"deadline": None, "suppress_health_check": [HealthCheck.function_scoped_fixture]}


@settings(max_examples=3, **OWN)
@given(seed=st.integers(0, 2**32))
def test_nothing_is_too_strange_to_press(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    walks(monkeypatch, seed, 40)


@pytest.mark.slow
@settings(max_examples=20, **OWN)
@given(seed=st.integers(0, 2**32))
def test_long_walks(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    walks(monkeypatch, seed, 150)
