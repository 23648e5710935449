"""A session's blocks as rows: aligned, readable at both sizes, the user's own words first."""

from __future__ import annotations

import pytest

from app.display import ASCII, cells
from app.tui.widgets.message_list import BlockRow, BoundaryRow, ListRow, MessageList
from tests.tui.one_widget import OneWidget
from tests.tui.screen_text import assert_golden, screen_text

ROWS: list[ListRow] = [
    BlockRow(0, "user", 212, "user", "修复登录跳转：登录成功后应回到原页面"),
    BlockRow(1, "assistant", 604, "decision", "I'll look at the session middleware\nand then at the view"),
    BlockRow(2, "tool_use", 38, "call", "Read app/auth/session.py", exact=True),
    BlockRow(2, "tool_result", 8912, "regenerable", "1  import time\n2  from .store import SessionStore"),
    BoundaryRow("boundary: snip · 31 removed · ~120,000 → ~57,300"),
    BlockRow(3, "user", 57, "user", "不要改公共接口 [keep this]", states=("pinned",)),
    BlockRow(4, "tool_result", 2051, "only-copy", "WebFetch 👨‍👩‍👧 result", warning=True),
    BlockRow(5, "tool_result", None, "superseded", "....F.... 1 failed, 8 passed", marked=True),
    BlockRow(6, "tool_result", 31, "compacted", "[Old tool result cleared]", exact=True),
    BlockRow(7, "tool_result", 120, "error", "No such file: [/x] [b"),
    BlockRow(8, "assistant", 1_234_567, "decision", "Said in a sidechain", states=("sidechain",)),
    BlockRow(9, "thinking", 0, "a-new-verdict", ""),
]


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_rows(size: tuple[int, int]) -> None:
    app = OneWidget(MessageList(ROWS))
    async with app.run_test(size=size) as pilot:
        app.press("j", "j", "j")
        await pilot.pause()
        assert_golden(app, "message-list")


async def test_rows_in_ascii() -> None:
    rows: list[ListRow] = [row for row in ROWS if isinstance(row, BlockRow) and row.preview.isascii()]
    rows.insert(3, BoundaryRow("boundary: snip - 31 removed"))
    app = OneWidget(MessageList(rows, glyphs=ASCII))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert screen_text(app).isascii()
        assert_golden(app, "message-list-ascii")


@pytest.mark.parametrize("width", [10, 45, 80, 200])
async def test_every_row_is_as_wide_as_the_list(width: int) -> None:
    role, preview = "工具结果" * 3, "修" * 500
    wide = BlockRow(123_456, role, 99_999_999_999, "regenerable", preview, states=("pinned",) * 9)
    view = MessageList([*ROWS, wide])
    app = OneWidget(view)
    async with app.run_test(size=(width, 24)) as pilot:
        await pilot.pause()
        widths = {cells(view.render_line(y).text) for y in range(24)}
        assert len(widths) == 1


async def test_a_big_session_numbers_its_rows_in_line() -> None:
    view = MessageList()
    app = OneWidget(view)
    async with app.run_test(size=(80, 24)) as pilot:
        rows = [BlockRow(7, "user", 1, "user", "first"), BlockRow(123_456, "user", 1, "user", "last")]
        view.show(rows, last_number=123_456)
        await pilot.pause()
        first, last = screen_text(app).splitlines()[1:3]
        assert first.index("user") == last.index("user")
        assert "123456  user" in last


async def test_colours_are_those_of_the_verdict_and_users_rows_are_bold() -> None:
    view = MessageList(ROWS)
    app = OneWidget(view)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()

        def colour(row: int, word: str) -> object:
            return next(s.style.color for s in view.row_strip(row) if s.style and s.text.startswith(word))

        assert colour(3, "regenerable") == colour(7, "superseded")
        verdicts = [(1, "decision"), (3, "regenerable"), (8, "compacted"), (9, "error"), (2, "call")]
        assert len({colour(*verdict) for verdict in verdicts}) == 5
        assert all(s.style and s.style.bold for s in view.row_strip(0) if "用" in s.text or "user" in s.text)
        assert not any(s.style and s.style.bold for s in view.row_strip(1))


async def test_the_source_decides_what_is_shown_and_the_cursor_stays() -> None:
    view = MessageList(ROWS)
    app = OneWidget(view)
    async with app.run_test(size=(80, 24)) as pilot:
        app.press("G")
        await pilot.pause()
        view.show(ROWS[:3])
        await pilot.pause()
        assert view.cursor == 2
        view.show(list(reversed(ROWS)), cursor=11)
        await pilot.pause()
        assert screen_text(app).splitlines()[12].startswith(">     0  user")


async def test_a_search_finds_what_the_preview_cuts() -> None:
    rows = [BlockRow(n, "user", 1, "user", "x" * 150 + f" end{n}") for n in range(9)]
    view = MessageList(rows)
    app = OneWidget(view)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert view.find("END7") == 0
        assert view.find("end7") == 1
        assert view.cursor == 7
        view.show(rows[5:])
        app.press("g", "n")
        await pilot.pause()
        assert view.cursor == 2
        view.set_matches("found elsewhere", [1, 3])
        view.show(rows)
        app.press("g", "n", "n")
        await pilot.pause()
        assert view.cursor == 3
