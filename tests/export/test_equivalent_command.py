"""The command line that the export dialog copies does the same as the hands did."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from app.display import safe_text
from app.edits import make_edit
from app.export.equivalent_command import equivalent_command
from app.export.plan import ExportOptions
from app.export.shell_quoting import quoted
from app.formats.source import BytesSource, Source
from app.opening import parse_settings
from app.operation_text import do_typed
from app.pipeline import load
from app.work.stage_inputs import give_memory, give_refusal
from app.work.workspace import Workspace
from tests.hostile import FILE_NAME
from tests.work.test_workspace import busy_session


def source(name: str = "my session; rm -rf.jsonl") -> Source:
    return BytesSource(b"", name)


@pytest.fixture
def workspace() -> Workspace:
    return Workspace(busy_session(), load("react-mini"), exact=False)


def test_a_whole_run_needs_no_settings(workspace: Workspace) -> None:
    workspace.run_all()
    found = equivalent_command(workspace, source(), ExportOptions())
    assert found.command == "handcompact compact 'my session; rm -rf.jsonl' --pipeline react-mini"
    assert found.missing == ()


def test_options_and_stages_that_were_not_run_are_settings(workspace: Workspace) -> None:
    workspace.set_options("tool_result_budget", {"max_result_chars": 500})
    workspace.set_options("microcompact", {"tools": "Read, mcp__*"})
    workspace.advance()
    workspace.advance()
    words = shlex.split(equivalent_command(workspace, source(), ExportOptions()).command)
    settings = [words[i + 1] for i, word in enumerate(words) if word == "--set"]
    assert settings == [
        "tool_result_budget.max_result_chars=500",
        "microcompact.tools=Read, mcp__*",
        "retain_tail.enabled=false",
    ]
    again = Workspace(
        workspace.session, load("react-mini").with_options(parse_settings(settings)), exact=False
    )
    again.run_all()
    assert again.messages == workspace.messages


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
@pytest.mark.parametrize("word", [FILE_NAME, "it's\x1b\\ é\u202e\udcff", "\t x'", "a b", "\u202e\\033"])
def test_a_shell_reads_a_word_that_holds_nothing_to_act(word: str) -> None:
    said = quoted(word)
    assert safe_text(said) == said
    shell = shutil.which("bash")
    if shell is None:
        pytest.skip("no shell that knows $'...' for certain")
    read = subprocess.run([shell, "-c", f"printf %s {said}"], capture_output=True, check=True)
    assert read.stdout == os.fsencode(word)


def test_half_a_pair_in_a_key_of_a_record_can_be_said() -> None:
    assert quoted("leaf \ud83d") == "$'leaf \\355\\240\\275'"


def test_a_skipped_stage_is_switched_off(workspace: Workspace) -> None:
    workspace.skip()
    workspace.run_all()
    assert (
        "--set tool_result_budget.enabled=false"
        in equivalent_command(workspace, source(), ExportOptions()).command
    )


def test_what_was_opened_with_settings_keeps_them() -> None:
    changed = load("react-mini").with_options({"microcompact": {"keep_recent": 9}})
    workspace = Workspace(busy_session(), changed, exact=False)
    workspace.run_all()
    assert (
        "--set microcompact.keep_recent=9" in equivalent_command(workspace, source(), ExportOptions()).command
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (ExportOptions(out=Path("/tmp/a b.jsonl")), "--out '/tmp/a b.jsonl'"),
        (ExportOptions(to_stdout=True), "--out -"),
        (ExportOptions(in_place=True, backup=False, drop_old=True), "--in-place --drop-old"),
        (ExportOptions(backup=False, report=False), "--no-backup --no-report"),
        (ExportOptions(backup_dir=Path("/b"), title="it's"), "--backup-dir /b --title 'it'\"'\"'s'"),
    ],
)
def test_wishes_are_options(workspace: Workspace, options: ExportOptions, words: str) -> None:
    workspace.run_all()
    command = equivalent_command(workspace, source(), options, drop_user_words=True).command
    assert command.endswith(f"--pipeline react-mini {words} --drop-user-words")


def test_edits_and_pins_are_operations_in_their_order(workspace: Workspace) -> None:
    workspace.edit(make_edit("replace_text", ["m4/0"], {"text": "@home it's 'quoted' [/x]"}))
    workspace.advance()
    workspace.edit(make_edit("clear", ["m3/0", "m7/0"]))
    workspace.skip()
    settings = ("when=always", "tools=Read, Bash", "keep_recent=20")
    workspace.edit(make_edit("stage", (), {"stage": "microcompact", "settings": settings, "called": "m"}))
    workspace.edit(make_edit("keep_last_turns", (), {"turns": 20, "allow_words": True}))
    workspace.pin(["m7/0"])
    found = equivalent_command(workspace, source(), ExportOptions(), drop_user_words=True)
    words = shlex.split(found.command)
    assert words[:2] == ["handcompact", "edit"] and "--drop-user-words" in words
    assert "--set" not in words and found.missing == ()
    operations = [words[i + 1] for i, word in enumerate(words) if word == "--do"]
    assert [operation.split()[0] for operation in operations] == [
        "pin", "replace_text", "run", "clear", "skip", "stage", "keep_last_turns"
    ]  # fmt: skip
    again = Workspace(workspace.session, load("react-mini"), exact=False)
    for operation in operations:
        do_typed(again, operation)
    assert again.messages == workspace.messages


def test_what_hands_alone_can_do_is_named(workspace: Workspace) -> None:
    workspace.pin(["m3/0"])
    workspace.refuse("tool_result_budget", ["m7/0", "m11/0"])
    assert equivalent_command(workspace, source(), ExportOptions()).missing == ("2 rejected changes",)


def test_what_stages_were_given_is_named() -> None:
    workspace = Workspace(busy_session(), load("minicode"), exact=False)
    give_memory(workspace, "summarize", ["Prices are in cents."])
    give_refusal(workspace, "recover")
    assert equivalent_command(workspace, source(), ExportOptions()).missing == ("1 summary", "1 refusal")


def test_a_name_like_an_option_is_a_file(workspace: Workspace) -> None:
    assert "compact ./-x.jsonl" in equivalent_command(workspace, source("-x.jsonl"), ExportOptions()).command
