"""Saved results: file names made of anything, and no two results in one file."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.model import ToolResult
from app.stages.saving import safe_name
from tests.build import Messages, assistant, conversation, from_anthropic, image, result, use, user
from tests.stages.given import results, run

CASES = Path(__file__).parents[1] / "data" / "cases"
SAVE = {
    "action": "save",
    "preview": "head",
    "preview_chars": 5,
    "save_over_chars": 10,
    "only_if_smaller": False,
}
HEAD = "/saved/.task_outputs/tool-results"


def talk(*pairs: tuple[str, str]) -> Messages:
    """One call and result for each (id, text)."""
    return conversation(
        *(m for name, text in pairs for m in (assistant(use(name, "Bash")), user(result(name, text)))),
        assistant("Done."),
    )


@settings(max_examples=50)
@given(st.text(max_size=300))
def test_any_name_becomes_a_plain_one(name: str) -> None:
    safe = safe_name(name)
    assert re.fullmatch(r"[A-Za-z0-9._-]{1,100}", safe)
    assert safe_name(safe) in (safe, f"_{safe}")


@pytest.mark.parametrize("name", ["NUL", "con", "Com1.txt", "aux.x"])
def test_names_that_windows_keeps_are_avoided(name: str) -> None:
    assert safe_name(name) == f"_{name}"


def test_long_names_that_begin_alike_stay_apart() -> None:
    assert safe_name("x" * 300 + "1") != safe_name("x" * 300 + "2")


def test_hostile_ids_write_inside_the_folder_and_nowhere_else() -> None:
    messages = from_anthropic(CASES / "140-tool-ids-as-file-names.json")
    files = run("tool_result_budget", messages, {**SAVE, "save_over_chars": 1}).files
    assert len({file.path.casefold() for file in files}) == len(files) == 8
    for file in files:
        *folder, name = file.path.split("/")
        assert folder == [".task_outputs", "tool-results"]
        assert re.fullmatch(r"(?!\.\.?$)[A-Za-z0-9._-]+", name)


def test_two_results_never_share_a_file_unless_they_say_the_same() -> None:
    done = run("tool_result_budget", talk(("a/1", "x" * 20), ("a:1", "y" * 20), ("A_1", "x" * 20)), SAVE)
    assert [(file.path.split("/")[-1], file.text[0]) for file in done.files] == [
        ("a_1.txt", "x"),
        ("a_1-2.txt", "y"),
        ("A_1-3.txt", "x"),
    ]
    again = run("tool_result_budget", talk(("a", "x" * 20), ("a", "x" * 20)), SAVE)
    assert [file.path for file in again.files] == [".task_outputs/tool-results/a.txt"]
    assert len(again.changes) == 2


def test_what_an_earlier_stage_planned_is_not_overwritten() -> None:
    planned = {".task_outputs/tool-results/a.txt": "x" * 20, ".task_outputs/tool-results/b.txt": "other"}
    done = run("tool_result_budget", talk(("a", "x" * 20), ("b", "y" * 20)), SAVE, files=planned)
    assert [file.path for file in done.files] == [".task_outputs/tool-results/b-2.txt"]
    assert results(done.messages)["a"].splitlines()[1] == f"Full output: {HEAD}/a.txt"
    assert results(done.messages)["b"].splitlines()[1] == f"Full output: {HEAD}/b-2.txt"


def test_no_file_is_planned_for_a_preview_that_would_not_be_shorter() -> None:
    done = run("tool_result_budget", talk(("a", "x" * 20)), {**SAVE, "only_if_smaller": True})
    assert (done.files, done.changes) == ((), ())
    assert done.note == "no replacement would be shorter (1 tried)"


def test_minicodes_file_tells_where_it_comes_from() -> None:
    messages = talk(("a", "one\ntwo"))
    options = {"action": "save", "save_over_chars": 3, "only_if_smaller": False}
    (file,) = run("tool_result_budget", messages, {**options, "folder": ".mini"}, now=12.5).files
    head, _, text = file.text.partition("\n---CONTENT---\n")
    assert file.path == ".mini/Bash_1_12500.txt"
    assert json.loads(head) == {
        "tool_name": "Bash", "message_index": 1, "original_size": 7, "timestamp": 12.5
    }  # fmt: skip
    assert text == "one\ntwo"


def test_a_pictures_place_is_kept_when_the_words_are_saved() -> None:
    messages = conversation(
        assistant(use("a", "Read")), user(result("a", "x" * 500, image("data"))), assistant("Done.")
    )
    done = run("tool_result_budget", messages, SAVE)
    (kept,) = done.messages[1].blocks
    assert isinstance(kept, ToolResult) and [part.kind for part in kept.parts] == ["text", "image"]


def test_without_a_root_previews_name_the_relative_path() -> None:
    done = run("tool_result_budget", talk(("a", "x" * 200)), SAVE, root="")
    assert "Full output: .task_outputs/tool-results/a.txt" in results(done.messages)["a"]
