"""What a program writes to a session in the very moment in which it is replaced is never lost."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from app.errors import FileChanged, RefusedError, WriteFailed
from app.export import replacing
from app.export.files import STAGING_PREFIX, StagedFile, publish_over
from app.export.manifests import Manifest, manifests
from app.export.plan import ExportOptions, ExportPlan, make_plan
from app.export.plan_text import written_lines
from app.export.write import write
from app.opening import open_workspace
from app.restore import restore
from tests.export.test_stopped import tree
from tests.formats.claude_code.records import lines, user

OLD = lines(user(1, None, "word " * 2_000))
LATE = lines(user(2, 1, "Too late?"))
needs_proc = pytest.mark.skipif(
    not Path("/proc/self/fdinfo").is_dir(), reason="only Linux tells who writes a file"
)


@pytest.fixture
def session(tmp_path: Path) -> Path:
    path = tmp_path / "a.jsonl"
    path.write_bytes(OLD)
    return path


@pytest.fixture(params=["second names", "no second names"])
def names(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """File systems with hard links, and without."""
    if request.param == "no second names":

        def link(*_: object, **__: object) -> None:
            raise OSError(errno.EPERM, os.strerror(errno.EPERM))

        monkeypatch.setattr(os, "link", link)


def planned(path: Path) -> ExportPlan:
    """Texts are cut, no message goes."""
    opened = open_workspace(str(path), pipeline="gentle", exact=False)
    opened.workspace.run_all()
    return make_plan(opened.workspace, opened.source, ExportOptions(in_place=True))


def replaced_backup(path: Path) -> Manifest:
    """The manifest of a backup of what a file held before."""
    write(planned(path))
    (manifest,) = manifests([path.parent / ".transcripts"])
    path.write_bytes(OLD + LATE)
    return manifest


@contextmanager
def meanwhile(before: Callable[[], Any] = int, behind: Callable[[], Any] = int) -> Iterator[None]:
    """Do something between the last look at a file and its replacement, and right behind that."""

    def over(staged: StagedFile, target: Path) -> None:
        before()
        publish_over(staged, target)
        behind()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replacing, "publish_over", over)
        yield


def appending(path: Path, data: bytes) -> Callable[[], None]:
    def append() -> None:
        with path.open("ab") as file:
            file.write(data)

    return append


def no_strays(folder: Path) -> bool:
    return not [path for path in folder.rglob("*") if path.name.startswith(STAGING_PREFIX)]


@pytest.mark.usefixtures("names")
def test_what_is_appended_goes_behind_the_new_session(session: Path) -> None:
    with meanwhile(appending(session, LATE)):
        written = write(planned(session))
    assert session.read_bytes().endswith(LATE) and session.read_bytes().count(LATE) == 1
    assert written.carried == len(LATE) == written.as_json()["carried_over"]
    assert json.loads(written.report.read_bytes())["carried_over"] == len(LATE) if written.report else False
    assert any(line.startswith("Carried ") for line in written_lines(written))
    assert session.stat().st_size == written.size + len(LATE) and no_strays(session.parent)


@pytest.mark.usefixtures("names")
@pytest.mark.parametrize("anew", [OLD[:100], b"{}\n" + OLD + LATE, OLD.replace(b"word", b"WORD")])
def test_what_is_written_anew_is_put_back(session: Path, anew: bytes) -> None:
    plan = planned(session)
    before = tree(session.parent)
    with meanwhile(lambda: session.write_bytes(anew)), pytest.raises(FileChanged, match="reopen it"):
        write(plan)
    assert tree(session.parent) == {**before, "a.jsonl": anew}


@pytest.mark.usefixtures("names")
def test_a_program_that_has_it_open_may_change_it_just_then(session: Path, tmp_path: Path) -> None:
    plan = planned(session)
    held = session.open("r+b", buffering=0)
    with held, meanwhile(behind=lambda: held.write(b"[")), pytest.raises(FileChanged):
        write(plan)
    assert session.read_bytes() == b"[" + OLD[1:] and no_strays(tmp_path)


def test_the_rest_of_a_record_is_not_put_behind_another(session: Path) -> None:
    session.write_bytes(OLD + LATE[:-20])
    plan = planned(session)
    with meanwhile(appending(session, LATE[-20:])), pytest.raises(FileChanged):
        write(plan)
    assert session.read_bytes() == OLD + LATE


def test_what_cannot_be_carried_over_leaves_the_file_as_it_was_with_it(
    session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(target: Path, data: bytes) -> None:
        with target.open("ab") as file:
            file.write(data[: len(data) // 2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(replacing, "append", full)
    plan = planned(session)
    before = tree(session.parent)
    with meanwhile(appending(session, LATE)), pytest.raises(WriteFailed, match="No space left") as failed:
        write(plan)
    assert f"{session} was not replaced" in str(failed.value)
    assert tree(session.parent) == {**before, "a.jsonl": OLD + LATE}


WRITER = """
import sys, time
with open(sys.argv[1], "ab", buffering=0) as file:
    print("open", flush=True)
    sys.stdin.readline()
    time.sleep(0.1)
    file.write(sys.argv[2].encode())
    if sys.argv[3] == "stays":
        sys.stdin.read()
