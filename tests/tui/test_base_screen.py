"""What every screen does: keys that answer, search, the key bar, and a word when there is no room."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.app import App
from textual.widget import Widget

from app.tui.keys import KeyScope
from app.tui.screens.base import BaseScreen, acts
from app.tui.widgets.text_pane import TextPane
from tests.tui.screen_text import screen_text


class Reading(BaseScreen):
    WHERE: ClassVar[KeyScope] = KeyScope.TEXT
    wrapped = 0
    closed = 0

    def body(self) -> Iterable[Widget]:
        yield TextPane("one\ntwo\nthree [/x] \x1b]52;c;eA==\x07\ntwo again")

    def header(self) -> str:
        return "reading [/x] \x1b[2J"

    def why_not(self, action: str) -> str | None:
        return "there is no raw record" if action == "raw" else None

    @acts
    def action_raw(self) -> None:
        raise AssertionError("a key that cannot act must not act")

    @acts
    def action_wrap(self) -> None:
        self.wrapped += 1

    @acts
    def action_close(self) -> None:
        self.closed += 1


class OneScreen(App[None]):
    def on_mount(self) -> None:
        self.push_screen(Reading())


async def test_a_key_that_cannot_act_says_why() -> None:
    app = OneScreen()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("R")
        assert "there is no raw record" in screen_text(app)
        await pilot.press("w")
        assert isinstance(app.screen, Reading) and app.screen.wrapped == 1


async def test_a_key_of_another_screen_says_where_it_acts() -> None:
    app = OneScreen()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("F")
        assert "F belongs to the stage stepper (Refused); ? lists" in screen_text(app)
        await pilot.press("K", "left")
        assert "F belongs to" in screen_text(app), "what is a key nowhere, or moves the text, says nothing"
        await pilot.press("slash", "F", "c")
        assert " belongs to " not in screen_text(app).splitlines()[-2]
        await pilot.press("escape", "R")
        assert "there is no raw record" in screen_text(app)


async def test_the_header_is_one_safe_line_and_the_key_bar_the_last() -> None:
    app = OneScreen()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        lines = screen_text(app).splitlines()
        assert len(lines) == 24
        assert lines[0].strip() == "reading [/x] ␛[2J"
        assert lines[-1].startswith(" w Wrap  R Raw  y Copy  / Find  esc Close")
        assert "\x1b" not in "".join(lines) and "three [/x] ␛]52" in "".join(lines)


async def test_a_click_on_the_key_bar_presses_the_key() -> None:
    app = OneScreen()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.click(offset=(3, 23))
        assert isinstance(app.screen, Reading) and app.screen.wrapped == 1


async def test_search_finds_goes_on_and_is_given_up_with_escape() -> None:
    app = OneScreen()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("slash", *"two", "enter")
        assert "'two' 1 of 2" in screen_text(app)
        await pilot.press("n")
        assert "'two' 2 of 2" in screen_text(app)
        await pilot.press("slash", *"zebra", "enter")
        assert "no match for 'zebra'" in screen_text(app)
        await pilot.press("slash", "escape")
        view = app.screen.query_one(TextPane)
        assert view.sought == "" and view.has_focus
        assert isinstance(app.screen, Reading) and app.screen.closed == 0
        await pilot.press("escape")
        assert app.screen.closed == 1


async def test_too_small_a_terminal_is_told_the_size_that_is_needed() -> None:
    app = OneScreen()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.resize_terminal(50, 12)
        await pilot.pause()
        assert screen_text(app).strip() == "50x12 is too small: at least 60x16 is needed"
        await pilot.resize_terminal(60, 16)
        await pilot.pause()
        assert "two again" in screen_text(app)
