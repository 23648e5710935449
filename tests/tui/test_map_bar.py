"""The map over the list says by height and by sign what it says in colour, and goes where it is clicked."""

from __future__ import annotations

from array import array
from itertools import accumulate
from pathlib import Path

import pytest

from app.display import ASCII
from app.tui.app import HandcompactApp
from app.tui.screens.inspect import InspectScreen
from app.tui.widgets.map_bar import LABEL, MapBar
from app.views.session_map import SessionMap, SliceKind
from tests.tui.driving import opening
from tests.tui.files import anthropic_file
from tests.tui.on_screen import press, settle
from tests.tui.one_widget import OneWidget
from tests.tui.screen_text import assert_golden, screen_text

SAMPLE = Path(__file__).parents[2] / "sample_sessions" / "claude-code-long.jsonl"


def some_map() -> SessionMap:
    """Old rows, a boundary, then of every sort some, the larger the later; cut at the tenth row."""
    rows = [(SliceKind.UNSENT, 100)] * 6 + [
        (sort, 100 * n) for n, sort in enumerate(list(SliceKind)[:-1] * 8)
    ]
    sums = (accumulate((n if sort is each else 0 for sort, n in rows), initial=0) for each in SliceKind)
    return SessionMap(tuple(array("q", column) for column in sums), (6,), first_changed=9, frozen_end=8)


@pytest.mark.parametrize("height", [1, 2])
@pytest.mark.parametrize("ascii_only", [False, True])
async def test_how_it_looks(height: int, ascii_only: bool) -> None:
    bar = MapBar(some_map(), glyphs=ASCII) if ascii_only else MapBar(some_map())
    bar.styles.height = height
    bar.here = 20
    app = OneWidget(bar)
    async with app.run_test(size=(80, 3)) as pilot:
        await pilot.pause()
        assert screen_text(app).isascii() is ascii_only
        assert_golden(app, f"map-{height}{'-ascii' if ascii_only else ''}")


async def test_an_empty_one_is_only_its_name() -> None:
    app = OneWidget(MapBar())
    async with app.run_test(size=(80, 3)) as pilot:
        await pilot.pause()
        assert screen_text(app).split() == ["Map"]


def bar_of(app: HandcompactApp) -> MapBar:
    assert isinstance(app.screen, InspectScreen)
    return app.screen.query_one(MapBar)


@pytest.mark.parametrize(("rows", "height"), [(21, 0), (22, 1), (27, 1), (28, 2)])
async def test_it_gives_way_to_the_list_on_a_low_terminal(tmp_path: Path, rows: int, height: int) -> None:
    app = HandcompactApp(opening(anthropic_file(tmp_path)))
    async with app.run_test(size=(80, rows)) as pilot:
        await settle(pilot)
        assert bar_of(app).size.height == height


async def test_a_click_goes_to_the_largest_row_there_and_says_what_it_holds() -> None:
    app = HandcompactApp(opening(SAMPLE))
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        bar, screen = bar_of(app), app.screen
        assert isinstance(screen, InspectScreen)
        last = bar.size.width - 2
        await pilot.click(MapBar, offset=(last, 0))
        text = await settle(pilot)
        assert "mostly regenerable" in text and "#140" in text
        assert screen.item is not None and bar.here == screen.rows.cursor
        # In another order, and behind a filter, it goes to the same row.
        wanted = screen.item
        await press(pilot, "S", "j", "j")
        await pilot.click(MapBar, offset=(last, 0))
        await settle(pilot)
        assert screen.item is wanted
        assert bar.here is not None and screen.view_now.items[bar.here] is wanted
        await press(pilot, "f", *"jjj", "enter")
        await pilot.click(MapBar, offset=(len(LABEL), 0))
        assert "hidden by the filter" in await settle(pilot)


async def test_where_the_cache_breaks_is_a_sign_of_its_own(tmp_path: Path) -> None:
    app = HandcompactApp(opening(anthropic_file(tmp_path)))
    async with app.run_test(size=(80, 24)) as pilot:
        before = (await settle(pilot)).splitlines()[3]
        assert ">" not in before
        after = (await press(pilot, "j", "j", "j", "c")).splitlines()[3]
        assert after.count(">") == 1
        assert (await press(pilot, "u")).splitlines()[3] == before
