"""The usage bar and the stage strip say in words and textures what they say in colour."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from app.display import ASCII, cells
from app.tui.widgets.key_bar import BarKey, KeyBar
from app.tui.widgets.stage_strip import StageItem, StageState, StageStrip
from app.tui.widgets.usage_bar import UsageBar, UsageFigures, apportion
from tests.tui.one_widget import OneWidget
from tests.tui.screen_text import assert_golden, screen_text

FIGURES = UsageFigures(
    window=200_000,
    kept=41_000,
    superseded=9_000,
    regenerable=82_000,
    error=1_200,
    compacted=15_010,
    estimator="o200k_base",
    note="if all stages run: ~57,300",
)
STAGES = [
    StageItem("Snip", StageState.DONE),
    StageItem("Budget", StageState.NOTHING),
    StageItem("Micro", StageState.SKIPPED),
    StageItem("Retain tail", StageState.PREVIEW),
    StageItem("Cap", StageState.WAITING),
]


@pytest.mark.parametrize("size", [(80, 3), (120, 3)])
async def test_the_bar_and_its_legend(size: tuple[int, int]) -> None:
    app = OneWidget(UsageBar(FIGURES))
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        assert_golden(app, "usage-bar")


async def test_the_bar_in_ascii() -> None:
    app = OneWidget(UsageBar(FIGURES, glyphs=ASCII))
    async with app.run_test(size=(120, 3)) as pilot:
        await pilot.pause()
        assert screen_text(app).isascii()
        assert_golden(app, "usage-bar-ascii")


async def test_a_window_that_is_overfull_says_by_how_much() -> None:
    app = OneWidget(view := UsageBar(UsageFigures(window=100_000, kept=104_000, exact=True)))
    async with app.run_test(size=(80, 3)) as pilot:
        await pilot.pause()
        first, legend = screen_text(app).splitlines()[:2]
        assert first.startswith(" 104,000 of 100,000 tokens")
        assert first.endswith("█] 104%")
        assert "free" not in legend
        view.show(UsageFigures(window=0))
        await pilot.pause()
        assert "0 of 0 tokens" in screen_text(app)


@pytest.mark.parametrize("width", [1, 20, 45, 200])
async def test_both_widgets_fit_any_width(width: int) -> None:
    for widget in (UsageBar(FIGURES), StageStrip(STAGES * 3, note="none run")):
        app = OneWidget(widget)
        async with app.run_test(size=(width, 3)) as pilot:
            await pilot.pause()
            assert {cells(widget.render_line(y).text) for y in range(3)} == {width}


@given(st.lists(st.integers(0, 10**9), min_size=6, max_size=6), st.integers(0, 200))
@settings(max_examples=50)
def test_a_bar_is_filled_exactly_and_shows_the_smallest_share(parts: list[int], width: int) -> None:
    lengths = apportion(tuple(parts), width)
    assert sum(lengths) == (width if sum(parts) else 0)
    assert min(lengths) >= 0
    if width >= 6:
        assert all(length > 0 for length, part in zip(lengths, parts, strict=True) if part)


@pytest.mark.parametrize("size", [(80, 1), (120, 1)])
async def test_the_stages(size: tuple[int, int]) -> None:
    app = OneWidget(StageStrip(STAGES, note="1 of 5 run"))
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        assert_golden(app, "stage-strip")


async def test_the_current_stage_is_seen_when_not_all_fit() -> None:
    items = [StageItem(f"a long title {n}", StageState.DONE) for n in range(8)]
    items.append(StageItem("the last one", StageState.PREVIEW))
    app = OneWidget(StageStrip(items, glyphs=ASCII))
    async with app.run_test(size=(60, 1)) as pilot:
        await pilot.pause()
        shown = screen_text(app).rstrip()
        assert shown.endswith("> 9 the last one") and shown.startswith(" Stages< ")


async def test_stages_that_have_no_room_are_hinted_at() -> None:
    titles = ("superseded-reads", "failures-and-echoes", "drop thinking", "old-results")
    items = [StageItem(title, StageState.WAITING) for title in titles]
    app = OneWidget(StageStrip(items, note="none run"))
    async with app.run_test(size=(80, 1)) as pilot:
        await pilot.pause()
        assert screen_text(app).rstrip().endswith("3 drop thinking …")
        await pilot.resize_terminal(120, 1)
        await pilot.pause()
        assert "4 old-results" in screen_text(app) and "…" not in screen_text(app)
        for width in range(60, 120, 3):
            await pilot.resize_terminal(width, 1)
            await pilot.pause()
            assert ("…" in screen_text(app)) is ("4 old-results" not in screen_text(app))


async def test_a_click_on_a_stage_chooses_it() -> None:
    app = OneWidget(StageStrip(STAGES))
    async with app.run_test(size=(80, 1)) as pilot:
        await pilot.pause()
        line = screen_text(app)
        await pilot.click(offset=(line.index("Micro") + 2, 0))
        await pilot.click(offset=(2, 0))
        assert app.heard == ["stage 2"]


@pytest.mark.parametrize(
    ("width", "words"),
    [
        (80, "(est. +-6%)"),
        (100, "(o200k_base)"),
        (120, "(o200k_base, calibrated on 36 replies: x 1.00, +-5 %)"),
    ],
)
async def test_how_the_figures_were_got_is_said_as_far_as_there_is_room(width: int, words: str) -> None:
    figures = replace(FIGURES, calibration="calibrated on 36 replies: x 1.00, +-5 %", margin="+-6%")
    app = OneWidget(UsageBar(figures))
    async with app.run_test(size=(width, 3)) as pilot:
        await pilot.pause()
        assert words in screen_text(app).splitlines()[0]


@pytest.mark.parametrize("theme", ["textual-dark", "textual-light", "ansi-dark", "ansi-light"])
@pytest.mark.parametrize("no_color", [False, True])
async def test_a_key_that_cannot_act_looks_otherwise_in_every_theme(
    theme: str, no_color: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if no_color:
        monkeypatch.setenv("NO_COLOR", "1")
    bar = KeyBar()
    app = OneWidget(bar)
    if theme not in app.available_themes:
        pytest.skip(f"{theme} is no theme of this version")
    app.theme = theme
    async with app.run_test(size=(80, 3)) as pilot:
        bar.show([BarKey("a", "a", "Act"), BarKey("b", "b", "Wait", dimmed=True)])
        await pilot.pause()
        act, wait = (next(s for s in bar.render_line(0) if word in s.text).style for word in ("Act", "Wait"))
        assert act is not None and wait is not None and act != wait
        assert bool(wait.dim) is (no_color or theme.startswith("ansi")) and not act.dim
