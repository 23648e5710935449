"""A short list to choose one thing from."""

from __future__ import annotations

import pytest
from textual.widgets import OptionList

from app.tui.screens.choose import Choice, ChooseScreen
from tests.tui.frames import Frames
from tests.tui.on_screen import settle
from tests.tui.screen_text import screen_text

CHOICES = (
    Choice("drop", "~33k tokens", "takes the rows out"),
    Choice("a long label " * 12, "5 blocks", "cuts the middle out"),
    Choice("a [/x] and an \x1b[2J " * 8, about="saves it"),
)


class Choosing(Frames):
    """Asks at once; `answer` is what was chosen."""

    answer: int | None = None

    def ask(self, current: int | None = None) -> None:
        self.push_screen(ChooseScreen("Which?", CHOICES, current=current), self.hear)

    def hear(self, answer: int | None) -> None:
        self.answer = answer


@pytest.mark.parametrize("current", [None, 2])
async def test_its_first_frame_is_whole(current: int | None) -> None:
    app = Choosing()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        app.frames.clear()
        app.ask(current)
        shown = await settle(pilot)
        assert ("takes the rows out" if current is None else "saves it") in shown
        assert app.frames == [shown]


async def test_a_line_stays_one_whatever_the_width_and_the_note_is_never_cut() -> None:
    app = Choosing()
    async with app.run_test(size=(80, 24)) as pilot:
        app.ask()
        await settle(pilot)
        for width in (80, 60, 120):
            await pilot.resize_terminal(width, 24)
            shown = await settle(pilot)
            assert shown.count("5 blocks") == 1 and shown.count("a long label") > 0
            assert app.screen.query_one(OptionList).size.height == len(CHOICES)
            assert "\x1b" not in screen_text(app)


async def test_a_label_that_is_cut_stands_below_in_whole() -> None:
    app = Choosing()
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(ChooseScreen("Which?", [Choice("short"), Choice(f"keep all {'x' * 60} end")]))
        assert "end" not in await settle(pilot)
        await pilot.press("down")
        assert " end " in await settle(pilot)


async def test_the_sign_and_the_words_below_go_with_the_cursor() -> None:
    app = Choosing()
    async with app.run_test(size=(80, 24)) as pilot:
        app.ask()
        await settle(pilot)
        for key, sign, words in (
            ("j", "> a long", "cuts"),
            ("down", "> a [/x]", "saves"),
            ("k", "> a long", "cuts"),
        ):
            await pilot.press(key)
            shown = await settle(pilot)
            assert sign in shown and words in shown and shown.count("> ") == 1
        await pilot.press("enter")
        assert app.answer == 1
