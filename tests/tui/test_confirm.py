"""A question before what cannot be taken back."""

from __future__ import annotations

import pytest
from textual.app import App

from app.tui.screens.confirm import ConfirmScreen
from tests.tui.screen_text import assert_golden, screen_text


class Asking(App[None]):
    answer: bool | None = None

    def on_mount(self) -> None:
        question = ConfirmScreen(
            "Leave? 2 steps are not written [/x] \x1b[2J",
            yes="Leave",
            no="Stay",
            detail="u takes a step back.",
        )
        self.push_screen(question, self.hear)

    def hear(self, answer: bool | None) -> None:
        self.answer = answer


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        (["enter"], False),
        (["escape"], False),
        (["tab", "enter"], True),
        (["right", "space"], True),
        (["right", "right", "space"], True),
        (["right", "left", "left", "space"], False),
        (["tab", "tab", "enter"], False),
    ],
)
async def test_only_the_deed_itself_says_yes(keys: list[str], answer: bool) -> None:
    app = Asking()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*keys)
        assert app.answer is answer


async def test_it_can_be_clicked() -> None:
    app = Asking()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.click("#yes")
        assert app.answer is True


@pytest.mark.parametrize("size", [(80, 24), (120, 36)], ids=str)
async def test_how_it_looks(size: tuple[int, int]) -> None:
    app = Asking()
    async with app.run_test(size=size):
        assert "\x1b" not in screen_text(app)
        assert_golden(app, "confirm")
