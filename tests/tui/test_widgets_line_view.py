"""Moving, searching and selecting work the same in everything long."""

from __future__ import annotations

import asyncio
import statistics
import time

from rich.segment import Segment
from textual.events import Key
from textual.geometry import Region
from textual.strip import Strip

from app.display import ASCII
from app.tui.widgets.line_view import CACHED_ROWS, LineView
from tests.tui.one_widget import OneWidget
from tests.tui.screen_text import screen_text


class Numbers(LineView):
    """Rows that say their number, with every tenth a stop; counts how often a row was painted."""

    HEADER_ROWS = 1
    count = 100
    width = 0
    painted = 0

    @property
    def row_count(self) -> int:
        return self.count

    def row_strip(self, index: int) -> Strip:
        self.painted += 1
        return Strip([Segment(f"row {index}" + "." * self.width, self.base_style)])

    def row_width(self) -> int:
        return self.width and self.width + 10

    def header_strip(self, y: int) -> Strip:
        return Strip([Segment("header", self.base_style)])

    def stops(self) -> list[int]:
        return list(range(0, self.count, 10))


async def test_keys_move_the_cursor_and_the_view_follows() -> None:
    app = OneWidget(view := Numbers())
    async with app.run_test(size=(40, 11)) as pilot:
        await pilot.pause()
        app.press("j", "down", "k", "pagedown", "ctrl+d", "G", "end", "up", "pageup", "ctrl+u", "g", "k")
        await pilot.pause()
        rows = [int(line.removeprefix("moved ")) for line in app.heard]
        assert rows == [1, 2, 1, 11, 16, 99, 98, 88, 83, 0]
        assert view.cursor == 0
        app.press("G")
        await pilot.pause()
        lines = screen_text(app).splitlines()
        assert (lines[0], lines[1].rstrip(" ▁▂▃▄▅▆▇█"), lines[-1]) == ("header", " row 90", ">row 99")


async def test_a_click_moves_and_a_double_click_opens() -> None:
    app = OneWidget(view := Numbers())
    async with app.run_test(size=(40, 11)) as pilot:
        await pilot.pause()
        app.press("pagedown", "pagedown")
        await pilot.pause()
        app.heard.clear()
        await pilot.click(offset=(5, 3))
        assert view.cursor == 13
        await pilot.click(offset=(5, 0))
        assert view.cursor == 13
        await pilot.double_click(offset=(5, 4))
        assert app.heard == ["moved 13", "moved 14", "opened 14"]
        assert not app.screen.selections
        app.press("enter")
        await pilot.pause()
        assert app.heard[-1] == "opened 14"


async def test_an_empty_view_takes_every_key() -> None:
    view = Numbers()
    view.count = 0
    app = OneWidget(view)
    async with app.run_test(size=(40, 11)) as pilot:
        app.press("j", "k", "G", "g", "pagedown", "ctrl+u", "enter", "n", "N")
        await pilot.pause()
        await pilot.click(offset=(5, 3))
        assert view.cursor == 0
        assert app.heard == ["row 0: 0 of 0", "row 0: 0 of 0"]


async def test_n_goes_to_stops_and_to_matches_while_something_is_searched() -> None:
    app = OneWidget(view := Numbers())
    async with app.run_test(size=(40, 11)) as pilot:
        app.press("n", "n", "N")
        await pilot.pause()
        assert view.cursor == 10
        assert view.find("ROW 5") == 0
        assert view.find("row 5") == 11
        assert view.cursor == 50
        app.press("N", "n", "n")
        await pilot.pause()
        assert view.cursor == 51
        assert view.find("") == 0
        app.press("n")
        await pilot.pause()
        assert view.cursor == 60
        jumps = [line for line in app.heard if line.startswith("row")]
        assert jumps[3:] == [
            "row 10: 0 of 0",
            "row 50: 2 of 11",
            "row 5: 1 of 11",
            "row 50: 2 of 11",
            "row 51: 3 of 11",
            "row 60: 7 of 10",
        ]


async def test_a_search_goes_on_at_the_other_end_and_says_so() -> None:
    app = OneWidget(view := Numbers())
    async with app.run_test(size=(40, 11)) as pilot:
        app.press("N")
        await pilot.pause()
        app.press("G")
        await pilot.pause()
        view.find("row 3")
        await pilot.pause()
        jumps = [line for line in app.heard if line.startswith("row")]
        assert jumps == ["row 90: 10 of 10 again", "row 3: 1 of 11 again"]


