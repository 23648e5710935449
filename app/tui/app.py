"""The Textual application: theme, glyphs, preferences, first screen. Session state is in the Workspace."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from rich.console import Console
from textual.app import SystemCommand
from textual.binding import BindingType
from textual.constants import DEFAULT_THEME
from textual.screen import Screen
from textual.scrollbar import ScrollBar
from textual.theme import BUILTIN_THEMES

from app.display import ASCII, Glyphs, glyphs_for, safe_text
from app.settings import FIRST, Preferences, load_preferences, save_preferences
from app.tui.error_guard import GuardedApp
from app.tui.keys import KeyScope, bindings, keys_of
from app.tui.responsive import favour_screen
from app.tui.screens.base import BaseScreen, WorkScreen
from app.tui.screens.sessions import SessionsScreen
from app.tui.signals import when_told_to_end
from app.tui.widgets.scroll_bar import scroll_bar_for

if TYPE_CHECKING:
    from app.tui.screens.parts.unsaved_steps import KeepsSteps


@dataclass(frozen=True, slots=True)
class Opening:
    """The options given on the command line."""

    file: str | None = None
    leaf: str | None = None
    pipeline: str = FIRST
    settings: tuple[str, ...] = ()
    ascii: bool = False
    theme: str | None = None
    keep_counts: bool = True
    """Whether counts of earlier runs are used and new ones kept."""


class HandcompactApp(GuardedApp):
    """`handcompact [PATH]`."""

    TITLE = "handcompact"
    BINDINGS: ClassVar[list[BindingType]] = bindings(KeyScope.ANY)
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 (Textual's form)
    VERTICAL_BREAKPOINTS = [(0, "-low"), (22, "-middle"), (28, "-high")]  # noqa: RUF012

    def __init__(self, opening: Opening) -> None:
        preferences = load_preferences()
        theme = _first_theme(opening, preferences)
        # Textual's NO_COLOR filter turns the terminal's own colours into black on black.
        only_its_own = BUILTIN_THEMES[theme].ansi and "NO_COLOR" in os.environ
        super().__init__(ansi_color=only_its_own or None)
        self.opening = opening
        self.preferences = preferences
        self.theme = theme
        ascii_only = opening.ascii or self.preferences.ascii
        # Read now: while the app runs, sys.stdout is Textual's replacement, which has no encoding.
        self._signs = glyphs_for(os.environ, sys.stdout.encoding)
        self.glyphs: Glyphs = ASCII if ascii_only else self._signs
        ScrollBar.renderer = scroll_bar_for(self.glyphs)

    def on_mount(self) -> None:
        favour_screen()
        when_told_to_end(lambda code: self.exit(return_code=code))
        self.push_screen(SessionsScreen(self.opening))
        self.watch(self, "theme", self._keep_theme, init=False)

    # Preferences

    def prefer(self, **changes: Any) -> None:
        """Change preferences and save them."""
        self.preferences = replace(self.preferences, **changes)
        save_preferences(self.preferences)

    def _keep_theme(self, theme: str) -> None:
        self.prefer(theme=theme)

    def action_toggle_ascii(self) -> None:
        self.prefer(ascii=self.glyphs is not ASCII)
        self.glyphs = ASCII if self.preferences.ascii else self._signs
        ScrollBar.renderer = scroll_bar_for(self.glyphs)
        for screen in self.screen_stack:
            if isinstance(screen, BaseScreen):
                screen.draw_with(self.glyphs)

    # Common to all screens

    def say(self, text: str, *, warning: bool = False) -> None:
        """Show a notification; the text is made safe and is never parsed as markup."""
        shown = safe_text(text, self.glyphs)
        self.notify(shown, markup=False, severity="warning" if warning else "information")

    def action_help(self) -> None:
        from app.tui.screens.help import HelpScreen

        screen = self.screen
        if isinstance(screen, BaseScreen) and not isinstance(screen, HelpScreen):
            self.push_screen(HelpScreen(screen.WHERE))

    async def begin_anew(self, works: Sequence[KeepsSteps]) -> None:
        while len(self.screen_stack) > 1:
            self.pop_screen()
        # Each screen is fully mounted before the next is pushed.
        await self.push_screen(SessionsScreen(replace(self.opening, file=None)))
        for work in works:
            await self.push_screen(work.again())

    def action_leave(self) -> None:
        if not any(isinstance(screen, WorkScreen) for screen in self.screen_stack):
            self.exit()
            return
        from app.tui.screens.parts.unsaved_steps import KeepsSteps, ask_to_leave

        screens = [screen for screen in self.screen_stack if isinstance(screen, KeepsSteps)]
        ask_to_leave(self, screens, self.exit, verb="Quit")

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """The command palette: every action of the current screen."""
        for key in keys_of(getattr(screen, "WHERE", KeyScope.ANY)):
            if key.action not in ("jump_stage", "app.command_palette"):
                yield SystemCommand(key.label, key.about, lambda action=key.action: self._run(action, screen))

    def action_help_quit(self) -> None:
        """Answer ctrl+c, which many press to leave."""
        self.say("ctrl+q quits; so does q outside text fields")

    def _run(self, action: str, screen: Screen[object]) -> None:
        self.call_later(self.run_action, action, screen)


def _first_theme(opening: Opening, preferences: Preferences) -> str:
    """The initial theme: the one requested, else the one the terminal needs, else the last one chosen."""
    wanted = (opening.theme, _of_few_colours(preferences), preferences.theme)
    return next((name for name in wanted if name in BUILTIN_THEMES), DEFAULT_THEME)


def _of_few_colours(preferences: Preferences) -> str | None:
    """The theme for a terminal of 16 colours, where other themes dim text into its background colour."""
    if Console(force_terminal=True, legacy_windows=False).color_system != "standard":
        return None
    return "ansi-light" if "light" in (preferences.theme or "") else "ansi-dark"
