"""Hand edits on the main screen: each by its key, all from the menu, each undone in one go."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from textual.widgets import TextArea

from app.model import blocks_of, text_of
from app.tui.app import HandcompactApp
from app.tui.screens.choose import ChooseScreen
from app.tui.screens.confirm import ConfirmScreen
from app.tui.screens.diff import DiffScreen
from app.tui.screens.edit_form import EditScreen
from app.tui.screens.inspect import InspectScreen
from app.tui.screens.parts.background import Checked
from app.tui.screens.rewrite import RewriteScreen, restored
from app.views.problems import Problem
from app.work.workspace import Workspace
from tests.tui.driving import opening, shows
from tests.tui.edit_forms import field
from tests.tui.files import anthropic_file
from tests.tui.on_screen import press, settle
from tests.tui.screen_text import assert_golden, screen_text

SIZE = (80, 24)
TO_RESULT = ("j", "j", "j")


@pytest.fixture
def app(tmp_path: Path) -> HandcompactApp:
    return HandcompactApp(opening(anthropic_file(tmp_path)))


def workspace(app: HandcompactApp) -> Workspace:
    screen = next(screen for screen in app.screen_stack if isinstance(screen, InspectScreen))
    return screen.workspace


def flat(app: HandcompactApp) -> str:
    return " ".join(screen_text(app).replace("│", " ").split())


async def test_x_drops_the_row_with_its_call_u_takes_it_back_and_d_shows_it(app: HandcompactApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        before = workspace(app).messages
        text = await press(pilot, *TO_RESULT, "x")
        assert "drop 2 blocks, ~1.8k tokens less: u undoes it" in text
        assert text.count("dropped") >= 2
        await press(pilot, "d")
        assert shows(app, DiffScreen)
        await press(pilot, "escape")
        assert "undone: drop 1 block" in await press(pilot, "u")
        assert workspace(app).messages is before
        assert "redone" in await press(pilot, "ctrl+r")


async def test_c_clears_all_marked_rows_as_one_operation(app: HandcompactApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, *TO_RESULT, "space", "j", "j", "j", "j", "space")
        text = await press(pilot, "c")
        assert "clear 2 blocks" in text and " marked" not in text
        assert len(workspace(app).history.done) == 1
        assert "[Old tool result content cleared] tool=Read" in await press(pilot, "k")


async def test_own_words_are_asked_for_by_name_and_no_leaves_them(app: HandcompactApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "j", "j", "j", "j", "j", "x")
        assert shows(app, ConfirmScreen)
        assert "with 1 text of your" in flat(app) and "- Question 1: 登录 [/x] where is it?" in flat(app)
        assert "nothing changed" in await press(pilot, "enter")
        assert workspace(app).steps == ()
        await press(pilot, "x", "right", "enter")
        assert len(workspace(app).steps) == 1


async def test_a_range_with_own_words_in_it_offers_to_leave_them(app: HandcompactApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, *TO_RESULT, "j", "v", "j", "j", "j", "j", "x")
        assert shows(app, ChooseScreen)
        assert "Not all of it: 1 text of yours" in flat(app)
        text = await press(pilot, "escape")
        assert "nothing changed" in text and "working out" not in text
        text = await press(pilot, "x", "enter")
        assert "drop 4 blocks" in text
        texts = [text_of(block) for message in workspace(app).messages for block in message.blocks]
        assert any(words.startswith("Question 1") for words in texts) and "Looking at f1." not in texts


async def test_E_rewrites_a_text_and_what_is_refused_is_not_lost(app: HandcompactApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "j", "E")
        assert shows(app, RewriteScreen)
        editor = app.screen.query_one(TextArea)
        assert editor.text == "Looking at f0."
        editor.text = "  "
        await settle(pilot)
        assert "the text is empty" in await press(pilot, "ctrl+s")
        editor.text = "Shorter."
        text = await press(pilot, "ctrl+s")
        assert shows(app, InspectScreen) and "rewrite 1 block" in text and "Shorter." in text
        await press(pilot, "E", "a", "escape")
        assert shows(app, ConfirmScreen)


async def test_a_call_cannot_be_rewritten_and_the_newest_reply_not_dropped(app: HandcompactApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert "neither text nor a result" in await press(pilot, "j", "j", "E")
        assert "newest reply of the model" in await press(pilot, "G", "x")


async def test_the_menu_says_of_each_edit_why_not(app: HandcompactApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, *TO_RESULT, "D")
        assert_golden(app, "edits")
        text = await press(pilot, *["j"] * 7, "enter")
        assert "drop image: not an image" in text


async def test_the_last_turns_are_kept_behind_a_boundary(app: HandcompactApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "D", "G", "end", "enter")
        assert shows(app, EditScreen)
        field(app, "turns").value = "2"
        assert "messages of yours would be removed" in await settle(pilot)
        await press(pilot, "ctrl+s")
        assert "of yours?" in flat(app)
        await press(pilot, "right", "enter")
        messages = workspace(app).messages
        assert len(messages) == 9 and messages[0].boundary is not None and shows(app, InspectScreen)


async def test_what_was_done_by_hand_is_priced_and_checked_as_it_is_now(app: HandcompactApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        text = await press(pilot, *TO_RESULT, "c", "j")
        assert "freed; not worth it: pays back after 138 turns (first change #" in text
        assert text.splitlines()[0].endswith(" ok")
        screen = app.screen
        assert isinstance(screen, InspectScreen)
        given = Problem("torn-tail", line=3)
        broken = Problem("a result has no call [/x]", key=workspace(app).session.live[4].key)
        screen.post_message(Checked((given, broken), (given,)))
        await settle(pilot)
        assert screen_text(app).splitlines()[0].endswith("! a result has no call [/x]")
        screen.post_message(Checked((given,), (given,)))
        await settle(pilot)
        assert screen_text(app).splitlines()[0].endswith("! 1 problem")
        assert "freed" not in await press(pilot, "u", "j")


def test_lines_that_were_left_alone_keep_their_tabs_and_controls() -> None:
    original = "a\tb\r\nsame\n\x1b[1mbold"
    assert restored(original, "a   b\nchanged\n␛[1mbold") == "a\tb\r\nchanged\n\x1b[1mbold"


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Sets the person's editor: a line of Python that rewrites the file at `path`."""

    @contextmanager
    def suspended(_: HandcompactApp) -> Iterator[None]:
        # As Textual does it: what is raised inside leaves the screen away for ever.
        yield
        back.append(True)

    back: list[bool] = []
    monkeypatch.setattr(HandcompactApp, "suspend", suspended)
    monkeypatch.delenv("VISUAL", raising=False)

    def put(line: str) -> None:
        script = tmp_path / "editor.py"
        script.write_text(f"import sys\nfrom pathlib import Path\npath = Path(sys.argv[1])\n{line}\n")
        monkeypatch.setenv("EDITOR", shlex.join([sys.executable, str(script)]))

    yield put
    assert back, "the screen came back"


