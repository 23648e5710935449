"""`handcompact diff`: what is printed, the exit codes, and the source that a manifest names."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from tests.cli.run import Handcompact
from tests.plain_messages import call_turn, reading_turns

SAMPLE = Path(__file__).parent.parent.parent / "sample_sessions" / "claude-code-tools.jsonl"
ROUGH = ("--count", "rough")


@pytest.fixture
def original(tmp_path: Path) -> Path:
    path = tmp_path / "work" / "session.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"model": "claude-sonnet-4-5", "messages": reading_turns(24)}))
    return path


@pytest.fixture
def export(original: Path, handcompact: Handcompact) -> Path:
    path = original.with_name("smaller.json")
    assert handcompact("compact", original, "--pipeline", "react-mini", *ROUGH, "--out", path).code == 0
    return path


def test_the_same_is_0_and_another_is_1(handcompact: Handcompact, original: Path, export: Path) -> None:
    copy = original.with_name("copy.json")
    copy.write_text(json.dumps(json.loads(original.read_text()), indent=2))
    done = handcompact("diff", original, copy, *ROUGH)
    assert done.code == 0 and "the same: both send 96 messages" in done.out
    done = handcompact("diff", original, export, *ROUGH)
    assert done.code == 1 and "kept 72, changed 24, gone 0, added 0" in done.out
    assert "~ #2  user changed" in done.out and "- line of a file" in done.out
    assert "\x1b" not in done.out, "no colours where it is no terminal"


def test_json_is_the_same_account(handcompact: Handcompact, original: Path, export: Path) -> None:
    done = handcompact("diff", original, export, *ROUGH, "--json")
    assert done.code == 1
    told = done.json
    assert (told["kept"], told["changed"], told["same"]) == (72, 24, False)
    assert told["a"]["path"] == str(original) and told["b"]["path"] == str(export)
    assert told["a"]["tokens"] == told["tokens_before"] > told["tokens_after"]


def test_an_export_alone_is_held_against_its_source(
    handcompact: Handcompact, original: Path, export: Path
) -> None:
    done = handcompact("diff", export, *ROUGH, "--brief")
    assert done.code == 1 and f"a  {original}" in done.out and done.err == ""
    # The source goes on: then the backup is what the export was made of.
    original.write_text("{}")
    done = handcompact("diff", export, *ROUGH, "--brief")
    assert done.code == 1 and ".transcripts" in done.out and "kept 72, changed 24" in done.out
    assert "has changed or is gone: its backup is compared" in done.err


def test_an_export_in_place_is_held_against_its_backup(handcompact: Handcompact, original: Path) -> None:
    assert handcompact("compact", original, "--pipeline", "react-mini", *ROUGH, "--in-place").code == 0
    done = handcompact("diff", original, *ROUGH, "--brief")
    assert done.code == 1 and "kept 72, changed 24" in done.out and "was replaced" in done.err


def test_a_source_that_is_missing_or_changed_is_said(
    handcompact: Handcompact, original: Path, export: Path
) -> None:
    for backup in (original.parent / ".transcripts").glob("session.*Z.json"):
        backup.unlink()
    assert handcompact("diff", export, *ROUGH).code == 1
    original.write_text("{}")
    done = handcompact("diff", export, *ROUGH)
    assert done.code == 3 and "changed since" in done.err and "no backup" in done.err
    original.unlink()
    done = handcompact("diff", export, *ROUGH)
    assert done.code == 2 and "is gone, and so is its backup" in done.err
    stranger = original.with_name("stranger.json")
    stranger.write_text(export.read_text())
    done = handcompact("diff", stranger, *ROUGH)
    assert done.code == 2 and "has no manifest naming its source: give the other session" in done.err


@pytest.mark.parametrize("target", ["claude-code", "codex", "pi", "openai-chat"])
def test_another_format_that_says_the_same_is_the_same(
    handcompact: Handcompact, tmp_path: Path, target: str
) -> None:
    path, other = tmp_path / "one.json", tmp_path / "other"
    one = call_turn(1, "Read", {"file_path": "a", "limit": 2}, "alpha")
    both = call_turn(2, "Read", {"file_path": "b"}, "beta")
    second = {"type": "tool_use", "id": "r3", "name": "Bash", "input": {"command": "ls"}}
    both[1]["content"].append(second)
    # Results may stand in any order.
    both[2]["content"].insert(0, {"type": "tool_result", "tool_use_id": "r3", "content": "gamma"})
    path.write_text(json.dumps({"messages": [*one, *both]}))
    assert handcompact("convert", path, "--to", target, "--out", other, "--cwd", "/p").code == 0
    done = handcompact("diff", path, other, *ROUGH)
    assert done.code == 0, done.out


def test_what_is_no_session_is_bad_input(handcompact: Handcompact, original: Path, tmp_path: Path) -> None:
    hello = tmp_path / "hello.txt"
    hello.write_text("hello")
    assert handcompact("diff", original, hello, *ROUGH).code == 2
    assert handcompact("diff", original, tmp_path / "none.json", *ROUGH).code == 2
    assert handcompact("diff", tmp_path / "none.json", *ROUGH).code == 2


def test_a_damaged_end_is_a_difference_and_no_failure(handcompact: Handcompact, tmp_path: Path) -> None:
    torn = tmp_path / "torn.jsonl"
    shutil.copy(SAMPLE, torn)
    data = torn.read_bytes()
    torn.write_bytes(data[: len(data) * 3 // 4])
    done = handcompact("diff", SAMPLE, torn, *ROUGH, "--brief")
    assert done.code == 1 and "gone" in done.out


def test_a_terminal_gets_colours_and_no_colour_is_honoured(
    handcompact: Handcompact, original: Path, export: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    done = handcompact("diff", original, export, *ROUGH)
    assert "\x1b[31m" in done.out and "\x1b[32m" in done.out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in handcompact("diff", original, export, *ROUGH).out


def test_a_file_that_is_not_there_is_told_as_that(handcompact: Handcompact, tmp_path: Path) -> None:
    for more in ((), (SAMPLE,)):
        done = handcompact("diff", tmp_path / "nosuch.jsonl", *more)
        assert done.code == 2 and "nosuch.jsonl does not exist" in done.err
