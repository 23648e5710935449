"""`edit --save-recipe` and `apply`: the same session again, grown or another, and what does not fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.run import Handcompact
from tests.cli.test_compact import tree

SAMPLES = Path(__file__).parent.parent.parent / "sample_sessions"
ROUGH = ("--count", "rough")


@pytest.fixture
def session(tmp_path: Path) -> Path:
    path = tmp_path / "work" / "tools.jsonl"
    path.parent.mkdir()
    path.write_bytes((SAMPLES / "claude-code-tools.jsonl").read_bytes())
    return path


def test_what_was_saved_is_applied_with_the_same_outcome(handcompact: Handcompact, session: Path) -> None:
    recipe = session.with_name("r.toml")
    operations = ("--do", "clear tool:Read", "--do", "run", "--pipeline", "react-mini")
    out = session.with_name("one.jsonl"), session.with_name("two.jsonl")
    done = handcompact("edit", session, *operations, "--save-recipe", recipe, *ROUGH, "--out", out[0])
    assert done.code == 0 and f"recipe: {recipe}" in done.err
    again = handcompact("apply", recipe, session, *ROUGH, "--json", "--out", out[1])
    assert again.code == 0 and again.json["not_applied"] == [] and again.json["written"]
    assert [step.get("edit") or step["stage"] for step in again.json["steps"]] == [
        "clear",
        "tool_result_budget",
    ]
    sizes = [path.stat().st_size for path in out]
    assert sizes[0] == sizes[1]


def test_a_dry_run_writes_the_recipe_and_nothing_else(handcompact: Handcompact, session: Path) -> None:
    recipe = session.with_name("r.toml")
    handcompact("edit", session, "--do", "clear tool:Read", "--save-recipe", recipe, *ROUGH, "--dry-run")
    before = tree(session.parent)
    done = handcompact("apply", recipe, session, *ROUGH, "--dry-run")
    assert done.code == 0 and "nothing was written" in done.out and tree(session.parent) == before


def test_what_does_not_fit_is_told_and_the_exit_code_says_so(
    handcompact: Handcompact, session: Path, tmp_path: Path
) -> None:
    recipe = tmp_path / "r.toml"
    recipe.write_text(
        'recipe = 1\n[[step]]\ndo = "clear tool:Read"\n[[step]]\ndo = "pin"\nkeys = ["\\u001b]0;x"]\n'
    )
    done = handcompact("apply", recipe, session, *ROUGH, "--dry-run")
    assert done.code == 1 and "! step 2, pin 1 block: the block is missing" in done.err
    assert "1 of 2 steps were applied" in done.err and "\x1b" not in done.err
    told = handcompact("apply", recipe, session, *ROUGH, "--dry-run", "--json").json
    assert len(told["not_applied"]) == 1


def test_nothing_that_fits_writes_nothing(handcompact: Handcompact, session: Path, tmp_path: Path) -> None:
    recipe = tmp_path / "r.toml"
    recipe.write_text('recipe = 1\n[[step]]\ndo = "pin"\nkeys = ["gone"]\n')
    before = tree(session.parent)
    done = handcompact("apply", recipe, session, *ROUGH)
    assert done.code == 3 and "no step of" in done.err and tree(session.parent) == before


def test_own_words_need_a_yes_of_the_one_who_applies(
    handcompact: Handcompact, session: Path, tmp_path: Path
) -> None:
    recipe = tmp_path / "r.toml"
    recipe.write_text('recipe = 1\n[[step]]\ndo = "drop role:user allow_words=true"\n')
    done = handcompact("apply", recipe, session, *ROUGH, "--dry-run")
    assert done.code == 3 and "of your messages would be lost" in done.err
    assert handcompact("apply", recipe, session, *ROUGH, "--dry-run", "--drop-user-words").code == 0


def test_a_file_that_is_no_recipe_is_bad_use(handcompact: Handcompact, session: Path, tmp_path: Path) -> None:
    for made in (session, tmp_path / "gone.toml", tmp_path):
        done = handcompact("apply", made, session)
        assert done.code == 2 and done.err.count("\n") == 1 and str(made) in done.err


def test_a_recipe_replaces_no_file(handcompact: Handcompact, session: Path) -> None:
    done = handcompact("edit", session, "--do", "clear tool:Read", "--save-recipe", session, *ROUGH)
    assert done.code == 3 and "already exists" in done.err
    done = handcompact("edit", session, "--do", "clear tool:Read", "--save-recipe", "-", *ROUGH)
    assert done.code == 2 and "cannot go to standard output" in done.err
    assert session.read_bytes() == (SAMPLES / "claude-code-tools.jsonl").read_bytes()
