"""The screens' application: theme, glyphs, first screen. State lives in the Workspace, never here."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from textual.app import App, SystemCommand
from textual.binding import BindingType
from textual.screen import Screen

from app.display import ASCII, Glyphs, glyphs_for, safe_text
from app.tui.keys import Where, bindings, keys_of


@dataclass(frozen=True, slots=True)
class Opening:
    """What was asked for on the command line."""

    file: str | None = None
    leaf: str | None = None
    pipeline: str = ""
    settings: tuple[str, ...] = ()
    ascii: bool = False
    theme: str | None = None


class HandcompactApp(App[None]):
    """`handcompact [PATH]`."""

    TITLE = "handcompact"
    BINDINGS: ClassVar[list[BindingType]] = bindings(Where.ANY)
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 (Textual's form)
    ENABLE_COMMAND_PALETTE = True

    def __init__(self, opening: Opening) -> None:
        super().__init__()
        self.opening = opening
        self.glyphs: Glyphs = ASCII if opening.ascii else glyphs_for(os.environ, sys.stdout.encoding)

    def say(self, text: str, *, warning: bool = False) -> None:
        """A short message, made safe and never read as markup."""
        self.notify(safe_text(text), markup=False, severity="warning" if warning else "information")

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Every action of the present screen, by name."""
        where = getattr(screen, "WHERE", Where.ANY)
        for key in keys_of(where):
            if key.action != "jump_stage":
                yield SystemCommand(key.label, key.about, lambda action=key.action: self._run(action, screen))

    def _run(self, action: str, screen: Screen[object]) -> None:
        self.call_later(self.run_action, action, screen)
