"""The program with one screen over a session, without the list of sessions in front."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from textual import events
from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen
from textual.worker import WorkerCancelled

from app.formats.source import BytesSource, Source
from app.opening import Opened
from app.tui.app import HandcompactApp, Opening
from app.workspace import Workspace
from tests.tui.screen_text import screen_text


class OnScreen(HandcompactApp):
    """Opens what `make` gives."""

    def __init__(self, make: Callable[[Opened], Screen[Any]], opened: Opened, *, ascii: bool = False) -> None:  # noqa: A002
        super().__init__(Opening(ascii=ascii))
        self.opened = opened
        self._make = make

    def on_mount(self, event: events.Mount) -> None:  # type: ignore[override]
        event.prevent_default()
        self.push_screen(self._make(self.opened))

    @property
    def workspace(self) -> Workspace:
        return self.opened.workspace


def opened(workspace: Workspace, source: Source | None = None) -> Opened:
    """A workspace as if it had been opened from a file."""
    return Opened(workspace, source or BytesSource(b"", "test.json"))


def kind_of_screen(app: OnScreen) -> type[Screen[Any]]:
    """The class of the screen on top."""
    return type(app.screen)


async def settle(pilot: Pilot[None]) -> str:
    """Wait for all threads and what they told the screen; the screen's text."""
    await pilot.pause()
    while list(pilot.app.workers) or _resting(pilot.app):
        # One that was given up for a newer one is no failure.
        with suppress(WorkerCancelled):
            await pilot.app.workers.wait_for_complete()
        while _resting(pilot.app):
            await pilot.pause(0.01)
        await pilot.pause()
    return screen_text(pilot.app)


def _resting(app: App[None]) -> bool:
    """Whether the detail waits for the cursor to rest, or a file is still to be opened."""
    return any(getattr(app.screen, name, False) for name in ("resting", "opens_first"))


async def press(pilot: Pilot[None], *keys: str) -> str:
    """Press keys one by one, each settled; the screen's text. (`Pilot.press` sleeps after each.)"""
    await settle(pilot)
    for key in keys:
        pilot.app.simulate_key(key)
        await settle(pilot)
    return screen_text(pilot.app)
