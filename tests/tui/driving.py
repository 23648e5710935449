"""Opening a file as the command line does, and typing into the prompt."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input

from app.tui.app import HandcompactApp, Opening
from tests.tui.on_screen import press, settle
from tests.tui.screen_text import screen_text


def opening(file: str | Path, *, ascii: bool = False, theme: str | None = None) -> Opening:  # noqa: A002
    """What the command line would give for a file, with the pipeline that these tests know."""
    return Opening(file=str(file), pipeline="react-mini", ascii=ascii, theme=theme)


def shows(app: HandcompactApp, kind: type[Screen[Any]]) -> bool:
    """Whether a screen of this kind is on top."""
    return isinstance(app.screen, kind)


async def type_in(pilot: Pilot[None], text: str) -> str:
    """Type a whole text at once into the field that has the focus, and press enter."""
    field = pilot.app.focused
    assert isinstance(field, Input)
    field.value = text
    return await press(pilot, "enter")


async def until(pilot: Pilot[None], seen: Callable[[], bool]) -> str:
    """Wait until something is so, however slow the machine is; the screen's text."""
    for _ in range(100):
        text = await settle(pilot)
        if seen():
            return text
    raise AssertionError(f"it did not happen:\n{screen_text(pilot.app)}")