async def test_what_is_saved_in_ones_own_editor_is_one_step(
    app: HandcompactApp, outside: Callable[[str], None]
) -> None:
    outside("path.write_text(path.read_text().replace('Looking', '\\tI look') + '\\n')")
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        text = await press(pilot, "j", "E", "ctrl+g")
        assert shows(app, InspectScreen) and "rewrite 1 block" in text
        texts = [text_of(block) for _, block in blocks_of(workspace(app).messages)]
        assert "\tI look at f0." in texts and len(workspace(app).history.done) == 1


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("pass", "nothing changed in the editor"),
        ("sys.exit(1)", "exit code 1"),
        ("path.write_bytes(b'\\xff')", "not UTF-8"),
        ("path.write_text('')", "the text is empty"),
    ],
)
async def test_an_editor_that_fails_says_so_and_changes_nothing(
    app: HandcompactApp, outside: Callable[[str], None], line: str, words: str
) -> None:
    outside(line)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert words in await press(pilot, "j", "E", "ctrl+g")
        assert shows(app, RewriteScreen) and not workspace(app).history.done


async def test_a_terminal_that_cannot_be_left_says_so(
    app: HandcompactApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VISUAL", sys.executable)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert "cannot hand over to another program" in await press(pilot, "j", "E", "ctrl+g")
