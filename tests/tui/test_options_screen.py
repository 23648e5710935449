"""Changing the options of a stage in a form."""

from __future__ import annotations

from textual.widgets import Input

from app.pipeline import load
from app.tui.screens.options import OptionsScreen
from app.tui.screens.stepper import StepperScreen
from app.tui.widgets.controls import RadioField, TickBox
from app.tui.widgets.option_field import OptionField
from app.work.workspace import Workspace
from tests.tui.on_screen import OnScreen, kind_of_screen, opened, press, settle
from tests.tui.screen_text import assert_golden
from tests.work.test_workspace import busy_session


def workspace() -> Workspace:
    return Workspace(busy_session(), load("react-mini"), exact=False)


def form(work: Workspace, step: str = "microcompact") -> OnScreen:
    return OnScreen(lambda at: OptionsScreen(at, step), opened(work))


def field(app: OnScreen, name: str) -> OptionField:
    return next(field for field in app.screen.query(OptionField) if field.option.option.name == name)


def entry(app: OnScreen, name: str) -> Input:
    control = field(app, name).control
    assert isinstance(control, Input)
    control.focus()
    return control


async def test_how_it_looks() -> None:
    app = form(workspace())
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert_golden(app, "options")
        await pilot.resize_terminal(120, 36)
        await settle(pilot)
        assert_golden(app, "options")


async def test_applied_options_run_the_stage_again_as_one_step_to_undo() -> None:
    work = workspace()
    work.advance()
    app = OnScreen(StepperScreen, opened(work))
    async with app.run_test(size=(80, 24)) as pilot:
        assert "20 messages changed" in await settle(pilot)
        await press(pilot, "o")
        entry(app, "keep_recent").value = "9"
        entry(app, "min_chars").value = "600"
        assert "changed: keep_recent, min_chars" in await settle(pilot)
        text = await press(pilot, "ctrl+s")
        assert "15 messages changed" in text and "keep_recent 9 (preset 4)" in text
        text = await press(pilot, "u")
        assert "20 messages changed" in text and "undone: set" in text
        assert not work.state.options


async def test_a_value_that_does_not_fit_is_named_and_not_applied() -> None:
    work = workspace()
    app = form(work)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        entry(app, "keep_recent").value = "many"
        assert "must be a whole number" in await settle(pilot)
        await press(pilot, "enter")
        assert kind_of_screen(app) is OptionsScreen and not work.state.options
        entry(app, "keep_recent").value = "-1"
        assert "must be at least 0" in await settle(pilot)
        await press(pilot, "escape")
        assert not work.state.options


async def test_every_kind_of_option_has_its_control() -> None:
    work = workspace()
    app = form(work)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        enabled, aliases = field(app, "enabled").control, field(app, "aliases").control
        assert isinstance(enabled, TickBox) and isinstance(aliases, RadioField)
        enabled.focus()
        await press(pilot, "space")
        aliases.focus()
        await press(pilot, "right")
        entry(app, "tools").value = "Read, mcp__*"
        await press(pilot, "enter")
        assert work.state.options == {
            "microcompact": {"enabled": False, "aliases": "on", "tools": ("Read", "mcp__*")}
        }


async def test_the_preset_can_be_put_back() -> None:
    work = workspace()
    work.set_options("microcompact", {"keep_recent": 9, "enabled": False})
    app = form(work)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "ctrl+r", "ctrl+s")
        assert work.state.options == {"microcompact": {"keep_recent": 4, "enabled": True}}


async def test_nothing_changed_is_no_step() -> None:
    work = workspace()
    app = form(work)
    async with app.run_test(size=(80, 24)) as pilot:
        assert "reset to the pipeline's values" in await press(pilot, "ctrl+r")
        await press(pilot, "ctrl+s")
        assert work.history.done == ()


async def test_a_choice_without_room_shows_the_chosen_one() -> None:
    app = form(workspace())
    async with app.run_test(size=(120, 24)) as pilot:
        control = field(app, "when").control
        assert isinstance(control, RadioField)
        assert "(o) over-threshold" in await settle(pilot)
        control.styles.width = 30
        assert "< over-threshold >  2 of 4" in await settle(pilot)
        control.focus()
        assert "< over-tokens >  3 of 4" in await press(pilot, "right")
        assert "< interval >  4 of 4" in await press(pilot, "right")
        assert "< always >  1 of 4" in await press(pilot, "right")


async def test_a_strange_pipeline_cannot_act_on_the_terminal_and_keeps_its_words() -> None:
    work = workspace()
    strange = "\x1b]52;c;eA==\x07 C:\\new\nline"
    work.set_options("microcompact", {"placeholder": strange})
    app = form(work)
    async with app.run_test(size=(80, 48)) as pilot:
        text = await settle(pilot)
        assert "\x1b" not in text and "\x07" not in text and "C:\\\\new\\nline" in text
        entry(app, "keep_recent").value = "9"
        await press(pilot, "ctrl+s")
        assert work.state.options["microcompact"] == {"placeholder": strange, "keep_recent": 9}
