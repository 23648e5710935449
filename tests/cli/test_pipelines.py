"""`handcompact pipelines`, and pipelines of one's own on the command line."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from app.pipeline import FIRST, load, own_folder, preset_names
from tests.cli.run import Handcompact
from tests.cli.test_compact import SAMPLES, tree

SAMPLE = SAMPLES / "anthropic-messages.json"
MINE = "[[step]]\nstage = 'tool_result_budget'\nmax_result_chars = 200\n"


@pytest.fixture
def own(home: Path) -> Path:
    """The folder of own pipelines, with one that can be used and two that cannot."""
    folder = own_folder()
    folder.mkdir(parents=True)
    (folder / "mine.toml").write_text(MINE)
    (folder / "react-mini.toml").write_text(MINE)
    (folder / "wrong.toml").write_text(MINE + "max_result_chars = -1\n")
    return folder


def test_all_are_listed_with_where_they_come_from(handcompact: Handcompact, own: Path) -> None:
    done = handcompact("pipelines")
    assert done.code == 0 and done.err == ""
    rows = [line.split(maxsplit=2) for line in done.out.splitlines()]
    presets = [[name, "preset"] for name in preset_names()]
    assert [row[:2] for row in rows[: len(presets) + 1]] == [*presets, ["mine", "yours"]]
    assert f"! {own / 'react-mini.toml'}: name 'react-mini' is taken by a preset: rename the file" in done.out
    assert f"! {own / 'wrong.toml'} is not TOML" in done.out
    assert f"Your own are in {own}" in done.out
    told = handcompact("pipelines", "--json").json
    assert [p["name"] for p in told["pipelines"]] == [*preset_names(), "mine"]
    assert told["pipelines"][-1]["origin"] == str(own / "mine.toml")
    assert (told["first"], told["folder"]) == (FIRST, str(own))
    assert list(told["problems"]) == [str(own / "react-mini.toml"), "wrong"]


def test_one_is_told_in_full(handcompact: Handcompact, own: Path) -> None:
    lines = handcompact("pipelines", "mine").out.splitlines()
    assert lines[:3] == ["mine: mine", f"from {own / 'mine.toml'}", "measured in tokens"]
    assert any(
        line.split()[:3] == ["tool_result_budget.max_result_chars", "200", "characters"] for line in lines
    )


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_is_printed_as_a_file_to_start_from(
    handcompact: Handcompact, name: str, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.toml"
    copy.write_text(handcompact("pipelines", "--show", name).out)
    assert load(str(copy)).steps == load(name).steps


def test_an_own_one_runs_by_its_name_and_by_its_path(handcompact: Handcompact, own: Path) -> None:
    by_name = handcompact("compact", SAMPLE, "--pipeline", "mine", "--dry-run", "--json")
    assert by_name.code == 0, by_name.err
    by_path = handcompact("compact", SAMPLE, "--pipeline", own / "mine.toml", "--dry-run", "--json")
    assert by_name.json["steps"] == by_path.json["steps"]
    assert by_name.json["pipeline"] == "mine" and by_name.json["pipeline_from"] == str(own / "mine.toml")
    plan = handcompact("compact", SAMPLE, "--pipeline", "mine", "--dry-run").out
    assert f"Pipeline  mine  (from {own / 'mine.toml'})" in plan
    assert "Pipeline  gentle\n" in handcompact("compact", SAMPLE, "--dry-run").out


@pytest.mark.parametrize("verb", ["compact", "edit"])
@pytest.mark.parametrize(
    ("pipeline", "words"),
    [
        ("wrong", "wrong.toml is not TOML"),
        ("nope", "unknown pipeline 'nope'"),
        ("gone.toml", "gone.toml cannot be read (no such file)"),
        ("", "unknown pipeline ''"),
        ("x\x1b]0;y\x07.toml", "cannot be read"),
    ],
)
def test_one_that_cannot_be_used_is_one_line_and_nothing_is_written(
    handcompact: Handcompact, own: Path, home: Path, verb: str, pipeline: str, words: str
) -> None:
    session = home / "session.json"
    session.write_bytes(SAMPLE.read_bytes())
    before = tree(home)
    done = handcompact(verb, session, "--pipeline", pipeline)
    assert (done.code, done.out) == (2, "") and words in done.err
    assert done.err.count("\n") == 1 and done.err[:-1].isprintable()
    assert tree(home) == before


def test_options_on_the_command_line_are_held_to_the_same(handcompact: Handcompact) -> None:
    for setting, words in {
        "microcompact.keep_recent=-1": "microcompact.keep_recent must be at least 0, not -1",
        "microcompact.keep_recent=nan": "must be a whole number, not 'nan'",
        "microcompact.target_share=nan": "must be a number, not 'nan'",
        "microcompact.target_share=2": "must be at most 1, not 2.0",
        f"microcompact.min_chars={'9' * 40}": "must be at most 1,000,000,000,000",
        f"microcompact.min_chars={'9' * 9000}": "must be a whole number, not '9999",
        "micro.keep_recent=1": "has no stage 'micro' (did you mean microcompact?)",
        "microcompact.keep_recnt=1": "no option 'keep_recnt' (did you mean keep_recent?)",
    }.items():
        done = handcompact("compact", SAMPLE, "--pipeline", "react-mini", "--set", setting, "--dry-run")
        assert done.code == 2 and words in done.err and done.err.count("\n") == 1, setting


@pytest.mark.skipif(os.name == "nt" or os.getuid() == 0, reason="whoever runs this may read everything")
def test_an_unreadable_one_is_said(handcompact: Handcompact, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(MINE)
    path.chmod(0)
    done = handcompact("pipelines", path)
    assert done.code == 2 and "mine.toml cannot be read" in done.err


def test_the_json_of_an_own_one_is_one_object(handcompact: Handcompact, own: Path) -> None:
    told = json.loads(handcompact("pipelines", "mine", "--json").out)
    [step] = told["pipelines"][0]["steps"]
    assert step["options"]["max_result_chars"]["value"] == 200
    assert step["options"]["target_share"]["maximum"] == 1


@pytest.mark.parametrize("more", [("--json",), ("minicode",)])
def test_what_goes_unheard_beside_show_is_refused(handcompact: Handcompact, more: tuple[str, ...]) -> None:
    done = handcompact("pipelines", "--show", "gentle", *more)
    assert (done.code, done.out) == (2, "")
    assert "--show prints one pipeline: leave out --show or" in done.err
