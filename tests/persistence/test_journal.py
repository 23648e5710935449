"""Steps are on disk as they are made, and are taken up again however the program ended."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from app.edits.drop import Drop
from app.edits.replace_text import ReplaceText
from app.export.plan import ExportOptions, make_plan
from app.export.write import write
from app.model import ToolResult, blocks_of
from app.opening import Opened, open_workspace
from app.persistence import journal as journals
from app.persistence.journal import Journal, clean, journal_dir
from app.persistence.recovery import LeftoverSteps, find, forget, state_of, take_up
from app.pipeline import load
from tests.formats.claude_code.records import assistant, lines, result, use, user

RECORDS = (
    user(1, None, "Why?"),
    assistant(2, 1, [use("a", file_path="a.py")]),
    user(3, 2, [result("a", "a line of a file\n" * 900)]),
    assistant(4, 3, "Because."),
)
ANEW = "Told \ud800 anew \x1b[2J"
MORE = (user(5, 4, "And now?"), assistant(6, 5, "Wait."))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.jsonl"
    path.write_bytes(lines(*RECORDS))
    return path


def opened(file: Path, pipeline: str = "react-mini") -> Opened:
    return open_workspace(str(file), pipeline=pipeline, exact=False)


def followed(file: Path) -> tuple[Opened, Journal]:
    work = opened(file)
    journal = Journal()
    journal.follow(work)
    return work, journal


def result_key(work: Opened) -> str:
    return next(b.key for _, b in blocks_of(work.workspace.session.live) if isinstance(b, ToolResult))


def on_disk() -> list[Path]:
    return sorted(journal_dir().glob("*")) if journal_dir().is_dir() else []


def left(file: Path) -> LeftoverSteps:
    found = find(opened(file).source)
    assert len(found.kept) == 1 and not found.notes
    return found.kept[0]


def work_on(work: Opened) -> None:
    """A bit of everything, some of it undone."""
    workspace, key = work.workspace, result_key(work)
    workspace.set_options("tool_result_budget", {"max_result_chars": 1000})
    workspace.advance()
    workspace.refuse("microcompact", [key])
    key = workspace.session.live[0].blocks[0].key
    workspace.edit(ReplaceText(keys=(key,), text=ANEW, allow_words=True))
    workspace.pin([result_key(work)])
    workspace.undo()


def test_what_is_done_undone_and_set_is_all_there_again(file: Path) -> None:
    work, journal = followed(file)
    work_on(work)
    journal.close()
    kept = left(file)
    assert kept.words.startswith("4 steps from ")
    assert kept.deeds.startswith("set max_result_chars of tool_result_budget, accept tool_result_budget, ")
    again = opened(file, pipeline="gentle")
    taken = take_up(again, kept)
    assert taken.lost == ()
    now, then = taken.opened.workspace, work.workspace
    assert (now.history.done, now.history.undone) == (then.history.done, then.history.undone)
    assert now.pipeline == then.pipeline
    assert now.state == then.state
    assert now.messages[0].blocks[0].content.read() == ANEW  # type: ignore[union-attr]


def test_only_the_owner_can_read_it(file: Path) -> None:
    work, _ = followed(file)
    old = os.umask(0)
    try:
        work.workspace.advance()
    finally:
        os.umask(old)
    assert [stat.S_IMODE(path.stat().st_mode) for path in on_disk()] == [0o600]
    assert stat.S_IMODE(journal_dir().stat().st_mode) == 0o700


def test_looking_leaves_nothing_on_disk(file: Path) -> None:
    _, journal = followed(file)
    journal.close()
    assert not journal_dir().exists()


def test_what_was_exported_undone_or_given_up_is_not_offered(file: Path) -> None:
    work, journal = followed(file)
    work.workspace.set_options("tool_result_budget", {"max_result_chars": 1000})
    work.workspace.advance()
    assert len(on_disk()) == 1
    write(make_plan(work.workspace, work.source, ExportOptions()))
    work.workspace.mark_written()
    assert on_disk() == []
    work.workspace.skip()
    assert len(on_disk()) == 1
    for _ in range(3):
        work.workspace.undo()
    assert on_disk() == []
    work.workspace.redo()
    journal.discard()
    assert on_disk() == []
    work.workspace.redo()
    assert on_disk() == []


def test_another_pipeline_is_kept_too(file: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('name = "mine"\n[[step]]\nstage = "microcompact"\nname = "late"\nkeep_recent = 9\n')
    work, journal = followed(file)
    work.workspace.pin([result_key(work)])
    root = str(tmp_path / "elsewhere")
    work.workspace.choose(load(str(own)).with_options({"late": {"root": root}}))
    work.workspace.advance()
    journal.close()
    own.unlink()
    taken = take_up(opened(file), left(file))
    assert taken.lost == ()
    assert taken.opened.workspace.pipeline == work.workspace.pipeline
    assert taken.opened.workspace.history.done == work.workspace.history.done


def test_a_program_at_work_is_left_alone_and_told_of(file: Path) -> None:
    work, _ = followed(file)
    work.workspace.advance()
    program = "import sys; from app.persistence.recovery import find; from app.formats import open_source\n"
    program += "found = find(open_source(sys.argv[1])); print(len(found.kept), *found.notes)"
    told = subprocess.run([sys.executable, "-c", program, str(file)], capture_output=True, text=True)
    assert told.stdout.startswith("0 another handcompact has this file open"), told.stderr
    other, _ = followed(file)
    other.workspace.pin([result_key(other)])
    assert len(on_disk()) == 2


def test_what_one_took_up_the_other_does_not(file: Path) -> None:
    work, journal = followed(file)
    work.workspace.advance()
    journal.close()
    kept, late = left(file), left(file)
    taken = take_up(opened(file), kept)
    journal.follow(taken.opened)
    forget(kept)
    with pytest.raises(Exception, match="another handcompact reapplied them"):
        take_up(opened(file), late)
    assert len(on_disk()) == 1


def test_a_file_that_grew_moved_or_changed_gets_what_still_fits(file: Path) -> None:
    work, journal = followed(file)
    first = work.workspace.session.live[0].blocks[0].key
    work.workspace.pin([first])
    work.workspace.edit(Drop(keys=(result_key(work),)))
    journal.close()
    with file.open("ab") as out:
        out.write(lines(*MORE))
    kept = left(file)
    assert state_of(opened(file).source, kept) == "the file grew since"
    assert take_up(opened(file), kept).lost == ()
    file.write_bytes(lines(*RECORDS))
    moved = file.rename(file.with_name("b.jsonl"))
    kept = left(moved)
    assert state_of(opened(moved).source, kept) == ""
    assert take_up(opened(moved), kept).lost == ()
    file.write_bytes(lines(RECORDS[0], *RECORDS[1:2], user(3, 2, [result("a", "other")]), RECORDS[3]))
    kept = left(file)
    assert state_of(opened(file).source, kept) == "the file changed since"
    taken = take_up(opened(file), kept)
    assert taken.lost == ("drop 1 block: the block is missing or changed",)
    assert taken.opened.workspace.state.pins == {first}


def test_a_copy_of_a_file_that_is_still_there_is_another_session(file: Path) -> None:
    work, journal = followed(file)
    work.workspace.advance()
    journal.close()
    copy = file.with_name("copy.jsonl")
    copy.write_bytes(file.read_bytes())
    assert find(opened(copy).source).kept == ()


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_a_line_that_was_being_written_is_no_damage(file: Path, cut: int) -> None:
    work, journal = followed(file)
    work.workspace.advance()
    work.workspace.advance()
    journal.close()
    path = on_disk()[0]
    path.write_bytes(path.read_bytes()[:-cut])
    kept = left(file)
    assert (len(kept.done), kept.damage) == (1, "")


def head_with(path: Path, **changes: object) -> None:
    first, *others = path.read_bytes().split(b"\n")
    head: dict[str, Any] = {**json.loads(first), **changes}
    path.write_bytes(b"\n".join([json.dumps(head).encode(), *others]))


def test_damage_and_other_versions_are_a_line_each(file: Path) -> None:
    work, journal = followed(file)
    work.workspace.advance()
    work.workspace.advance()
    journal.close()
    path = on_disk()[0]
    whole = path.read_bytes()
    head_with(path, journal=99, program="9.9\x1b[2J")
    found = find(opened(file).source)
    assert not found.kept and "are of handcompact 9.9" in found.notes[0]
    for damage in (b"", b"{", b"[]", b"\xff\xfe", b'{"journal": 1}', b"[" * 100_000, b"null", b"9" * 5000):
        path.write_bytes(damage + b"\n" + whole)
        found = find(opened(file).source)
        assert not found.kept and len(found.notes) == 1 and "damaged" in found.notes[0]
    lines_there = whole.split(b"\n")
    for damage in (b"{", b"{}", b'{"do": 1}', b'{"total": 99, "done": 99}', b'{"number": -1, "do": {}}'):
        path.write_bytes(b"\n".join([*lines_there[:2], damage, *lines_there[2:]]))
        kept = left(file)
        assert len(kept.done) == 1 and "line 3" in kept.damage
        assert take_up(opened(file), kept).lost == (kept.damage,)
    head_with(path, pipeline={"name": "gone"})
    path.write_bytes(path.read_bytes().replace(b"{}\n", b""))
    taken = take_up(opened(file), left(file))
    assert "unknown pipeline 'gone'" in taken.lost[0]


def test_a_folder_that_cannot_be_written_is_said_once_and_the_work_goes_on(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (file.parent / "blocked").write_text("a file where the folder should be")
    monkeypatch.setenv("HANDCOMPACT_STATE_DIR", str(file.parent / "blocked"))
    told: list[str] = []
    work, journal = opened(file), Journal(told.append)
    journal.follow(work)
    work_on(work)
    work.workspace.run_all()
    assert len(told) == 1 and "cannot be saved" in told[0] and journal.path is None
    monkeypatch.setenv("HANDCOMPACT_STATE_DIR", str(file.parent / "state"))
    work.workspace.back()
    journal.close()
    assert left(file).done == work.workspace.history.done, "once it can be written, all is kept"


def test_a_full_disk_keeps_what_was_whole(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    work, journal = opened(file), Journal(told.append)
    journal.follow(work)
    work.workspace.advance()
    real = os.write

    def full(descriptor: int, data: bytes) -> int:
        if len(data) > 20:
            return real(descriptor, data[:20])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        work.workspace.advance()
        work.workspace.pin([result_key(work)])
    assert len(told) == 1 and "No space left" in told[0]
    kept = left(file)
    assert (len(kept.done), kept.damage) == (1, "")


def test_a_history_without_end_is_given_up(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journals, "MAX_BYTES", 4_000)
    told: list[str] = []
    work, journal = opened(file), Journal(told.append)
    journal.follow(work)
    for _ in range(40):
        work.workspace.pin([result_key(work)])
    assert len(told) == 1 and "they exceed" in told[0]
    assert on_disk()[0].stat().st_size <= 4_000


def test_old_ones_go_and_those_at_work_stay(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work, _ = followed(file)
    work.workspace.advance()
    held = on_disk()[0]
    for number in range(5):
        other = journal_dir() / f"other-{number}.jsonl"
        other.write_text("")
        os.utime(other, (time.time() - 86_400 * number, time.time() - 86_400 * number))
    os.utime(held, (0, 0))
    monkeypatch.setattr(journals, "MAX_FILES", 3)
    clean(journal_dir())
    assert {path.name for path in on_disk()} == {held.name, "other-0.jsonl", "other-1.jsonl", "other-2.jsonl"}
    monkeypatch.setattr(journals, "MAX_DAYS", 1)
    clean(journal_dir())
    assert {path.name for path in on_disk()} == {held.name, "other-0.jsonl"}


def test_every_operation_is_one_line_more(file: Path) -> None:
    """Nothing is written anew, however long the history is."""
    work, _ = followed(file)
    work.workspace.pin([result_key(work)])
    grown = []
    for _ in range(50):
        before = on_disk()[0].stat().st_size
        work.workspace.pin([result_key(work)])
        grown.append(on_disk()[0].stat().st_size - before)
    assert max(grown) - min(grown) < 10
