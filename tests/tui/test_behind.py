"""What looks at every row of a large session is done behind the screen, and does the same as at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.model import text_of
from app.tui.app import HandcompactApp
from app.tui.screens.busy import BusyScreen
from app.tui.screens.inspect import InspectScreen
from app.tui.screens.parts import background, behind, choices, marking, rows, searching
from app.views.listing import arrange, key_of, shares
from app.views.outlook import Outlook, outlook
from app.work.walk import Told
from app.work.workspace import Workspace
from tests.tui.driving import opening, shows, until
from tests.tui.files import anthropic_file
from tests.tui.on_screen import press, settle
from tests.tui.screen_text import screen_text

LOOKS_AT_ALL = (
    (rows, "arrange"),
    (choices, "shares"),
    (marking, "shares"),
    (marking, "select"),
    (marking, "tokens_of"),
)


@pytest.fixture
def file(tmp_path: Path) -> str:
    return str(anthropic_file(tmp_path))


@pytest.fixture
def in_screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Every session counts as large; the looks at every row that the screen's own thread took."""
    monkeypatch.setattr(behind, "AT_ONCE", 0)
    found: list[str] = []
    main = threading.current_thread()
    for module, name in LOOKS_AT_ALL:
        original = getattr(module, name)

        def looks(*given: Any, _original: Any = original, _name: str = name, **named: Any) -> Any:
            if threading.current_thread() is main:
                found.append(_name)
            return _original(*given, **named)

        monkeypatch.setattr(module, name, looks)
    yield found


def main_screen(app: HandcompactApp) -> InspectScreen:
    assert isinstance(app.screen, InspectScreen)
    return app.screen


def held_back(real: Callable[..., Any]) -> tuple[threading.Event, Callable[..., Any]]:
    """A function that does what `real` does once the event is set."""
    held = threading.Event()

    def slow(*given: Any, **named: Any) -> Any:
        held.wait(5)
        return real(*given, **named)

    return held, slow


async def test_no_key_looks_at_every_row_of_a_large_session(file: str, in_screen: list[str]) -> None:
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        screen = main_screen(app)
        assert "sorted by tokens" in await press(pilot, "S")
        assert screen.rows.cursor == 0
        assert "only regenerable" in await press(pilot, "f", "j", "enter")
        text = await press(pilot, "v", "j", "j", "v")
        assert "3 marked ~" in text
        await press(pilot, "escape", "escape", "S")
        assert len(screen.shown) == len(screen.view_now.items) and not len(screen.marks)
        assert "more marked" in await press(pilot, "M", "j", "j", "j", "enter")
        assert len(screen.marks)
        await press(pilot, "I", "U", "exclamation_mark", "n", "N")
        # A stage is accepted and taken back: the rows are arranged anew each time.
        await press(pilot, "a", "u")
    assert in_screen == []


async def test_the_cursor_stays_on_its_row_while_the_rows_are_sorted_behind_it(
    file: str, in_screen: list[str]
) -> None:
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "S", "j", "j", "j")
        screen = main_screen(app)
        wanted = screen.item
        await press(pilot, "S")
        assert screen.item is wanted and screen.rows.cursor != 3
        assert screen.laid.places[screen.rows.cursor] == screen.rows.cursor
    assert in_screen == []


async def test_escape_gives_up_a_search_which_says_how_far_it_is(
    file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    held, slow = held_back(text_of)
    monkeypatch.setattr(searching, "TELL_SECONDS", 0.0)
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        monkeypatch.setattr("app.tui.screens.parts.searching.text_of", slow)
        screen = main_screen(app)
        screen.find("nowhere")
        while "esc cancels" not in screen_text(app):
            await pilot.pause(0.01)
        pilot.app.simulate_key("escape")
        await pilot.pause(0.05)
        held.set()
        assert "cancelled" in await until(pilot, lambda: True)
        assert screen.is_current and not screen.rows.sought


async def test_it_is_said_at_once_that_many_rows_are_being_sorted(
    file: str, in_screen: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    held, slow = held_back(arrange)
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        monkeypatch.setattr(rows, "arrange", slow)
        await pilot.press("S")
        await pilot.pause(0.05)
        text = screen_text(app)
        held.set()
        assert "sorting ..." in text
        assert "sorted by tokens" in await settle(pilot)


async def test_a_search_finds_its_rows_where_they_stand_once_they_were_sorted_meanwhile(
    file: str, in_screen: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    held, slow = held_back(text_of)
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        monkeypatch.setattr(searching, "text_of", slow)
        screen = main_screen(app)
        held.set()
        screen.find("Question 1")
        await settle(pilot)
        keys = {key_of(screen.shown[row]) for row in screen.rows.matches}
        assert 0 < len(keys) < len(screen.shown)
        held.clear()
        # Another one is looked for while what was found before is still marked.
        screen.find("Question 2")
        screen.find("Question 1")
        before = screen.laid
        await pilot.press("S")
        while screen.laid is before:
            await pilot.pause(0.01)
        held.set()
        text = await settle(pilot)
        assert {key_of(screen.shown[row]) for row in screen.rows.matches} == keys
        assert "'Question 1' " in text and screen.rows.cursor in screen.rows.matches


async def test_what_a_key_did_is_not_talked_over_by_a_search_that_was_done_before(
    file: str, in_screen: list[str]
) -> None:
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        screen = main_screen(app)
        screen.find("Question 1")
        await settle(pilot)
        found = len(screen.rows.matches)
        assert "in file order" in await press(pilot, "S", "S")
        assert len(screen.rows.matches) == found


async def test_keys_wait_for_what_was_asked_for_and_escape_does_without(
    file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    held, slow = held_back(shares)
    monkeypatch.setattr(behind, "AT_ONCE", 0)
    monkeypatch.setattr(choices, "shares", slow)
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        screen = main_screen(app)
        await pilot.press("f", "j", "enter")
        assert shows(app, BusyScreen) and screen.rows.cursor == 0
        assert "adding up ...  esc cancels" in screen_text(app)
        await pilot.press("escape")
        held.set()
        await settle(pilot)
        assert screen.is_current and screen.only is None
        assert "everything" in await press(pilot, "f")


async def test_what_a_dialog_did_not_change_is_not_worked_out_again(
    file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = list[int]()

    def noted(workspace: Workspace, told: Told) -> Outlook:
        looks.append(1)
        return outlook(workspace, told)

    monkeypatch.setattr(background, "outlook", noted)
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "f", "escape", "question_mark", "escape", "enter", "escape", "o", "escape")
        assert len(looks) == 1
        await press(pilot, "p")
        assert len(looks) == 2