async def test_rows_that_are_taken_away_leave_the_cursor_on_the_last_one() -> None:
    app = OneWidget(view := Numbers())
    async with app.run_test(size=(40, 11)) as pilot:
        app.press("G")
        await pilot.pause()
        view.count = 5
        view.rows_changed()
        await pilot.pause()
        assert view.cursor == 4
        assert ">row 4" in screen_text(app)


async def test_a_view_that_was_scrolled_away_stays_there_when_its_rows_are_painted_anew() -> None:
    app = OneWidget(view := Numbers())
    async with app.run_test(size=(40, 11)) as pilot:
        await pilot.pause()
        view.scroll_to(y=50, animate=False, force=True)
        await pilot.pause()
        painted = view.painted
        view.repaint_rows()
        await pilot.pause()
        assert (view.cursor, round(view.scroll_y)) == (0, 50)
        assert view.painted > painted


async def test_text_selected_with_the_mouse_is_what_was_dragged_over() -> None:
    view = Numbers()
    view.width = 100
    app = OneWidget(view)
    async with app.run_test(size=(40, 11)) as pilot:
        app.press("right", "right")
        await pilot.pause()
        view.scroll_to(x=2, animate=False)
        await pilot.pause()
        await pilot.mouse_down(offset=(3, 2))
        await pilot.hover(offset=(4, 4))
        await pilot.mouse_up(offset=(4, 4))
        selected = app.screen.get_selected_text()
        assert selected is not None
        # Two cells scrolled away, one of the cursor sign: column 3 shows the fifth character.
        assert selected.split("\n") == ["1" + "." * 100, "row 2" + "." * 100, "row 3."]


async def test_only_rows_that_are_seen_are_painted_and_they_are_kept() -> None:
    app = OneWidget(view := Numbers())
    view.count = 100_000
    async with app.run_test(size=(40, 11)) as pilot:
        await pilot.pause()
        assert view.painted < 100
        before = view.painted
        app.press("j", "k", "j", "k")
        await pilot.pause()
        assert view.painted == before
        for _ in range(3):
            view.cursor = (view.cursor + 40_000) % 100_000
            await pilot.pause()
        assert view.painted < CACHED_ROWS


async def test_a_pager_has_no_cursor_and_its_keys_scroll() -> None:
    view = Numbers(glyphs=ASCII)
    view.show_cursor = False
    app = OneWidget(view)
    async with app.run_test(size=(40, 11)) as pilot:
        await pilot.pause()
        app.press("j", "j", "pagedown")
        await pilot.pause()
        assert (view.scroll_y, view.cursor) == (12, 0)
        assert ">" not in screen_text(app)
        view.find("row 77")
        await pilot.pause()
        assert "row 77" in screen_text(app)


async def test_a_theme_changes_the_colours_of_rows_that_were_painted_before() -> None:
    app = OneWidget(view := Numbers())
    async with app.run_test(size=(40, 11)) as pilot:
        dark = view.render_line(5)
        app.theme = "textual-light"
        await pilot.pause()
        assert [s.style for s in view.render_line(5)] != [s.style for s in dark]


async def test_the_cursor_row_has_one_style_and_matches_are_marked_in_it() -> None:
    app = OneWidget(view := Numbers())
    async with app.run_test(size=(40, 11)) as pilot:
        view.find("ow 0")
        await pilot.pause()
        segments = [s for s in view.render_line(1) if s.text.strip()]
        assert [(s.text, bool(s.style and s.style.reverse)) for s in segments] == [
            (">", False),
            ("r", False),
            ("ow 0", True),
        ]
        assert len({s.style.bgcolor for s in view.render_line(1) if s.style}) == 1


async def test_a_page_costs_no_more_with_a_hundred_thousand_rows() -> None:
    app = OneWidget(view := Painting())
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        medians = []
        for count in (1_000, 100_000):
            view.count = count
            view.rows_changed(0)
            await pilot.pause()
            medians.append(statistics.median([await view.time_of_key("pagedown") for _ in range(5)]))
        assert medians[1] < 3 * medians[0]


class Painting(Numbers):
    """Measures how long it takes from a key until it has been painted."""

    def __init__(self) -> None:
        super().__init__()
        self.done = asyncio.Event()

    async def time_of_key(self, key: str) -> float:
        self.done.clear()
        start = time.perf_counter()
        self.app.post_message(Key(key, None))
        await asyncio.wait_for(self.done.wait(), 2)
        return time.perf_counter() - start

    def render_lines(self, crop: Region) -> list[Strip]:
        strips = super().render_lines(crop)
        self.done.set()
        return strips
