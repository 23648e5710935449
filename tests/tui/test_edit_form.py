"""Options of a hand edit in a form: what it would do is shown while they are changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.model import ToolResult, blocks_of, text_of
from app.tui.app import HandcompactApp
from app.tui.screens.confirm import ConfirmScreen
from app.tui.screens.edit_form import EditScreen
from app.tui.screens.inspect import InspectScreen
from app.tui.widgets.text_pane import TextPane
from app.work.workspace import Workspace
from tests.tui.driving import opening, shows
from tests.tui.edit_forms import field
from tests.tui.files import anthropic_file
from tests.tui.on_screen import press, settle
from tests.tui.screen_text import assert_golden, screen_text

TO_RESULT = ("j", "j", "j")


@pytest.fixture
def app(tmp_path: Path) -> HandcompactApp:
    return HandcompactApp(opening(anthropic_file(tmp_path)))


def workspace(app: HandcompactApp) -> Workspace:
    return next(s for s in app.screen_stack if isinstance(s, InspectScreen)).workspace


def result_text(app: HandcompactApp) -> str:
    blocks = [block for _, block in blocks_of(workspace(app).messages)]
    return text_of(next(block for block in blocks if isinstance(block, ToolResult)))


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_how_it_looks(app: HandcompactApp, size: tuple[int, int]) -> None:
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, *TO_RESULT, "t")
        assert_golden(app, "edit-form")


async def test_in_ascii_it_is_ascii(tmp_path: Path) -> None:
    app = HandcompactApp(opening(anthropic_file(tmp_path), ascii=True))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert (await press(pilot, *TO_RESULT, "t")).isascii()


async def test_what_it_would_do_follows_the_fields_and_nothing_is_done_yet(app: HandcompactApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        text = await press(pilot, *TO_RESULT, "t")
        assert "1 block: ~1,719 → ~" in text and "window   ~22,104 → ~" in text
        more = await press(pilot, "2", "tab", "1")
        assert more != text and "middle pruned" in more
        assert not workspace(app).history.done
        pane = app.screen.query_one("#text", TextPane)
        assert pane.sought and "pruned" in screen_text(app)


async def test_a_value_that_does_not_fit_is_said_in_its_place_and_not_done(app: HandcompactApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, *TO_RESULT, "t")
        field(app, "head").value = "-4"
        text = await settle(pilot)
        assert "cut.head must" in text and "window" not in text
        assert "cut.head must" in (await press(pilot, "ctrl+s")).splitlines()[-2]
        assert shows(app, EditScreen)
        await press(pilot, "ctrl+r")
        assert field(app, "head").value == "20" and "window   ~22,104" in await settle(pilot)
        assert "reset to the default values" in await press(pilot, "ctrl+r")


async def test_an_edit_that_changes_nothing_says_why_in_the_form(app: HandcompactApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, *TO_RESULT, "t")
        field(app, "head").value = "500"
        assert "why not  !   nothing in it is longer than what would be kept" in await settle(pilot)
        await press(pilot, "ctrl+s")
        assert shows(app, EditScreen) and not workspace(app).history.done


async def test_enter_in_a_field_and_the_button_do_it_and_escape_does_not(app: HandcompactApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, *TO_RESULT, "t", "escape")
        assert shows(app, InspectScreen) and not workspace(app).history.done
        assert "cut 1 block" in await press(pilot, "t", "3", "enter")
        assert "[... tool result middle pruned ...]" in result_text(app)
        await press(pilot, "u", "t")
        await pilot.click("#apply")
        assert "cut 1 block" in await settle(pilot)


async def test_a_placeholder_says_what_the_person_noted(app: HandcompactApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, *TO_RESULT, "D", "j", "j", "enter")
        field(app, "note").value = "the parser, nothing new"
        assert "the parser, nothing new" in await settle(pilot)
        await press(pilot, "ctrl+s")
        want = "[Old tool result content cleared] tool=Read src/f0.py the parser, nothing new"
        assert result_text(app) == want


async def test_own_words_are_asked_for_from_the_form(app: HandcompactApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, *["j"] * 8, "D", *["j"] * 12, "enter")
        assert "asks" in screen_text(app) and "of yours would be removed" in screen_text(app)
        await press(pilot, "ctrl+s")
        assert shows(app, ConfirmScreen)
        await press(pilot, "enter")
        assert shows(app, EditScreen) and not workspace(app).history.done