"""


@contextmanager
def writer(path: Path, how: str) -> Iterator[Callable[[], None]]:
    """A program that opened a file; what is given lets it write a record, some time later."""
    command = [sys.executable, "-c", WRITER, str(path), LATE.decode(), how]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdin is not None and other.stdout is not None
        assert other.stdout.readline() == b"open\n"

        def go() -> None:
            assert other.stdin is not None
            other.stdin.write(b"\n")
            other.stdin.flush()

        yield go
        other.stdin.close()


@needs_proc
def test_who_had_opened_the_file_before_and_stood_still_is_waited_for(session: Path) -> None:
    plan = planned(session)
    with writer(session, "ends") as go, meanwhile(behind=go):
        written = write(plan)
    assert session.read_bytes().endswith(LATE) and written.carried == len(LATE)
    assert written.still_open == () and no_strays(session.parent)


@needs_proc
def test_who_keeps_the_replaced_file_open_is_named(session: Path) -> None:
    plan = planned(session)
    with writer(session, "stays") as go, meanwhile(behind=go):
        written = write(plan)
    assert session.read_bytes().endswith(LATE), "what it wrote so far is there"
    (name,) = written.still_open
    assert f"Warning   {name} still has the old file open" in "\n".join(written_lines(written))
    assert written.as_json()["still_open"] == [name]


@needs_proc
def test_what_is_written_anew_later_keeps_a_name_that_is_told(
    session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = planned(session)
    held = session.open("r+b")

    def writers(*_: object) -> tuple[str, ...]:
        held.write(b"[")
        held.close()
        return ()

    monkeypatch.setattr(replacing, "old_writers_of", writers)
    with pytest.raises(WriteFailed, match="the old file is now") as failed:
        write(plan)
    old = Path(str(failed.value).rpartition(" ")[2])
    assert old.read_bytes() == b"[" + OLD[1:] and not old.samefile(session)
    (manifest,) = manifests([session.parent / ".transcripts"])
    assert manifest.backup is not None and manifest.backup.read_bytes() == OLD


@pytest.mark.usefixtures("names")
def test_what_is_appended_while_a_backup_is_put_back_stays_where_it_was_written(session: Path) -> None:
    manifest = replaced_backup(session)
    before = tree(session.parent)
    with meanwhile(appending(session, LATE)), pytest.raises(FileChanged, match="reopen it"):
        restore(manifest)
    assert tree(session.parent) == {**before, "a.jsonl": OLD + LATE + LATE}
    assert restore(manifest).changed and session.read_bytes() == OLD


@needs_proc
def test_what_is_appended_behind_a_restore_keeps_a_name_that_is_told(session: Path) -> None:
    manifest = replaced_backup(session)
    with writer(session, "ends") as go, meanwhile(behind=go), pytest.raises(RefusedError) as failed:
        restore(manifest, force=True)
    old = Path(str(failed.value).rpartition(" ")[2])
    assert old.read_bytes() == OLD + LATE + LATE and session.read_bytes() == OLD


@needs_proc
def test_who_keeps_the_file_open_that_a_restore_replaced_is_named(session: Path) -> None:
    manifest = replaced_backup(session)
    with writer(session, "stays"):
        done = restore(manifest, force=True)
    assert len(done.still_open) == 1 and session.read_bytes() == OLD
