"""`handcompact compact`, `verify` and `restore` on real files: what is written and what is never touched."""

from __future__ import annotations

import hashlib
import json
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.run import Handcompact

SAMPLES = Path(__file__).parent.parent.parent / "sample_sessions"
TIGHT = ("--set", "microcompact.max_total_chars=10000", "--set", "retain_tail.enabled=false")
REACT = ("--pipeline", "react-mini", *TIGHT)


def tree(folder: Path) -> dict[str, tuple[str, int]]:
    """Every file below a folder with its hash and time of change."""
    return {
        path.relative_to(folder).as_posix(): (
            hashlib.sha256(path.read_bytes()).hexdigest(),
            path.stat().st_mtime_ns,
        )
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """The long sample, outside any agent's folder."""
    folder = tmp_path / "work"
    folder.mkdir()
    path = folder / "long.jsonl"
    path.write_bytes((SAMPLES / "claude-code-long.jsonl").read_bytes())
    return path


@pytest.fixture
def installed(session: Path, home: Path) -> Path:
    """The long sample where Claude Code keeps it."""
    folder = home / ".claude" / "projects" / "-home-dev-shop"
    folder.mkdir(parents=True)
    path = folder / "11111111-2222-4333-8444-555555555555.jsonl"
    path.write_bytes(session.read_bytes())
    return path


def test_a_new_session_stands_beside_an_untouched_original(handcompact: Handcompact, session: Path) -> None:
    before = session.read_bytes()
    done = handcompact("compact", session, *REACT, "--json")
    assert done.code == 0, done.err
    target = Path(done.json["target"])
    assert session.read_bytes() == before
    assert target.parent == session.parent and target.stem == done.json["session_id"]
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert done.json["tokens_after"] < done.json["tokens_before"]
    assert Path(done.json["backup"]).read_bytes() == before
    assert Path(done.json["backup"]).parent == session.parent / ".transcripts"
    assert handcompact("verify", target).code == 0


def test_unchanged_records_are_the_same_bytes_but_for_the_session_id(
    handcompact: Handcompact, session: Path
) -> None:
    done = handcompact("compact", session, *REACT, "--json")
    new_id = done.json["session_id"].encode()
    old_id = json.loads(session.read_bytes().split(b"\n")[0])["sessionId"].encode()
    old_lines = set(session.read_bytes().replace(old_id, new_id).split(b"\n"))
    new_lines = Path(done.json["target"]).read_bytes().split(b"\n")
    same = sum(line in old_lines for line in new_lines if line)
    assert same == done.json["records"]["kept"]


def test_a_dry_run_writes_nothing_not_even_a_folder(
    handcompact: Handcompact, session: Path, tmp_path: Path
) -> None:
    before = tree(tmp_path)
    done = handcompact("compact", session, *REACT, "--dry-run")
    assert done.code == 0 and "Dry run: nothing was written." in done.out
    assert tree(tmp_path) == before
    assert not (session.parent / ".transcripts").exists()


def test_the_users_words_go_only_when_the_user_says_so(
    handcompact: Handcompact, session: Path, tmp_path: Path
) -> None:
    before = tree(tmp_path)
    refused = handcompact("compact", session, "--pipeline", "react-mini", "--json")
    assert refused.code == 3
    assert refused.json["user_messages_gone"] and refused.json["written"] is False
    assert "--drop-user-words" in refused.json["refused"]
    assert tree(tmp_path) == before
    allowed = handcompact("compact", session, "--pipeline", "react-mini", "--drop-user-words", "--json")
    assert allowed.code == 0 and allowed.json["written"] is True
    assert handcompact("verify", allowed.json["target"]).code == 0


def test_backups_of_an_agents_session_stay_out_of_its_folder(
    handcompact: Handcompact, installed: Path, home: Path
) -> None:
    done = handcompact("compact", installed, *REACT, "--json")
    assert done.code == 0, done.err
    assert Path(done.json["backup"]).is_relative_to(home / "data")
    names = {path.name for path in installed.parent.iterdir()}
    target = Path(done.json["target"])
    assert names == {installed.name, target.name, target.stem}
    assert [str(path) for path in (target.with_suffix("")).rglob("*.md")] == [done.json["index"]]


def test_in_place_keeps_the_mode_and_can_be_restored(handcompact: Handcompact, session: Path) -> None:
    session.chmod(0o640)
    before = session.read_bytes()
    done = handcompact("compact", session, *REACT, "--in-place", "--json")
    assert done.code == 0, done.err
    assert session.read_bytes() != before and stat.S_IMODE(session.stat().st_mode) == 0o640
    assert done.json["session_id"] is None
    session.chmod(0o600)
    restored = handcompact("restore", done.json["backup"], "--json")
    assert restored.code == 0 and restored.json["changed"] is True
    assert session.read_bytes() == before and stat.S_IMODE(session.stat().st_mode) == 0o640
    assert Path(restored.json["kept"]).is_file()
    assert handcompact("restore", done.json["backup"], "--json").json["changed"] is False


def test_restore_lists_what_there_is(handcompact: Handcompact, installed: Path) -> None:
    told = handcompact("restore").out
    assert "No backups in " in told and "backups or" in told and "--backup-dir DIR" in told
    handcompact("compact", installed, *REACT)
    listed = handcompact("restore", "--json").json["backups"]
    assert [Path(backup["source"]) for backup in listed] == [installed]


def test_verify_tells_an_export_that_was_changed(handcompact: Handcompact, session: Path) -> None:
    target = Path(handcompact("compact", session, *REACT, "--json").json["target"])
    target.write_bytes(target.read_bytes().replace(b"login", b"logon", 1))
    done = handcompact("verify", target, "--json")
    assert done.code == 1 and done.json["manifest"]["same"] is False


def test_a_pipe_goes_through_and_nothing_but_the_session_comes_out(session: Path) -> None:
    command = [sys.executable, "-m", "app", "compact", "-", *REACT, "--out", "-"]
    with session.open("rb") as file:
        done = subprocess.run(command, stdin=file, capture_output=True, check=False, cwd=SAMPLES.parent)
    assert done.returncode == 0, done.stderr
    assert done.stdout and all(json.loads(line) for line in done.stdout.splitlines())
    assert b"Pipeline  react-mini" in done.stderr


def test_an_existing_target_is_never_overwritten(handcompact: Handcompact, session: Path) -> None:
    target = session.parent / "there.jsonl"
    target.write_text("mine")
    done = handcompact("compact", session, *REACT, "--out", target)
    assert done.code == 3 and "already exists" in done.err
    assert target.read_text() == "mine"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("compact", "missing.jsonl"), "missing.jsonl does not exist"),
        (("compact", "{session}", "--set", "micro"), "expected STAGE.OPTION=VALUE"),
        (("compact", "{session}", "--pipeline", "nope"), "unknown pipeline 'nope'"),
        (("compact", "{session}", "--count", "both"), "invalid choice"),
        (("compact",), "required"),
        (("verify", "{folder}"), "is a folder"),
    ],
)
def test_bad_use_is_one_line_and_code_2(
    handcompact: Handcompact, session: Path, arguments: tuple[str, ...], words: str
) -> None:
    filled = [a.format(session=session, folder=session.parent) for a in arguments]
    done = handcompact(*filled)
    assert done.code == 2 and words in done.err
    assert done.err.count("\n") == 1 and done.out == ""


