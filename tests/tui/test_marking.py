"""Marking rows on the main screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.tui.app import HandcompactApp
from app.tui.screens.inspect import InspectScreen
from app.work.rows import BlockRow
from tests.tui.driving import opening, shows, type_in
from tests.tui.files import anthropic_file
from tests.tui.on_screen import press, settle
from tests.tui.screen_text import assert_golden


@pytest.fixture
def file(tmp_path: Path) -> str:
    return str(anthropic_file(tmp_path))


def marked(app: HandcompactApp) -> tuple[str, ...]:
    assert isinstance(app.screen, InspectScreen)
    return app.screen.marks.keys


async def test_space_marks_a_row_goes_on_and_the_status_line_counts(file: str) -> None:
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "j", "j", "j", "space", "space")
        assert_golden(app, "marks")
        assert len(marked(app)) == 2
        await press(pilot, "k", "space")
        assert len(marked(app)) == 1


async def test_a_range_grows_and_shrinks_with_the_cursor_until_it_is_ended(file: str) -> None:
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        text = await press(pilot, "v", "j", "j", "j", "k")
        assert "range: 3 marked" in text
        text = await press(pilot, "v", "j")
        assert "3 marked" in text and "range" not in text
        assert "no rows are marked" in await press(pilot, "U")
        assert not marked(app)
        await press(pilot, "shift+down", "shift+down")
        assert len(marked(app)) == 3


async def test_a_pin_holds_all_marked_rows_and_lets_go_of_all(file: str) -> None:
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "p", "j", "v", "j", "j", "v", "k", "k", "space")
        text = await press(pilot, "p")
        assert isinstance(app.screen, InspectScreen)
        pins = app.screen.workspace.state.pins
        assert "2 rows pinned: stages leave them alone" in text and len(marked(app)) == 2
        assert set(marked(app)) < pins and len(pins) == 3
        assert "2 rows unpinned" in await press(pilot, "p")
        assert len(app.screen.workspace.state.pins) == 1
        await press(pilot, "u")
        assert app.screen.workspace.state.pins == pins


async def test_what_was_said_before_does_not_stand_beside_marks(file: str) -> None:
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "no rows are marked" in await press(pilot, "U")
        text = await press(pilot, "v")
        assert "range: 1 marked" in text and "no rows are marked" not in text


async def test_marks_stay_on_their_rows_through_sorting_and_filtering(file: str) -> None:
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "j", "j", "j", "space")
        before = marked(app)
        text = await press(pilot, "S", "f", "j", "enter")
        assert "only regenerable" in text and "1 marked" in text
        assert marked(app) == before
        assert sum(line[1:2] == "+" for line in text.splitlines()) == 1


@pytest.mark.parametrize(
    ("choice", "word", "rows"),
    [("older than", "11", 5), ("larger than", "1,000", 12), ("path matching", "f1?.py", 4)],
)
async def test_rows_are_marked_by_what_they_are(file: str, choice: str, word: str, rows: int) -> None:
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        lines = (await press(pilot, "M")).splitlines()
        first = next(place for place, line in enumerate(lines) if "older than" in line)
        place = next(place for place, line in enumerate(lines) if choice in line) - first
        await press(pilot, *["j"] * place, "enter")
        text = await type_in(pilot, word)
        assert f"{rows} rows more marked" in text and len(marked(app)) == rows


async def test_the_hits_of_a_search_can_be_marked_and_a_word_for_a_number_is_refused(file: str) -> None:
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "slash")
        await type_in(pilot, "Answer 1")
        assert "matches of 'Answer 1'" in await press(pilot, "M", "j", "j", "j")
        await press(pilot, "enter")
        assert len(marked(app)) == 3
        await press(pilot, "M", "enter")
        assert "expected a whole number, not 'all'" in await type_in(pilot, "all")


async def test_inverting_and_escape(file: str) -> None:
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        text = await press(pilot, "space", "I")
        assert "59 marked" in text
        await press(pilot, "escape")
        assert shows(app, InspectScreen) and not marked(app)
        assert "space marks one" in await press(pilot, "U")


async def test_sorted_by_tokens_the_cursor_stays_at_its_place_when_its_row_sinks(tmp_path: Path) -> None:
    app = HandcompactApp(opening(anthropic_file(tmp_path)))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "S", "j", "j")
        screen = app.screen
        assert isinstance(screen, InspectScreen) and isinstance(screen.item, BlockRow)
        cleared, after = screen.item, screen.shown[3]
        text = await press(pilot, "c")
        assert screen.rows.cursor == 2 and screen.item is after
        assert "clear 1 block" in text and "u undoes it" in text
        await press(pilot, "u")
        assert screen.rows.cursor == 2 and screen.item is cleared


async def test_while_rows_are_marked_the_last_line_says_what_can_be_done_to_them(tmp_path: Path) -> None:
    app = HandcompactApp(opening(anthropic_file(tmp_path)))
    async with app.run_test(size=(80, 24)) as pilot:
        plain = (await settle(pilot)).splitlines()[-1]
        bar = (await press(pilot, "j", "j", "j", "space")).splitlines()[-1]
        assert bar == " space Mark  x Drop  c Clear  t Cut  D Edits  I Invert  U Unmark  ? Help"
        assert (await press(pilot, "U")).splitlines()[-1] == plain
        await press(pilot, "k", "k", "space")
        # The bar's keys can be pressed with the mouse, too.
        await pilot.click("KeyBar", offset=(15, 0))
        assert "drop " in await settle(pilot)
