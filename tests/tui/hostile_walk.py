"""Walks through the program on a real terminal: every key of every screen that can be reached.

`python -m tests.tui.hostile_walk FILE SEEN [full]` opens a session and writes to SEEN which screens it met.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any, Final

from textual import events
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input

from app.tui.app import HandcompactApp, Opening
from app.tui.keys import BARS, Key, KeyScope, keys_of
from app.tui.screens.base import BaseScreen
from app.tui.screens.choose import ChooseScreen
from app.tui.widgets.controls import PushButton
from app.tui.widgets.line_view import LineView
from tests.hostile import HOSTILE
from tests.tui.on_screen import press, settle

LEFT_OUT: Final = frozenset({"close", "clear", "quit", "palette", "theme", "reload", "field", "field-back"})
"""Keys that lead out, or into screens that are Textual's own."""
BRIEF: Final = frozenset({"filter", "branch", "save-text", "copy"}).union(*BARS.values())
"""Keys that a short walk presses: those that screens show in their last line, and some that ask."""
MOVES: Final = ("G", "up", "pageup", "g", "down")


class Walk:
    """A walk through screens, deepest first, each kind once."""

    def __init__(self, pilot: Pilot[None], *, full: bool) -> None:
        self.pilot = pilot
        self.app: HandcompactApp = pilot.app  # type: ignore[assignment]
        self.full = full
        self.seen: list[str] = []
        self._pressed: set[tuple[str, str]] = set()

    async def begin(self) -> None:
        """Wait for the session, and go from its screen; then look at the list of sessions and the menu."""
        while getattr(self.app.screen, "WHERE", None) is not KeyScope.INSPECT:
            await settle(self.pilot)
            await asyncio.sleep(0.02)
        await self.go(self.app.screen)
        await press(self.pilot, "ctrl+p", "down", "down", "escape")
        while len(self.app.screen_stack) > 2:
            self.app.pop_screen()
        await settle(self.pilot)
        await self.go(self.app.screen)
        self.app.say(HOSTILE, warning=True)
        await settle(self.pilot)

    async def go(self, screen: Screen[Any]) -> None:
        """Press every key of a screen that was not pressed yet, and go through what opens."""
        name = type(screen).__name__
        if name not in self.seen:
            self.seen.append(name)
            await self._look_around(screen)
        for key in self._keys(screen):
            # A key may close its screen: the next time it opens the walk goes on behind that key.
            while screen in self.app.screen_stack and self._is_new(name, key.id):
                await self._press_key(screen, key)
        for button in reversed(list(screen.query(PushButton))):
            leads_out = button.id in ("cancel", "close", "no")
            if screen.is_current and button in screen.focus_chain and not leads_out:
                button.focus()
                await press(self.pilot, "enter")
                await self._come_back(screen)

    def _keys(self, screen: Screen[Any]) -> tuple[Key, ...]:
        if not isinstance(screen, BaseScreen):
            return ()
        keys = [key for key in keys_of(screen.WHERE) if self.full or key.id in BRIEF]
        # First the diff: a change that was refused, or a pinned block, has none.
        return tuple(sorted(keys, key=lambda key: key.id != "diff"))

    def _is_new(self, name: str, key: str) -> bool:
        if key in LEFT_OUT or (name, key) in self._pressed:
            return False
        self._pressed.add((name, key))
        return True

    async def _press_key(self, screen: Screen[Any], key: Key) -> None:
        for _ in range(3):
            pressed = len(self._pressed)
            await (press(self.pilot, key.keys.split(",")[0]) if key.keys else screen.run_action(key.action))
            await self._come_back(screen)
            if len(self._pressed) == pressed or not screen.is_current:
                return

    async def _look_around(self, screen: Screen[Any]) -> None:
        if isinstance(screen.focused, LineView):
            await press(self.pilot, *MOVES)
        if self.full:
            await self._read_all(screen)
        if isinstance(screen, ChooseScreen):
            await press(self.pilot, "down", "enter")

    async def _read_all(self, screen: Screen[Any]) -> None:
        """Page through what is shown from its start to its end."""
        view = screen.focused
        while isinstance(view, LineView) and view.is_attached and round(view.scroll_y) < view.max_scroll_y:
            before = view.scroll_y
            await press(self.pilot, "pagedown")
            if view.scroll_y == before:
                break

    async def _come_back(self, screen: Screen[Any]) -> None:
        """Answer what a key asked for, look at what it opened, and close that."""
        await settle(self.pilot)
        field = self.app.focused
        if screen.is_current and screen.has_class("-asking") and isinstance(field, Input):
            field.post_message(events.Paste(HOSTILE))
            await press(self.pilot, "enter")
        for _ in range(9):
            top = self.app.screen
            if top is screen or screen not in self.app.screen_stack:
                return
            await self.go(top)
            if self.app.screen is top:
                await press(self.pilot, "escape")
            if self.app.screen is top:
                self.app.pop_screen()
                await settle(self.pilot)


def main(file: str, seen: str, *options: str) -> None:
    """Walk, and end."""
    settings = ("tool_result_budget.max_result_chars=1000", "microcompact.max_total_chars=1000")
    app = HandcompactApp(Opening(file=file, pipeline="react-mini", settings=settings))

    async def walk(pilot: Pilot[Any]) -> None:
        going = Walk(pilot, full="full" in options)
        await going.begin()
        Path(seen).write_text("\n".join(going.seen), "utf-8")
        app.exit()

    app.run(auto_pilot=walk)


if __name__ == "__main__":
    main(*sys.argv[1:])