@pytest.mark.parametrize(
    ("verb", "more"),
    [
        (["compact"], ["--in-place", "--out", "new.jsonl"]),
        (["compact"], ["--install", "--out", "-"]),
        (["edit"], ["--in-place", "--install", "--do", "fix old-thinking"]),
        (["convert"], ["--to", "codex", "--install", "--out", "new.jsonl"]),
    ],
    ids=" ".join,
)
def test_two_places_to_write_to_are_refused_and_none_is_written(
    handcompact: Handcompact, session: Path, verb: list[str], more: list[str]
) -> None:
    before = tree(session.parent)
    done = handcompact(*verb, session, *more)
    assert done.code == 2 and "not allowed with" in done.err and len(done.err.splitlines()) == 1
    assert tree(session.parent) == before


@pytest.mark.parametrize("sample", ["claude-code-tools.jsonl", "codex-three-turns.jsonl"])
def test_slim_empties_the_copies_that_are_never_sent(
    handcompact: Handcompact, tmp_path: Path, sample: str
) -> None:
    path = tmp_path / sample
    path.write_bytes((SAMPLES / sample).read_bytes())
    quiet = ("--pipeline", "react-mini", "--set", "tool_result_budget.enabled=false")
    plain = handcompact("compact", path, *quiet, "--out", tmp_path / "plain.jsonl", "--json")
    slim = handcompact("compact", path, *quiet, "--out", tmp_path / "slim.jsonl", "--slim", "--json")
    assert plain.code == slim.code == 0, slim.err
    assert slim.json["size"] < plain.json["size"]
    assert slim.json["tokens_after"] == plain.json["tokens_after"]
    assert handcompact("verify", tmp_path / "slim.jsonl").code == 0
