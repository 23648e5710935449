"""A disk that is full at any touch of it gives one clear line, and nothing half written."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from app.errors import FileChanged, HandcompactError, RefusedError, WriteFailed
from app.export.files import STAGING_PREFIX
from app.export.manifests import manifests
from app.export.plan import ExportOptions, ExportPlan, make_plan
from app.export.plan_text import written_facts
from app.export.write import write
from app.opening import open_workspace
from app.restore import restore
from tests.export.kills import SAMPLE

CALLS = ("open", "fsync", "link", "mkdir", "rename", "replace")


@contextmanager
def full_at(call: int) -> Iterator[list[str]]:
    """Let the `call`-th touch of the disk fail as on a full one; gives the names of the touches."""
    touched: list[str] = []
    real = {name: getattr(os, name) for name in (*CALLS, "fdopen")}

    def counted(name: str) -> Callable[..., Any]:
        def touch(*arguments: Any, **named: Any) -> Any:
            is_read = name == "open" and not arguments[1] & os.O_CREAT
            if not is_read:
                touched.append(name)
                if len(touched) == call:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return real[name](*arguments, **named)

        return touch

    def opened(descriptor: int, *arguments: Any, **named: Any) -> Any:
        file = real["fdopen"](descriptor, *arguments, **named)
        touched.append("write")
        if len(touched) == call:
            file.close()
            # What is written into it comes too late: the same error by the file's own hand.
            return _Full()
        return file

    with pytest.MonkeyPatch.context() as patch:
        for name in CALLS:
            patch.setattr(os, name, counted(name))
        patch.setattr(os, "fdopen", opened)
        yield touched


class _Full:
    """A file on a full disk."""

    def __enter__(self) -> _Full:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def write(self, _: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def planned(folder: Path, *, in_place: bool) -> ExportPlan:
    folder.mkdir()
    (folder / "a.jsonl").write_bytes(SAMPLE.read_bytes())
    opened = open_workspace(str(folder / "a.jsonl"), pipeline="react-mini", exact=False)
    opened.workspace.set_options("microcompact", {"max_total_chars": "1000"})
    opened.workspace.set_options("retain_tail", {"enabled": "false"})
    opened.workspace.run_all()
    return make_plan(opened.workspace, opened.source, ExportOptions(in_place=in_place))


def assert_clear(error: HandcompactError) -> None:
    assert isinstance(error, WriteFailed)
    assert "the disk is full: free some space and try again" in str(error) and "\n" not in str(error)


def strays(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.name.startswith(STAGING_PREFIX)]


@pytest.mark.parametrize("in_place", [False, True], ids=["new file", "in place"])
def test_an_export(tmp_path: Path, in_place: bool) -> None:
    original = SAMPLE.read_bytes()
    kinds = set()
    for call in range(1, 100):
        folder = tmp_path / f"{call}"
        plan = planned(folder, in_place=in_place)
        with full_at(call) as touched:
            try:
                written = write(plan)
            except HandcompactError as error:
                assert_clear(error)
                written = None
        kinds.add(touched[-1])
        assert strays(folder) == [], touched
        if written is not None and len(touched) < call:
            break
        new = [path for path in folder.glob("*.jsonl") if path.name != "a.jsonl"]
        if written is None:
            assert (folder / "a.jsonl").read_bytes() == original and new == [], touched
            assert list(folder.iterdir()) == [folder / "a.jsonl"], touched
        elif written.report is None:
            told = dict(written_facts(written))["Report"]
            assert told.startswith("missing: ") and "disk is full" in told
    else:
        pytest.fail("it never ended")
    assert kinds >= {"write", "fsync", "open"} and call > 10


def test_a_restore(tmp_path: Path) -> None:
    original = SAMPLE.read_bytes()
    for call in range(1, 100):
        folder = tmp_path / f"{call}"
        write(planned(folder, in_place=True))
        compacted = (folder / "a.jsonl").read_bytes()
        (manifest,) = manifests([folder / ".transcripts"])
        before = sorted(folder.rglob("*"))
        with full_at(call) as touched:
            try:
                done = restore(manifest)
            except HandcompactError as error:
                assert_clear(error)
                done = None
        assert strays(folder) == [], touched
        assert (folder / "a.jsonl").read_bytes() == (compacted if done is None else original), touched
        if done is None:
            assert sorted(folder.rglob("*")) == before, touched
        else:
            assert done.replaced_backup is not None and done.replaced_backup.read_bytes() == compacted
            break
    else:
        pytest.fail("it never ended")
    assert call > 6


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    plan = planned(tmp_path / "a", in_place=True)
    (tmp_path / "a").chmod(0o555)
    try:
        with pytest.raises(WriteFailed, match="permission denied"):
            write(plan)
    finally:
        (tmp_path / "a").chmod(0o755)
    assert (tmp_path / "a" / "a.jsonl").read_bytes() == SAMPLE.read_bytes()


@pytest.mark.parametrize("name", ["x" * 300 + ".jsonl", "no/such/folder/x.jsonl", "a.jsonl/x.jsonl"])
def test_a_name_that_cannot_be(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "a"
    planned(folder, in_place=False)
    opened = open_workspace(str(folder / "a.jsonl"), pipeline="react-mini", exact=False)
    plan = make_plan(opened.workspace, opened.source, ExportOptions(out=folder / name))
    with pytest.raises(RefusedError) as refusal:
        write(plan)
    assert "\n" not in str(refusal.value) and "choose" in str(refusal.value)
    assert strays(folder) == [] and (folder / "a.jsonl").read_bytes() == SAMPLE.read_bytes()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the other process is made with fork")
def test_of_two_processes_only_one_replaces_the_file(tmp_path: Path) -> None:
    plans = [planned(tmp_path / "a", in_place=True)]
    opened = open_workspace(str(tmp_path / "a" / "a.jsonl"), pipeline="react-mini", exact=False)
    plans.append(make_plan(opened.workspace, opened.source, ExportOptions(in_place=True)))
    children = []
    for plan in plans:
        child = os.fork()
        if child == 0:
            try:
                write(plan)
            except FileChanged:
                os._exit(3)
            except BaseException:
                os._exit(9)
            os._exit(0)
        children.append(child)
    codes = sorted(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children)
    assert codes == [0, 3]
    backups = list((tmp_path / "a" / ".transcripts").glob("a.2*Z*.jsonl"))
    assert {path.read_bytes() for path in backups} == {SAMPLE.read_bytes()}
    assert len(manifests([tmp_path / "a" / ".transcripts"])) == 1
    assert strays(tmp_path) == []
