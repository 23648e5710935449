"""Whole screens as text: what the compositor would paint, compared with files under `goldens/`.

This is the one place that uses a private part of Textual: its compositor.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from textual.app import App
from textual.strip import Strip

GOLDENS = Path(__file__).parent / "goldens"


def screen_text(app: App[Any]) -> str:
    """The screen of a running app, one line a row, blanks at the right taken off."""
    return "".join(f"{strip.text.rstrip()}\n" for strip in screen_strips(app))


def screen_strips(app: App[Any]) -> Sequence[Strip]:
    """The screen of a running app, one strip a row, in the styles in which it is painted."""
    return app.screen._compositor.render_strips()


def assert_golden(app: App[Any], name: str) -> None:
    """The screen equals `goldens/<name>-<width>x<height>.txt`; UPDATE_GOLDENS=1 writes that file."""
    path = GOLDENS / f"{name}-{app.size.width}x{app.size.height}.txt"
    shown = screen_text(app)
    if os.environ.get("UPDATE_GOLDENS") == "1":
        path.parent.mkdir(exist_ok=True)
        path.write_text(shown, encoding="utf-8")
    assert path.exists(), f"no golden {path.name}: run the tests once with UPDATE_GOLDENS=1 and look at it"
    expected = path.read_text(encoding="utf-8")
    assert shown == expected, f"{path.name} differs; UPDATE_GOLDENS=1 rewrites it\n{shown}"
