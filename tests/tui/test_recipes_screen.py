"""Recipes on the screen: saved by a key, applied by a key, with what does not fit in a list."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.persistence.journal import journal_dir
from app.tui.app import HandcompactApp
from app.tui.screens.choose import ChooseScreen
from app.tui.screens.confirm import ConfirmScreen
from app.tui.screens.inspect import InspectScreen
from tests.tui.driving import opening, shows, type_in, until
from tests.tui.files import anthropic_file
from tests.tui.on_screen import press
from tests.tui.screen_text import assert_golden, screen_text


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return anthropic_file(tmp_path, turns=3)


def inspect(app: HandcompactApp) -> InspectScreen:
    assert isinstance(app.screen, InspectScreen)
    return app.screen


async def test_saved_and_applied_it_is_the_same(file: Path, tmp_path: Path) -> None:
    recipe = tmp_path / "r.toml"
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        assert "there is nothing to save" in await press(pilot, "W")
        await press(pilot, "j", "p", "a", "W")
        assert "saved: " in await type_in(pilot, str(recipe))
        done = inspect(app).workspace.history.done
        await press(pilot, "W")
        assert "could not be written: it already" in await type_in(pilot, str(recipe))
        await press(pilot, "u", "u", "u", "u", "A")
        await type_in(pilot, str(recipe))
        await until(pilot, lambda: "all 4 steps were applied" in screen_text(app))
        assert inspect(app).workspace.history.done == done
        assert len(list(journal_dir().iterdir())) == 1
        assert "undone: accept" in await press(pilot, "u")


async def test_the_recipe_of_a_session_is_proposed_once_it_is_there(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder := tmp_path / "here").mkdir()
    monkeypatch.chdir(folder)
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(80, 24)) as pilot:
        assert ".recipe.toml" not in await press(pilot, "A")
        await press(pilot, "escape", "p", "W", "enter")
        assert [path.name for path in folder.iterdir()] == [f"{file.stem}.recipe.toml"]
        await press(pilot, "u", "A", "enter")
        await until(pilot, lambda: "its step was applied" in screen_text(app))
        assert len(inspect(app).workspace.state.pins) == 1


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_what_does_not_fit_is_listed(file: Path, tmp_path: Path, size: tuple[int, int]) -> None:
    recipe = tmp_path / "r.toml"
    recipe.write_text(
        'recipe = 1\n[pipeline]\nname = "gentle"\n[[step]]\ndo = "clear tool:Read"\n'
        '[[step]]\ndo = "pin"\nkeys = ["[/x] \\u001b[2J"]\n[[step]]\ndo = "run"\nstage = "fit"\n'
    )
    app = HandcompactApp(opening(file))
    async with app.run_test(size=size) as pilot:
        await press(pilot, "a", "A")
        await type_in(pilot, str(recipe))
        await until(pilot, lambda: shows(app, ConfirmScreen))
        assert_golden(app, "recipe-anew")
        await press(pilot, "right", "enter")
        await until(pilot, lambda: shows(app, ChooseScreen))
        assert_golden(app, "recipe-misfits")
        await press(pilot, "escape")
        assert inspect(app).workspace.pipeline.name == "gentle"
        assert [operation.words for operation in inspect(app).workspace.history.done] == ["clear 3 blocks"]


async def test_a_no_and_a_bad_file_change_nothing(file: Path, tmp_path: Path) -> None:
    recipe = tmp_path / "r.toml"
    recipe.write_text('recipe = 1\n[pipeline]\nname = "gentle"\n[[step]]\ndo = "run"\n')
    app = HandcompactApp(opening(file))
    async with app.run_test(size=(120, 36)) as pilot:
        await press(pilot, "a", "A")
        await type_in(pilot, str(recipe))
        await until(pilot, lambda: shows(app, ConfirmScreen))
        assert "nothing changed" in await press(pilot, "escape")
        recipe.write_text('recipe = 1\n[[step]]\ndo = "\x1b[2J [/x]"\n')
        await press(pilot, "A")
        await type_in(pilot, str(recipe))
        await until(pilot, lambda: "is not TOML" in screen_text(app))
        recipe.write_text('recipe = 1\n[[step]]\ndo = "pin"\nkeys = ["gone"]\n')
        await press(pilot, "A")
        await type_in(pilot, str(recipe))
        await until(pilot, lambda: shows(app, ChooseScreen))
        assert "no step fits" in await press(pilot, "escape")
        assert len(inspect(app).workspace.history.done) == 3
