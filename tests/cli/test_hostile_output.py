"""No command prints anything of a session, or of its name, that a terminal would act on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.run import Handcompact
from tests.hostile import FILE_NAME, HOSTILE, MADE, SEEN, acting, put

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such file names")

SLOW = ("anthropic", "responses", "qwen-code", "opencode", "gemini-cli")
"""Formats that are tried with  pytest -m slow."""
COMMANDS = (
    ("report", "--count", "rough"),
    ("report", "--json", "--count", "rough"),
    ("verify", "--strict"),
    ("verify", "--json"),
    ("compact", "--dry-run", "--count", "rough"),
    ("compact", "--dry-run", "--json", "--count", "rough"),
    ("compact", "--dry-run", "--in-place", "--count", "rough", "--pipeline", "layered"),
    ("compare", "--count", "rough"),
    ("repair",),
    ("repair", "--json"),
)


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.slow if kind in SLOW else ()) for kind in MADE]
)
def test_no_command_lets_anything_act(kind: str, tmp_path: Path, handcompact: Handcompact) -> None:
    file = put(tmp_path, kind)
    for command in COMMANDS:
        done = handcompact(command[0], file, *command[1:])
        assert done.code in (0, 1, 3), (command, done.err)
        assert any(part in done.out + done.err for part in ("evil", "never ended"))
        assert acting(done.out) == acting(done.err) == [], command
    assert SEEN in handcompact("report", file, "--count", "rough").out


def test_neither_does_what_was_written_nor_what_is_restored(tmp_path: Path, handcompact: Handcompact) -> None:
    file = put(tmp_path, "claude-code")

    def says(*arguments: object) -> None:
        done = handcompact(*arguments)
        assert done.code in (0, 1), done.err
        assert acting(done.out) == acting(done.err) == [], arguments
        assert "evil" in done.out

    says("compact", file, "--count", "rough", "--in-place", "--drop-user-words")
    says("verify", file)
    says("diff", file, "--count", "rough", "--full")
    says("restore", "--backup-dir", tmp_path / ".transcripts")
    says("restore", next((tmp_path / ".transcripts").glob("*Z.jsonl")))
    says("repair", file, "--write")


def test_the_list_of_sessions_is_safe(home: Path, handcompact: Handcompact) -> None:
    project = home / ".claude" / "projects" / f"-w-{HOSTILE[:60]}".replace("/", "").replace("\0", "")
    project.mkdir(parents=True)
    put(project, "claude-code")
    done = handcompact("list")
    assert SEEN in done.out and acting(done.out) == acting(done.err) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("report", HOSTILE),
        ("report", FILE_NAME),
        ("report", f"no-{FILE_NAME}"),
        (FILE_NAME,),
        ("--theme", HOSTILE),
        (HOSTILE, HOSTILE),
        (f"--{HOSTILE}",),
        ("compact", FILE_NAME, "--pipeline", HOSTILE),
        ("compact", FILE_NAME, "--set", f"{HOSTILE}.x=1"),
        ("compact", FILE_NAME, "--set", f"microcompact.{HOSTILE}=1"),
        ("compact", FILE_NAME, "--set", f"microcompact.keep_recent={HOSTILE}"),
        ("compact", FILE_NAME, "--out", HOSTILE),
        ("report", FILE_NAME, "--leaf", HOSTILE),
        ("report", FILE_NAME, "--count", HOSTILE),
        ("restore", HOSTILE),
        ("restore", FILE_NAME),
        ("pipelines", HOSTILE),
    ],
)
def test_errors_are_safe_lines(
    arguments: tuple[str, ...], tmp_path: Path, handcompact: Handcompact, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path, "claude-code")
    (tmp_path / f"no-{FILE_NAME}").write_text(f'{{"{HOSTILE[:9]}": 1}}\n')
    done = handcompact(*arguments)
    assert acting(done.out) == acting(done.err) == []
    assert "Traceback" not in done.err
