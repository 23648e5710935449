"""The program with one screen over a session, without the list of sessions in front."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from textual import events
from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen
from textual.worker import WorkerCancelled, WorkerFailed

from app.formats.source import BytesSource, Source
from app.opening import Opened
from app.tui.app import HandcompactApp, Opening
from app.work.workspace import Workspace
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
    """Wait for all threads, what they told the screen, and what it paints of that; the screen's text.

    `Pilot.pause` waits until this process uses little time, which on a machine with much else to do
    it does at once. Here nothing may be waiting to be handled, and two looks must show the same.
    """
    before = None
    while True:
        await pilot.pause(0)
        while list(pilot.app.workers) or _resting(pilot.app):
            # One given up for a newer one is no failure; what a failed one means is the app's to say.
            with suppress(WorkerCancelled, WorkerFailed):
                await pilot.app.workers.wait_for_complete()
            await pilot.pause(0.01 if _resting(pilot.app) else 0)
        shown = screen_text(pilot.app)
        if shown == before and not _unhandled(pilot.app):
            return shown
        before = shown


def _unhandled(app: App[None]) -> int:
    """Messages that nobody has handled yet."""
    nodes = app.screen.walk_children(with_self=True)
    return app.message_queue_size + sum(node.message_queue_size for node in nodes)


def _resting(app: App[None]) -> bool:
    """Whether the detail waits for the cursor to rest, or a file is still to be opened."""
    names = ("resting", "opens_first")
    return any(getattr(screen, name, False) for screen in app.screen_stack for name in names)


async def press(pilot: Pilot[None], *keys: str) -> str:
    """Press keys one by one, each settled; the screen's text. (`Pilot.press` sleeps after each.)"""
    await settle(pilot)
    for key in keys:
        pilot.app.simulate_key(key)
        await settle(pilot)
    return screen_text(pilot.app)
