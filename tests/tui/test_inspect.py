"""The main screen: what it shows, and what each of its keys does."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from threading import Event

import pytest

from app.tui.app import HandcompactApp
from app.tui.screens.inspect import InspectScreen
from app.tui.screens.parts import background
from app.tui.screens.parts.background import Counted
from app.tui.screens.stepper import StepperScreen
from app.tui.screens.text import TextScreen
from app.tui.widgets.detail import Detail
from app.views.listing import KeysFilter
from app.views.outlook import Outlook, outlook
from app.work.walk import Told
from app.work.workspace import Workspace
from tests.plain_session import SAMPLES
from tests.tui.driving import opening, shows, type_in, until
from tests.tui.files import LONG, anthropic_file, written
from tests.tui.frames import Frames
from tests.tui.on_screen import press, settle
from tests.tui.screen_text import assert_golden, screen_text

ROOT = Path(__file__).parents[2]
SIZES = [(80, 24), (120, 36)]


@pytest.fixture
def file(tmp_path: Path) -> str:
    return str(anthropic_file(tmp_path))


def main_screen(app: HandcompactApp) -> InspectScreen:
    assert isinstance(app.screen, InspectScreen)
    return app.screen


@pytest.mark.parametrize("size", SIZES)
async def test_the_whole_screen(file: str, size: tuple[int, int]) -> None:
    app = HandcompactApp(opening(file))
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "j", "j", "j")
        assert_golden(app, "inspect")


async def test_ascii_signs_are_ascii_and_nothing_else(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": "word " * 2_000}, {"role": "assistant", "content": "yes"}] * 30
    app = HandcompactApp(opening(written(tmp_path, messages), ascii=True))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "pagedown", "j")
        assert_golden(app, "inspect-ascii")
        assert screen_text(app).isascii()
        assert (await press(pilot, "f")).isascii()


async def test_sorting_puts_the_largest_first_and_is_remembered(file: str) -> None:
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        text = await press(pilot, "S", "g")
        assert "tool_result" in text.splitlines()[6]
        assert app.preferences.by_tokens
    again = HandcompactApp(opening(file))
    async with again.run_test(size=(80, 24)) as pilot:
        assert "tool_result" in (await settle(pilot)).splitlines()[6]


async def test_a_pin_shows_survives_all_stages_and_is_undone(file: str) -> None:
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        text = await press(pilot, "j", "j", "j", "p")
        assert "#2 pinned" in text and "pinned: by you" in text
        text = await press(pilot, "a")
        assert "  regenerable  Read f0.py: file 0" in text
        assert "v" not in text.splitlines()[3].replace("preview", "") or "✓ 1" in text.splitlines()[3]
        assert "undone" in await press(pilot, "u")
        await press(pilot, "u", "u", "u")
        assert not main_screen(app).workspace.state.pins
        assert "nothing to undo" in await press(pilot, "u")
        assert "redone" in await press(pilot, "ctrl+r")


async def test_running_every_stage_shows_what_went(file: str) -> None:
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        text = await press(pilot, "a")
        assert "3 of 3 run" in text and "kept all your messages" in text and "compacted" in text
        assert "e plans the export" in await press(pilot, "right_square_bracket")
        assert "undid retain tail" in await press(pilot, "left_square_bracket")


async def test_a_filter_shows_only_its_rows_and_escape_clears_it(file: str) -> None:
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        text = await press(pilot, "f", "j", "enter")
        assert "only regenerable" in text and "1 of 12" in text and " call " not in text
        assert "1 of 60" not in text
        text = await press(pilot, "escape")
        assert " of 60" in text and "only" not in text
        await press(pilot, "f", "escape")
        assert " of 60" in screen_text(app)


async def test_a_search_looks_into_whole_texts_and_marks_them(tmp_path: Path) -> None:
    messages = [
        {"role": "user", "content": "word " * 300 + "needle"},
        {"role": "assistant", "content": "Nothing here."},
        {"role": "user", "content": "The NEEDLE again."},
    ]
    app = HandcompactApp(opening(written(tmp_path, messages)))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "slash")
        text = await type_in(pilot, "needle")
        screen = main_screen(app)
        assert "'needle' 1 of 2" in text and screen.rows.cursor == 0
        assert "'needle' 2 of 2" in await press(pilot, "n")
        assert screen.rows.cursor == 2
        await press(pilot, "slash")
        assert "no match for 'zebra'" in await type_in(pilot, "zebra")
        await press(pilot, "escape")
        assert screen.rows.sought == ""


async def test_a_search_finds_rows_by_the_tool_and_the_file_that_they_show(file: str) -> None:
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "slash")
        assert "'Read' 1 of 24" in await type_in(pilot, "Read"), "calls and results"
        await press(pilot, "slash")
        assert "'src/f3.py' 1 of 2" in await type_in(pilot, "src/f3.py")


async def test_n_goes_through_what_the_stages_touch_while_nothing_is_searched(file: str) -> None:
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        text = await press(pilot, "n")
        assert main_screen(app).rows.cursor == 3 and "change 1 of 12" in text
        assert "would be cut" in text
        await press(pilot, "tab", "enter")
        assert shows(app, TextScreen)


async def test_a_long_title_leaves_room_for_what_is_sent_and_how_it_stands() -> None:
    app = HandcompactApp(opening(ROOT / "sample_sessions" / "claude-code-long.jsonl"))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: shows(app, InspectScreen))
        first = (await settle(pilot)).splitlines()[0]
        assert first.startswith(" handcompact · Login redirect")
        assert "… · Claude Code · 123 of 141 messages sent " in first and first.endswith(" ok")
        await pilot.resize_terminal(120, 36)
        assert "in francs · Claude Code · 123 of 141" in (await settle(pilot)).splitlines()[0]


async def test_an_order_that_was_kept_from_before_is_seen(file: str) -> None:
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        assert "  v tokens  verdict" not in await settle(pilot)
        assert "  v tokens  verdict" in await press(pilot, "S")
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        assert "  v tokens  verdict" in await settle(pilot)
        assert "  v tokens  verdict" not in await press(pilot, "S")


@pytest.mark.parametrize("key", ["enter", "R"])
async def test_a_text_is_there_in_its_first_frame(file: str, key: str) -> None:
    class App(Frames, HandcompactApp): ...

    app = App(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        app.frames.clear()
        await press(pilot, key)
        assert shows(app, TextScreen)
        heading, first = screen_text(app).splitlines()[:2]
        assert "#0" in heading
        # Nothing at all may be painted before the screen has its parts, but no part of it.
        painted = [frame for frame in app.frames if "Stages" not in frame and frame.strip()]
        assert painted and all(frame.splitlines()[:2] == [heading, first] for frame in painted)


async def test_the_detail_goes_below_the_list_under_100_columns(file: str) -> None:
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        detail = app.screen.query_one("Detail")
        assert detail.region.x > 0 and detail.region.y == app.screen.query_one("MessageList").region.y
        await pilot.resize_terminal(80, 24)
        await settle(pilot)
        assert detail.region.x == 0 and detail.region.y > 10
        await pilot.resize_terminal(59, 24)
        assert "60x16 is needed" in await settle(pilot)


async def test_what_is_counted_anew_leaves_the_text_where_it_was_scrolled_to(file: str) -> None:
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "j", "j", "j", "tab", "pagedown", "pagedown")
        screen = main_screen(app)
        scrolled = screen.query_one(Detail).text.scroll_y
        assert scrolled > 0
        screen.post_message(Counted(1.0, screen.view_now))
        await settle(pilot)
        assert screen.query_one(Detail).text.scroll_y == scrolled
        await press(pilot, "shift+tab", "j", "k")
        assert screen.query_one(Detail).text.scroll_y == 0


async def test_a_text_on_a_wide_terminal(file: str) -> None:
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        await press(pilot, "j", "j", "j", "enter")
        assert_golden(app, "text")


async def test_enter_reads_the_row_R_its_record_and_escape_comes_back(file: str) -> None:
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "j", "j", "j", "enter")
        assert shows(app, TextScreen)
        assert_golden(app, "text")
        text = await press(pilot, "R")
        assert "raw record" in text and '"tool_use_id": "r0"' in text
        await press(pilot, "escape")
        assert "raw record" in await press(pilot, "R")


async def test_copying_says_how_much_and_takes_controls_away(tmp_path: Path) -> None:
    text = "a\tb\r\n\x1b]52;c;eA==\x07 \ud800 end"
    file = tmp_path / "s.json"
    messages = [{"role": "user", "content": text}]
    file.write_text(json.dumps({"model": "claude-sonnet-4-5", "messages": messages}))
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        shown = await press(pilot, "y")
        assert app.clipboard == "a\tb\n␛]52;c;eA==␇ <U+D800> end"
        assert f"copied {len(text)} characters" in shown


async def test_a_text_is_saved_into_a_new_file_only(file: str, tmp_path: Path) -> None:
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "j", "j", "j")
        target = tmp_path / "out.txt"
        screen = main_screen(app)
        for words in ("saved:", "already exists"):
            screen.action_save_text()
            await settle(pilot)
            assert words in await type_in(pilot, str(target))
        assert target.read_text() == "file 0\n" + LONG


async def test_a_broken_rule_is_found_and_gone_to(tmp_path: Path) -> None:
    orphan = {"type": "tool_result", "tool_use_id": "gone", "content": "x"}
    messages: list[dict[str, object]] = [
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": "two"},
        {"role": "user", "content": [orphan]},
    ]
    app = HandcompactApp(opening(written(tmp_path, messages)))
    async with app.run_test(size=(80, 24)) as pilot:
        text = await settle(pilot)
        assert "! 1 problem" in text
        text = await press(pilot, "exclamation_mark")
        assert "problem 1 of 1" in text and main_screen(app).rows.cursor == 2


async def test_keys_that_cannot_act_say_why(file: str) -> None:
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "no stage of react-mini touches this row" in await press(pilot, "d")
        assert "this session has only one branch" in await press(pilot, "B")
        assert "no damage and no broken rule" in await press(pilot, "exclamation_mark")
        assert "no stage has been run yet" in await press(pilot, "left_square_bracket")
        assert "has 3 stages" in await press(pilot, "9")


async def test_another_pipeline_takes_the_stages_back_and_keeps_pins(file: str, tmp_path: Path) -> None:
    own = tmp_path / "config" / "pipelines" / "mine.toml"
    own.parent.mkdir(parents=True)
    own.write_text('name = "mine"\ntitle = "my own"\n[[step]]\nstage = "microcompact"\n')
    (own.parent / "broken.toml").write_text("name = [")
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "p", "a", "P")
        assert "undoes the 3 stages" in " ".join(screen_text(app).split())
        await press(pilot, "G", "end", "enter")
        workspace = main_screen(app).workspace
        assert workspace.pipeline.name == "mine" and workspace.steps == () and workspace.state.pins


async def test_pipelines_are_listed_with_where_they_come_from(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    own = tmp_path / "config" / "pipelines"
    own.mkdir(parents=True)
    (own / "mine.toml").write_text('title = "my own"\n[[step]]\nstage = "microcompact"\n')
    (own / "layered.toml").write_text('[[step]]\nstage = "microcompact"\n')
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "P")
        assert_golden(app, "pipelines")
        await pilot.resize_terminal(120, 36)
        await settle(pilot)
        assert_golden(app, "pipelines")
        text = await press(pilot, "end", "up", "enter")
        assert main_screen(app).workspace.pipeline.name == "react-mini"
        assert "'layered' is taken by a preset" in " ".join(text.split())


async def test_the_mouse_moves_opens_and_chooses_a_stage(file: str) -> None:
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.click("MessageList", offset=(10, 3))
        await settle(pilot)
        assert main_screen(app).rows.cursor == 2
        await pilot.double_click("MessageList", offset=(10, 4))
        await settle(pilot)
        assert shows(app, TextScreen)
        await press(pilot, "escape")
        await pilot.click("StageStrip", offset=(27, 0))
        await settle(pilot)
        assert isinstance(app.screen, StepperScreen) and len(app.screen.workspace.state.taken) == 1


async def test_leaving_with_stages_run_asks_first(file: str) -> None:
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "a", "escape")
        assert not shows(app, InspectScreen)
        await press(pilot, "escape")
        assert shows(app, InspectScreen)
        await press(pilot, "q")
        assert not shows(app, InspectScreen) and app.is_running


async def test_no_row_at_all_takes_every_key(tmp_path: Path) -> None:
    record = {
        "type": "user",
        "uuid": "u1",
        "parentUuid": None,
        "sessionId": "s1",
        "isSidechain": True,
        "message": {"role": "user", "content": []},
    }
    file = tmp_path / "s.jsonl"
    file.write_text(json.dumps(record) + "\n")
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert main_screen(app).shown == []
        keys = ("j", "G", "p", "y", "Y", "R", "d", "S", "u", "n", "exclamation_mark", "enter", "B", "a")
        by_hand = ("space", "v", "I", "U", "x", "c", "E", "t")
        lists = ("M", "escape", "D", "escape", "X", "escape", "o", "c", "enter", "escape")
        await press(pilot, *keys, *by_hand, *lists)
        assert shows(app, InspectScreen)


async def test_what_the_recorded_usage_says_of_the_estimate_stands_beside_it() -> None:
    app = HandcompactApp(opening(SAMPLES / "claude-code-long.jsonl"))
    async with app.run_test(size=(120, 36)) as pilot:
        assert "calibrated on 36 replies: x 1.00, +-5 %" in await settle(pilot)
        await pilot.resize_terminal(80, 24)
        assert "(est. +-6%)" in await settle(pilot)


async def test_the_cursor_stays_in_sight_when_a_filter_that_left_few_rows_is_taken_away(
    tmp_path: Path,
) -> None:
    app = HandcompactApp(opening(anthropic_file(tmp_path, turns=40)))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        screen = main_screen(app)
        screen.only = KeysFilter("few", frozenset(row.key for row in screen.workspace.rows[150:154]))
        screen.lay_rows()
        await press(pilot, "G", "escape")
        assert screen.rows.cursor > 100
        assert 0 <= screen.rows.cursor - screen.rows.scroll_y < screen.rows.size.height - 1


async def test_rows_that_come_into_view_are_counted_before_their_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(InspectScreen, "_count", lambda *_: None)
    messages = [{"role": role, "content": "one two"} for role in ("user", "assistant")] * 200
    app = HandcompactApp(opening(written(tmp_path, messages)))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        screen = main_screen(app)
        counter = screen.workspace.counter
        # With the wheel, the cursor stays behind.
        screen.rows.scroll_to(y=150, animate=False, force=True)
        await pilot.pause()
        for _ in range(200):
            if "~" not in rows_text(screen):
                break
            await pilot.pause(0.01)
        assert "~" not in rows_text(screen)
        assert (screen.rows.scroll_y, screen.rows.cursor) == (150, 0)
        assert 0 < counter.counted_share(screen.workspace.to_count()) < 0.5


async def test_no_figures_of_before_are_told_while_a_key_is_worked_out(
    file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_go = Event()

    def slowly(workspace: Workspace, told: Told) -> Outlook:
        assert let_go.wait(20)
        return outlook(workspace, told)

    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        assert "frees ~" in await settle(pilot)
        monkeypatch.setattr(background, "outlook", slowly)
        await pilot.press("a")
        await pilot.pause()
        text = screen_text(app)
        let_go.set()
        assert "running the stages ahead" in text and "frees ~" not in text
        assert "kept all" in await settle(pilot)


@pytest.mark.parametrize("by_tokens", [False, True], ids=["as in the file", "by tokens"])
async def test_a_list_that_was_scrolled_away_stays_there_whatever_arrives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by_tokens: bool
) -> None:
    let_go, count = Event(), InspectScreen._count

    def slowly(workspace: Workspace, told: Told) -> Outlook:
        assert let_go.wait(20)
        return outlook(workspace, told)

    # All as long as each other: only counting finds an order among them.
    texts = ["".join(Random(number).choices("a \n0Z", k=200)) for number in range(400)]
    messages = [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(texts)]
    app = HandcompactApp(opening(written(tmp_path, messages)))
    async with app.run_test(size=(80, 24)) as pilot:
        monkeypatch.setattr(InspectScreen, "_count", lambda *_: None)
        await settle(pilot)
        await press(pilot, *("S" if by_tokens else ""))
        screen = main_screen(app)
        monkeypatch.setattr(InspectScreen, "_count", count)
        monkeypatch.setattr(background, "outlook", slowly)
        await pilot.press("p")
        screen.rows.scroll_to(y=150, animate=False, force=True)
        await pilot.pause()
        first, shown = screen.shown[150], screen.shown
        let_go.set()
        await settle(pilot)
        assert screen.seen.workspace.counter.counted_share(screen.workspace.to_count()) == 1
        assert (list(shown) != list(screen.shown)) is by_tokens
        assert screen.shown[round(screen.rows.scroll_y)] is first
        # But what a key does is seen.
        await press(pilot, "p")
        assert screen.rows.scrolled_to is None


def rows_text(screen: InspectScreen) -> str:
    """The rows that are in view."""
    top = round(screen.rows.scroll_y)
    lines = [screen.rows.render_line(y).text for y in range(1, screen.rows.size.height)]
    assert top and lines
    return "\n".join(lines)


async def test_another_branch_opens_from_the_screen_of_the_session(tmp_path: Path) -> None:
    forked = Path(__file__).parent.parent / "data" / "cases" / "082-rewound-branch.jsonl"
    app = HandcompactApp(opening(forked))
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        other = main_screen(app).workspace.session.leaves[1].key
        assert "Abandoned: Fox?" in await press(pilot, "B")
        await press(pilot, "down", "enter")
        assert main_screen(app).workspace.session.live_leaf == other
