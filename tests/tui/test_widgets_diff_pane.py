"""A diff to read: signs beside colours, folded runs that open, the cursor on its line."""

from __future__ import annotations

import pytest

from app.diff import text_rows
from app.display import ASCII, cells
from app.tui.widgets.diff_pane import DiffItem, DiffPane, Heading
from tests.tui.one_widget import OneWidget
from tests.tui.screen_text import assert_golden, screen_text

SAME = [f"ctx {n}" for n in range(20)]
BEFORE = "\n".join(
    ["....F....", '>   assert response.headers["Location"] == "/orders" and the rest of a long line']
    + [f"E   line {n} [/x]" for n in range(40)]
    + [*SAME, "tail a", "\x1b[2J\tend"]
)
AFTER = "\n".join(["[Old tool result cleared: Bash pytest -q]", *SAME, "tail 登录", "\x1b[2J\tend"])


def items() -> list[DiffItem]:
    return [
        Heading("#7 tool_result · 4,103 → 29", stop=True),
        *text_rows(BEFORE, AFTER).rows,
        Heading("boundary: snip · 31 removed", rule=True),
        Heading("#8 assistant · unchanged · 290"),
    ]


async def test_unified_at_80_columns() -> None:
    app = OneWidget(DiffPane(items()))
    async with app.run_test(size=(80, 24)) as pilot:
        app.press("n")
        await pilot.pause()
        assert_golden(app, "diff-pane")


@pytest.mark.parametrize("wrap", [False, True])
async def test_side_by_side_at_120_columns(wrap: bool) -> None:
    app = OneWidget(DiffPane(items(), split=True, wrap=wrap))
    async with app.run_test(size=(120, 36)) as pilot:
        app.press("n")
        await pilot.pause()
        assert_golden(app, "diff-pane-split-wrapped" if wrap else "diff-pane-split")


async def test_enter_opens_a_gap_and_anything_else_is_the_screens_to_open() -> None:
    app = OneWidget(view := DiffPane(items(), glyphs=ASCII))
    async with app.run_test(size=(80, 60)) as pilot:
        app.press("enter")
        await pilot.pause()
        assert app.heard == ["opened 0"]
        gap = next(y for y, line in enumerate(screen_text(app).splitlines()) if "more removed" in line)
        view.cursor = gap
        app.press("enter")
        await pilot.pause()
        assert app.heard[-1] == f"moved {gap}"
        lines = screen_text(app).splitlines()
        assert lines[gap].startswith(">   7 - E   line 4")
        assert not any("more removed" in line for line in lines)
        assert sum("unchanged lines" in line for line in lines) == 1


async def test_n_goes_from_change_to_change() -> None:
    app = OneWidget(view := DiffPane(items()))
    async with app.run_test(size=(80, 60)) as pilot:
        await pilot.pause()
        rows = screen_text(app).splitlines()
        told = [rows[stop].lstrip("> ").split("  ")[0] for stop in view.stops()]
        assert told == ["#7 tool_result · 4,103 → 29", "63 - tail a"]


async def test_switching_the_view_keeps_the_cursor_on_its_line() -> None:
    app = OneWidget(view := DiffPane(items()))
    async with app.run_test(size=(120, 36)) as pilot:
        app.press("n")
        await pilot.pause()
        for change in ({"split": True}, {"wrap": True}, {"split": False}):
            for name, value in change.items():
                setattr(view, name, value)
            await pilot.pause()
            current = next(line for line in screen_text(app).splitlines() if line.startswith(">"))
            assert "tail a" in current


@pytest.mark.parametrize(("split", "width"), [(False, 12), (True, 12), (False, 200), (True, 200)])
async def test_every_row_is_as_wide_as_the_pane(split: bool, width: int) -> None:
    view = DiffPane([*items(), Heading("修" * 300, rule=True)], split=split)
    app = OneWidget(view)
    async with app.run_test(size=(width, 36)) as pilot:
        await pilot.pause()
        assert len({cells(view.render_line(y).text) for y in range(view.row_count)}) == 1


async def test_no_diff_at_all() -> None:
    app = OneWidget(view := DiffPane())
    async with app.run_test(size=(80, 24)) as pilot:
        app.press("j", "n", "enter", "G")
        await pilot.pause()
        view.split = True
        await pilot.pause()
        assert screen_text(app).strip() == ""


async def test_added_and_removed_have_colours_of_their_own() -> None:
    view = DiffPane(text_rows("a\nb", "a\nc").rows)
    app = OneWidget(view)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        colours = {s.style.color for row in range(3) for s in view.row_strip(row) if s.style}
        assert len(colours) == 3
