"""`handcompact report` counts once: what was counted is known the next time."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from app.tokens.count_cache import FILE
from app.tokens.encode import encoder
from tests.cli.run import Handcompact

SAMPLES = Path(__file__).parents[2] / "sample_sessions"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "s.json"
    words = "What only the tests of the report say, at some length."
    path.write_text(json.dumps({"messages": [{"role": "user", "content": f"{words} {tmp_path.name}"}]}))
    return path


def kept_files() -> list[str]:
    folder = Path(os.environ["HANDCOMPACT_CACHE_DIR"])
    return sorted(file.name for file in folder.iterdir()) if folder.is_dir() else []


def test_the_second_report_encodes_nothing_and_says_the_same(handcompact: Handcompact, file: Path) -> None:
    first = handcompact("report", file)
    encoder()._known.clear()
    calls = encoder().calls
    assert handcompact("report", file).out == first.out
    assert encoder().calls == calls and kept_files() == [FILE]


def test_strings_like_keys_are_told_of_and_looked_for_once(
    handcompact: Handcompact, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "s.json"
    key = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    file.write_text(json.dumps({"messages": [{"role": "user", "content": f"{key} of {tmp_path.name}"}]}))
    first = handcompact("report", file)
    assert "! secret-like  1 strings look like keys or passwords" in first.out
    encoder()._known.clear()
    monkeypatch.setattr("app.tokens.encode.count_secrets", lambda _: 7)
    assert handcompact("report", file).out == first.out
    assert "secret-like" not in handcompact("report", file, "--count", "rough").out


def test_without_the_cache_nothing_is_kept(handcompact: Handcompact, file: Path) -> None:
    assert handcompact("report", file, "--no-cache").code == 0
    assert handcompact("report", file, "--count", "rough").code == 0
    assert kept_files() == []


def test_a_cache_that_cannot_be_kept_changes_nothing(
    handcompact: Handcompact, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = handcompact("report", file, "--no-cache").out
    (tmp_path / "no-folder").write_text("in the way")
    monkeypatch.setenv("HANDCOMPACT_CACHE_DIR", str(tmp_path / "no-folder"))
    done = handcompact("report", file)
    assert (done.code, done.out, done.err) == (0, expected, "")


@pytest.mark.parametrize("verb", ["report", "verify", "compact"])
def test_a_branch_is_not_passed_over_where_there_are_none(handcompact: Handcompact, verb: str) -> None:
    done = handcompact(verb, SAMPLES / "codex-three-turns.jsonl", "--leaf", "x")
    assert done.code == 2 and "has no branches: leave out --leaf" in done.err and done.out == ""


@pytest.mark.parametrize(
    ("sample", "words"), [("codex-three-turns.jsonl", "41 items"), ("claude-code-long.jsonl", "123 messages")]
)
def test_what_is_sent_is_called_what_it_is(handcompact: Handcompact, sample: str, words: str) -> None:
    number, unit = words.split()
    assert f"{unit} {number}," in handcompact("report", SAMPLES / sample).out
    assert f", {words})" in handcompact("verify", SAMPLES / sample).out
