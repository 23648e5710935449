"""Help and the palette hold every key, because both are made from the one table."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.display import ASCII, UNICODE, Glyphs, cells
from app.tui.app import HandcompactApp, Opening
from app.tui.keys import BARS, KEYS, KeyScope, bar_of, keys_of, signs
from app.tui.screens.backups import BackupsScreen
from app.tui.screens.base import BaseScreen
from app.tui.screens.compare import CompareScreen
from app.tui.screens.diff import DiffScreen
from app.tui.screens.edit_form import EditScreen
from app.tui.screens.export import ExportScreen
from app.tui.screens.gate import GateScreen
from app.tui.screens.groups import GroupsScreen
from app.tui.screens.help import HelpScreen, help_lines
from app.tui.screens.inspect import InspectScreen
from app.tui.screens.lost import LostScreen
from app.tui.screens.options import OptionsScreen
from app.tui.screens.prompt import PromptScreen
from app.tui.screens.proof import ProofScreen
from app.tui.screens.refusal import RefusalScreen
from app.tui.screens.rewrite import RewriteScreen
from app.tui.screens.session_diff import ContrastScreen
from app.tui.screens.sessions import SessionsScreen
from app.tui.screens.stepper import StepperScreen
from app.tui.screens.summary import SummaryScreen
from app.tui.screens.text import TextScreen
from app.tui.widgets.key_bar import MOST
from tests.tui.driving import opening
from tests.tui.files import anthropic_file
from tests.tui.on_screen import press, settle
from tests.tui.screen_text import assert_golden

SCREENS: tuple[type[BaseScreen], ...] = (
    SessionsScreen,
    InspectScreen,
    StepperScreen,
    DiffScreen,
    TextScreen,
    ExportScreen,
    OptionsScreen,
    SummaryScreen,
    PromptScreen,
    ProofScreen,
    CompareScreen,
    RefusalScreen,
    GateScreen,
    HelpScreen,
    BackupsScreen,
    ContrastScreen,
    GroupsScreen,
    LostScreen,
    EditScreen,
    RewriteScreen,
)


@pytest.mark.parametrize("screen", SCREENS)
def test_every_key_of_the_table_has_its_action(screen: type[BaseScreen]) -> None:
    for key in keys_of(screen.WHERE):
        owner: type = HandcompactApp if key.action.startswith("app.") else screen
        name = f"action_{key.action.removeprefix('app.')}"
        assert callable(getattr(owner, name, None)), f"{key.id}: {owner.__name__} has no {name}"


def test_no_screen_has_two_actions_on_one_key() -> None:
    for where in KeyScope:
        taken = [name for key in KEYS if where in key.where for name in key.keys.split(",") if name]
        assert len(taken) == len(set(taken)), f"{where}: {sorted(taken)}"


def test_a_key_bar_names_keys_of_its_own_screen_and_no_more_than_fit() -> None:
    for where, names in BARS.items():
        assert len(names) <= MOST
        assert set(bar_of(where)) <= set(keys_of(where)), where


@pytest.mark.parametrize("where", list(KeyScope))
def test_help_names_every_key_of_its_screen(where: KeyScope) -> None:
    lines = list(help_lines(where, UNICODE))
    for key in keys_of(where):
        assert any(key.about in line and signs(key) in line for line in lines), key.id
    assert all(line.isascii() for line in help_lines(where, ASCII))


@pytest.mark.parametrize("where", KeyScope)
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_each_line_of_the_help_has_room_in_eighty_columns(where: KeyScope, glyphs: Glyphs) -> None:
    assert [line for line in help_lines(where, glyphs) if cells(line) > 79] == []


async def test_the_help_screen_on_a_wide_terminal(tmp_path: Path) -> None:
    app = HandcompactApp(opening(anthropic_file(tmp_path, turns=2)))
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        await press(pilot, "question_mark")
        assert_golden(app, "help")


async def test_the_help_screen_comes_and_goes(tmp_path: Path) -> None:
    app = HandcompactApp(opening(anthropic_file(tmp_path, turns=2)))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "question_mark")
        assert_golden(app, "help")
        await press(pilot, "question_mark")
        assert isinstance(app.screen, HelpScreen)
        await press(pilot, "escape")
        assert isinstance(app.screen, InspectScreen)


async def test_every_action_is_in_the_palette(tmp_path: Path) -> None:
    app = HandcompactApp(opening(anthropic_file(tmp_path, turns=2)))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        named = {command.title for command in app.get_system_commands(app.screen)}
        assert named >= {key.label for key in keys_of(KeyScope.INSPECT)} - {"Stage", "Menu"}
        sort = next(c for c in app.get_system_commands(app.screen) if c.title == "Sort")
        sort.callback()
        await settle(pilot)
        assert app.preferences.by_tokens


async def test_a_screen_that_is_closed_before_it_was_made_is_no_mishap() -> None:
    app = HandcompactApp(Opening())
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        app.action_help()
        app.pop_screen()
        await settle(pilot)
        assert "Keys of" in await press(pilot, "question_mark")
        assert "Keys of" not in await press(pilot, "escape")
