"""Pipelines are data: what may stand in one, and what is said of one that does not fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.errors import BadPipeline
from app.pipeline import FIRST, load, parse, preset_names


def test_every_preset_loads_and_the_first_opens_first() -> None:
    names = preset_names()
    assert names[0] == FIRST
    for name in names:
        assert load(name).name == name


def test_react_mini_has_the_seeds_numbers() -> None:
    budget, micro, retain = (step.stage for step in load("react-mini").steps)
    assert vars(budget)["max_result_chars"] == 4000
    assert (vars(micro)["max_total_chars"], vars(micro)["keep_recent"], vars(micro)["min_chars"]) == (
        80_000,
        4,
        500,
    )
    assert (vars(retain)["max_total_chars"], vars(retain)["max_messages"]) == (80_000, 40)


def test_options_are_read_from_text_and_from_toml() -> None:
    pipeline = load("react-mini").with_options(
        {"microcompact": {"keep_recent": "7", "tools": "Read, mcp__*"}}
    )
    micro = vars(pipeline.steps[1].stage)
    assert micro["keep_recent"] == 7
    assert micro["tools"] == ("Read", "mcp__*")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"micro": {"keep_recent": "7"}}, "no stage 'micro'"),
        ({"microcompact": {"keep": "7"}}, "no option 'keep'"),
        ({"microcompact": {"keep_recent": "many"}}, "must be a whole number, not 'many'"),
        ({"microcompact": {"keep_recent": "-1"}}, "must be at least 0"),
        ({"microcompact": {"keep_recent": 1.5}}, "must be a whole number"),
        ({"microcompact": {"aliases": "perhaps"}}, "must be one of auto, on, off"),
        ({"retain_tail": {"keep_first_user": "perhaps"}}, "must be true or false"),
    ],
)
def test_what_does_not_fit_is_named(options: dict[str, dict[str, object]], words: str) -> None:
    with pytest.raises(BadPipeline, match=words):
        load("react-mini").with_options(options)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name = 'x'", "at least one"),
        ("name = 'x'\n[[step]]\nstage = 'nope'", "no stage 'nope'"),
        ("[[step]]\nstage = 'retain_tail'", "needs a name"),
        ("name = 'x'\nestimator = 'guess'\n[[step]]\nstage = 'retain_tail'", "no estimator 'guess'"),
        ("name = 'x'\ncommand = 'rm'\n[[step]]\nstage = 'retain_tail'", "unknown keys command"),
        ("name = 'x'\n[[step]]\nstage = 'retain_tail'\n[[step]]\nstage = 'retain_tail'", "two steps"),
        ("name = ", "is not TOML"),
        ("name = 'x'\nstep = 3", "at least one"),
    ],
)
def test_a_broken_file_says_where(text: str, words: str) -> None:
    with pytest.raises(BadPipeline, match=words):
        parse(text, origin="mine.toml")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("root = '/etc'", "root may not stand in a pipeline, which can come from a stranger"),
        ("folder = '/etc'", "folder must be a folder below the root"),
        ("folder = '../up'", "folder must be a folder below the root"),
        ("folder = 'C:\\up'", "folder must be a folder below the root"),
        ("folder = ''", "folder must be a folder below the root"),
        ("kinds = ['all']", "no option 'kinds'"),
        ("tools = [1]", "must be a list"),
    ],
)
def test_a_pipeline_cannot_send_files_elsewhere(options: str, words: str) -> None:
    with pytest.raises(BadPipeline, match=words):
        parse(f"name = 'x'\n[[step]]\nstage = 'microcompact'\n{options}", origin="mine.toml")


def test_a_flag_may_name_an_absolute_folder() -> None:
    pipeline = load("react-mini").with_options({"microcompact": {"root": "/saved"}})
    assert vars(pipeline.steps[1].stage)["root"] == "/saved"
    with pytest.raises(BadPipeline, match="root must be an absolute folder"):
        pipeline.with_options({"microcompact": {"root": "saved"}})


def test_each_item_of_a_list_is_checked() -> None:
    with pytest.raises(BadPipeline, match=r"must be one of superseded-read, .* not 'all'"):
        load("gentle").with_options({"superseded-reads": {"kinds": "superseded-read, all"}})


def test_an_option_that_may_be_absent_can_be_taken_back() -> None:
    timed = load("react-mini").with_options({"microcompact": {"last_run": "12.5"}})
    assert vars(timed.steps[1].stage)["last_run"] == 12.5
    assert vars(timed.with_options({"microcompact": {"last_run": ""}}).steps[1].stage)["last_run"] is None
    with pytest.raises(BadPipeline, match="must be a whole number, not ''"):
        timed.with_options({"microcompact": {"keep_recent": ""}})


def test_gentle_stops_at_half_of_the_window() -> None:
    stages = [step.stage for step in load("gentle").steps]
    assert {stage.target_share for stage in stages} == {0.5}
    assert load("gentle").estimator == "tokens"


def test_gate_8k_has_the_seeds_numbers() -> None:
    (gate,) = (vars(step.stage) for step in load("gate-8k").steps)
    names = ("open_at_tokens", "max_result_chars", "head_chars", "tail_chars", "views")
    assert [gate[name] for name in names] == [100_000, 8192, 4096, 1024, 3]
    assert load("gate-8k").estimator == "chars"


def test_a_stage_used_twice_is_told_apart_by_name(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        "name = 'mine'\n[[step]]\nstage = 'tool_result_budget'\n"
        "[[step]]\nstage = 'tool_result_budget'\nname = 'again'\nmax_result_chars = 100\n"
    )
    pipeline = load(str(path))
    assert [step.name for step in pipeline.steps] == ["tool_result_budget", "again"]
    assert pipeline.estimator == "tokens"


def test_an_unknown_name_lists_the_presets() -> None:
    with pytest.raises(BadPipeline, match=r"there are: gentle, .*react-mini"):
        load("nope")
