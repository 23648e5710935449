"""A long text: wrapped or not, what was read stays in sight, and searches find across rows."""

from __future__ import annotations

import pytest

from app.tui.widgets.text_pane import MAX_LINE_CHARS, Layout, TextPane
from tests.tui.one_widget import OneWidget
from tests.tui.screen_text import assert_golden, screen_text

TEXT = (
    "import time\r\n"
    "class Session:\n"
    "\tdef login(self, request):  # a comment that goes on for such a long while that it has to be wrapped\n"
    "\n"
    + "修复登录跳转：登录成功后应回到原页面" * 4
    + "\n\x1b[31mred\x1b[0m [/x] [b\n"
    + "".join(f"line {n}\n" for n in range(60))
)


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_wrapped_with_line_numbers(size: tuple[int, int]) -> None:
    app = OneWidget(TextPane(TEXT, line_numbers=True))
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        assert_golden(app, "text-pane")


async def test_not_wrapped_and_scrolled_sideways_the_numbers_stay() -> None:
    app = OneWidget(view := TextPane(TEXT, wrap=False, line_numbers=True))
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        view.scroll_to(x=7, animate=False)
        await pilot.pause()
        assert_golden(app, "text-pane-sideways")


async def test_switching_the_wrap_or_the_width_keeps_the_top_line() -> None:
    text = "".join(f"{n} " + "word " * 30 + "\n" for n in range(100))
    app = OneWidget(view := TextPane(text))
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        view.find("50 word")
        await pilot.pause()
        top = screen_text(app).splitlines()
        line = next(row for row in top if row.startswith("50 word"))
        view.scroll_to(y=view.scroll_y + top.index(line), animate=False)
        await pilot.pause()
        for wrap in (False, True):
            view.wrap = wrap
            await pilot.pause()
            assert screen_text(app).startswith("50 word")
        await pilot.resize_terminal(30, 12)
        await pilot.pause()
        assert screen_text(app).startswith("50 word")


async def test_a_match_that_runs_over_the_end_of_a_row_is_found_and_marked_on_both() -> None:
    app = OneWidget(view := TextPane("x" * 35 + "needle" + "y" * 60))
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        assert view.find("needle") == 1
        await pilot.pause()
        marked = ["".join(s.text for s in view.render_line(y) if s.style and s.style.reverse) for y in (0, 1)]
        assert marked[0] + marked[1] == "needle"
        assert all(marked)


async def test_selected_text_has_no_line_ends_where_rows_were_wrapped() -> None:
    app = OneWidget(view := TextPane("word " * 20 + "\nnext line"))
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        view.text_select_all()
        assert app.screen.get_selected_text() == ("word " * 20).rstrip() + "\nnext line"


async def test_another_text_starts_at_its_top_and_ends_the_search() -> None:
    app = OneWidget(view := TextPane(TEXT))
    async with app.run_test(size=(40, 12)) as pilot:
        app.press("G")
        await pilot.pause()
        view.find("line 5")
        view.show("fresh")
        await pilot.pause()
        assert screen_text(app).splitlines()[0] == "fresh"
        assert (view.sought, view.row_count, view.line_count) == ("", 1, 1)
        view.show("")
        app.press("j", "G", "n")
        await pilot.pause()
        assert screen_text(app).strip() == ""


async def test_an_endless_line_shows_how_much_more_there_is() -> None:
    app = OneWidget(view := TextPane("a" * 1_000_000, wrap=False))
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        assert view.row_strip(0).text.endswith(f"a… {1_000_000 - MAX_LINE_CHARS:,} more characters")
        view.wrap = True
        app.press("G")
        await pilot.pause()
        assert screen_text(app).splitlines()[-2].rstrip(" ▁▂▃▄▅▆▇█") == "a" * 39


def test_a_layout_knows_the_row_of_every_character() -> None:
    lines = ["", "one two three four", "修复登录", "x"]
    layout = Layout(lines, 8)
    for row in range(len(layout)):
        line, start, end = layout.place(row)
        for character in range(start, end):
            assert layout.row_of(line, character) == row
    assert layout.row_of(3) == len(layout) - 1
