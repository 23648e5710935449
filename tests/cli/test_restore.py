"""`handcompact restore`: the list, the difference, the question, and the way back from a restore."""

from __future__ import annotations

import json
import os
import stat
import sys
import time
from io import BytesIO, StringIO
from pathlib import Path

import pytest

from app.export.artifacts import Backup, ExportArtifacts
from app.export.files import STAGING_PREFIX
from app.export.manifests import manifests
from app.formats.source import Source
from app.restore import restore
from tests.cli.run import Handcompact
from tests.plain_messages import reading_turns

ROUGH = ("--count", "rough")


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A session in the folder that the command is run in."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "session.json"
    path.write_text(json.dumps({"model": "claude-sonnet-4-5", "messages": reading_turns(24)}))
    return path


@pytest.fixture
def backup(session: Path, handcompact: Handcompact) -> Path:
    """The backup of an export in place."""
    done = handcompact("compact", session, "--pipeline", "react-mini", *ROUGH, "--in-place", "--json")
    assert done.code == 0, done.err
    return Path(done.json["backup"])


def answer(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """A person at a terminal who types this."""
    keyboard = StringIO(text)
    monkeypatch.setattr(keyboard, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdin", keyboard)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")


def test_the_list_says_how_each_stands_to_what_is_there_now(
    handcompact: Handcompact, session: Path, backup: Path
) -> None:
    assert "differs (" in handcompact("restore").out
    told = handcompact("restore", "--json", "--diff").json["backups"][0]
    assert told["state"] == "differs" and told["difference"].startswith("kept 72, changed 24")
    compacted = session.read_bytes()
    session.write_bytes(backup.read_bytes())
    assert "  same  " in handcompact("restore").out
    assert handcompact("restore", "--json").json["backups"][0]["state"] == "same"
    # Other bytes of the same size are told, too.
    session.write_bytes(backup.read_bytes()[:-1] + b" ")
    assert handcompact("restore", "--json").json["backups"][0]["state"] == "differs"
    session.unlink()
    assert handcompact("restore", "--json").json["backups"][0]["state"] == "gone"
    session.write_bytes(compacted)
    backup.unlink()
    assert handcompact("restore", "--json").json["backups"][0]["state"] == "no backup"


def test_the_difference_is_shown_and_nothing_is_put_back(
    handcompact: Handcompact, session: Path, backup: Path
) -> None:
    compacted = session.read_bytes()
    done = handcompact("restore", backup, "--diff")
    assert done.code == 1 and session.read_bytes() == compacted
    assert "kept 72, changed 24" in done.out and "+ line of a file" in done.out
    done = handcompact("restore", backup, "--diff", "--json")
    assert done.code == 1 and done.json["diff"]["changed"] == 24 and session.read_bytes() == compacted
    done = handcompact("restore", backup, "--diff", "--yes")
    assert done.code == 0 and session.read_bytes() == backup.read_bytes()
    done = handcompact("restore", backup, "--diff")
    assert done.code == 0 and "is identical to the backup" in done.out


def test_a_file_that_is_no_session_any_more_can_still_be_restored(
    handcompact: Handcompact, session: Path, backup: Path
) -> None:
    session.write_text("damaged beyond repair")
    done = handcompact("restore", backup, "--diff")
    assert done.code == 1 and "cannot be compared message by message" in done.out
    assert "cannot be compared" in handcompact("restore", "--diff").out
    assert handcompact("restore", backup).code == 0 and session.read_bytes() == backup.read_bytes()


def test_a_terminal_is_asked_and_only_a_yes_is_one(
    handcompact: Handcompact, session: Path, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compacted = session.read_bytes()
    for no in ("n\n", "\n", "", "yesterday\n"):
        answer(monkeypatch, no)
        done = handcompact("restore", backup)
        assert done.code == 3 and "nothing was restored" in done.err, no
        assert "Restore it? [y/N]" in done.out and "kept 72, changed 24" in done.out
        assert session.read_bytes() == compacted
    answer(monkeypatch, "y\n")
    done = handcompact("restore", backup, "--diff")
    assert done.code == 0 and "+ line of a file" in done.out and session.read_bytes() == backup.read_bytes()
    session.write_bytes(compacted)
    answer(monkeypatch, "")
    assert "[y/N]" not in handcompact("restore", backup, "--yes").out
    assert session.read_bytes() == backup.read_bytes()


def test_a_restore_can_be_taken_back_as_well(handcompact: Handcompact, session: Path, backup: Path) -> None:
    session.chmod(0o640)
    compacted = session.read_bytes()
    kept = Path(handcompact("restore", backup, "--json").json["kept"])
    assert session.read_bytes() == backup.read_bytes()
    assert kept.read_bytes() == compacted and stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert handcompact("verify", session, "--json").json["manifest"]["same"] is True
    listed = handcompact("restore", "--json").json["backups"]
    assert {row["backup"] for row in listed} == {str(kept), str(backup)}
    assert handcompact("restore", kept).code == 0
    assert session.read_bytes() == compacted and stat.S_IMODE(session.stat().st_mode) == 0o640


def test_two_restores_in_one_second_keep_both_that_they_replace(
    session: Path, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.gmtime(1_800_000_000)
    monkeypatch.setattr("app.export.artifacts.time.gmtime", lambda: now)
    (manifest,) = [m for m in manifests() if m.backup == backup]
    kept = []
    for text in ("one", "two", "three"):
        session.write_text(text)
        kept.append(restore(manifest).replaced_backup)
    assert [path.read_text() for path in kept if path] == ["one", "two", "three"]
    assert len({m.backup for m in manifests()} & set(kept)) == 3, "each has a manifest of its own"


def test_the_mode_alone_is_put_back_too(handcompact: Handcompact, session: Path, backup: Path) -> None:
    session.write_bytes(backup.read_bytes())
    (manifest,) = manifests()
    session.chmod(0o600 if manifest.source_mode != 0o600 else 0o640)
    done = handcompact("restore", backup, "--json")
    assert done.json["changed"] is True and done.json["kept"] is None
    assert stat.S_IMODE(session.stat().st_mode) == manifest.source_mode


@pytest.mark.skipif(not Path("/proc/self/fdinfo").is_dir(), reason="only Linux tells who writes a file")
def test_a_file_that_another_program_writes_is_left_alone(
    handcompact: Handcompact, session: Path, backup: Path
) -> None:
    import subprocess

    compacted = session.read_bytes()
    with session.open("ab") as file:
        writer = subprocess.Popen(["sleep", "60"], stdout=file)
    with session.open("rb") as file:
        reader = subprocess.Popen(["sleep", "60"], stdin=file)
    try:
        done = handcompact("restore", backup)
        assert done.code == 3 and f"sleep ({writer.pid}) is using" in done.err
        assert str(reader.pid) not in done.err and session.read_bytes() == compacted
        assert handcompact("restore", backup, "--force").code == 0
        session.write_bytes(compacted)
    finally:
        writer.kill()
        writer.wait()
    try:
        assert handcompact("restore", backup).code == 0, "who only reads is in nobody's way"
    finally:
        reader.kill()
        reader.wait()


def test_an_agent_that_says_it_is_at_work_keeps_its_file(
    handcompact: Handcompact, home: Path, session: Path, backup: Path
) -> None:
    compacted = session.read_bytes()
    note = home / ".claude" / "sessions" / f"{os.getpid()}.json"
    note.parent.mkdir(parents=True)
    told = {"pid": os.getpid(), "sessionId": session.stem, "startedAt": int(time.time() * 1000)}
    note.write_text(json.dumps(told))
    done = handcompact("restore", backup)
    assert done.code == 3 and f"Claude Code ({os.getpid()}) is using" in done.err
    assert session.read_bytes() == compacted
    assert handcompact("restore", backup, "--force").code == 0


def test_what_was_written_while_it_was_put_back_is_never_lost(
    handcompact: Handcompact, session: Path, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = ExportArtifacts.back_up

    def slow(papers: ExportArtifacts, source: Source) -> Backup:
        kept = real(papers, source)
        with session.open("a") as file:
            file.write("\n")
        return kept

    before = sorted(session.parent.rglob("*"))
    monkeypatch.setattr(ExportArtifacts, "back_up", slow)
    done = handcompact("restore", backup)
    assert done.code == 3 and "was written to meanwhile: nothing was restored" in done.err
    assert session.read_bytes().endswith(b"\n") and sorted(session.parent.rglob("*")) == before


def test_what_is_no_backup_is_said_and_the_newest_is_named(
    handcompact: Handcompact, session: Path, backup: Path, tmp_path: Path
) -> None:
    done = handcompact("restore", session)
    assert done.code == 2 and f"is not a backup, but has one: give {backup}" in done.err
    assert handcompact("restore", tmp_path / "none").code == 2
    other = tmp_path / "other.json"
    other.write_text("{}")
    assert "has no manifest beside it" in handcompact("restore", other).err
    other.write_text("[" * 100_000)
    assert "has no manifest beside it" in handcompact("restore", other).err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a pipe with a name")
def test_a_pipe_is_no_backup_and_is_not_waited_for(handcompact: Handcompact, session: Path) -> None:
    pipe = session.with_name("a.manifest.json")
    os.mkfifo(pipe)
    done = handcompact("restore", pipe)
    assert done.code == 2 and "give a backup that `handcompact restore` lists" in done.err
    assert handcompact("restore", "--backup-dir", session.parent).code == 0


def test_a_folder_of_backups_that_is_a_file_is_said(handcompact: Handcompact, session: Path) -> None:
    before = session.read_bytes()
    done = handcompact("compact", session, *ROUGH, "--in-place", "--backup-dir", session)
    assert done.code == 3 and "part of the path is not a folder: choose another place" in done.err
    assert session.read_bytes() == before


def test_a_backup_of_what_was_no_file_has_no_way_back(
    handcompact: Handcompact, session: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Piped:
        buffer = BytesIO(session.read_bytes())

    monkeypatch.setattr(sys, "stdin", Piped())
    folder = tmp_path / "kept"
    done = handcompact("compact", "-", *ROUGH, "--out", tmp_path / "n.json", "--backup-dir", folder)
    assert done.code == 0, done.err
    monkeypatch.undo()
    (manifest,) = manifests([folder])
    assert manifest.backup is not None
    done = handcompact("restore", manifest.backup)
    assert done.code == 3 and "was not a file" in done.err and not Path("-").exists()


def test_in_an_agents_folder_nothing_unfinished_lies(
    handcompact: Handcompact, home: Path, session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = home / ".claude" / "projects" / "-p"
    folder.mkdir(parents=True)
    inside = folder / "s.json"
    inside.write_bytes(session.read_bytes())
    done = handcompact("compact", inside, "--pipeline", "react-mini", *ROUGH, "--in-place", "--json")
    seen: set[str] = set()
    real = os.link

    def look(*arguments: object, **named: object) -> None:
        seen.update(path.name for path in folder.iterdir())
        real(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "link", look)
    assert handcompact("restore", done.json["backup"]).code == 0
    assert inside.read_bytes() == session.read_bytes() and seen == {"s.json"}


@pytest.fixture
def stray(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file in the present folder that a process which is gone did not finish."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / f"{STAGING_PREFIX}999999999-dead"
    path.write_bytes(b"half")
    return path


def test_unfinished_files_are_removed_and_named(handcompact: Handcompact, stray: Path) -> None:
    assert handcompact("restore", "--json").json["strays"] == [str(stray)]
    assert handcompact("restore", "--remove-strays", "--json").json == {"removed": [str(stray)]}
    assert not stray.exists()
    stray.mkdir()
    assert handcompact("restore", "--remove-strays").out == "1 unfinished file removed\n"
    assert not stray.exists()


def test_an_unfinished_file_that_stays_is_named(
    handcompact: Handcompact, stray: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    def refuse(path: Path, *, missing_ok: bool) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "unlink", refuse)
    done = handcompact("restore", "--remove-strays")
    assert done.code == 3 and f"{stray} could not be removed: Permission denied" in done.err


def test_unfinished_files_are_not_removed_beside_putting_one_back(
    backup: Path, handcompact: Handcompact
) -> None:
    done = handcompact("restore", str(backup), "--remove-strays", "--yes")
    assert done.code == 2 and "--remove-strays does not restore" in done.err
