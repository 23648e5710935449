"""A crash at any point of an export leaves the original whole, or the new file whole, and the backup whole.

The process is ended before each call that touches the disk, one after the other, as a kill would.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.export.files import STAGING_PREFIX
from app.export.plan import Wishes, make_plan
from app.export.strays import remove, strays
from app.export.write import write
from app.opening import open_workspace
from app.restore import manifests, restore

SAMPLE = Path(__file__).parent.parent.parent / "sample_sessions" / "claude-code-v2-0.jsonl"
CALLS = ("open", "fsync", "link", "unlink", "mkdir", "rename", "replace", "rmdir")
KILLED = 137

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="the crash is made with fork"),
    # The child does one thing and ends; it waits for no lock of another thread.
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
]


def export(folder: Path, *, in_place: bool) -> None:
    opened = open_workspace(str(folder / "a.jsonl"), pipeline="react-mini", exact=False)
    opened.workspace.set_options("microcompact", {"max_total_chars": "1000"})
    opened.workspace.set_options("retain_tail", {"enabled": "false"})
    opened.workspace.run_all()
    write(make_plan(opened.workspace, opened.source, Wishes(in_place=in_place)))


def run_until(call: int, work: Callable[[], None]) -> int:
    """Do `work` in a child that ends before its `call`-th touch of the disk; its exit code."""
    child = os.fork()
    if child == 0:
        try:
            _end_before(call)
            work()
        except BaseException:
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _end_before(call: int) -> None:
    left = call

    def counted(real: Callable[..., Any]) -> Callable[..., Any]:
        def touch(*arguments: Any, **named: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0:
                os._exit(KILLED)
            return real(*arguments, **named)

        return touch

    for name in CALLS:
        setattr(os, name, counted(getattr(os, name)))


@pytest.mark.parametrize("in_place", [False, True], ids=["new file", "in place"])
def test_the_original_or_the_new_file_is_whole_after_any_crash(tmp_path: Path, in_place: bool) -> None:
    original = SAMPLE.read_bytes()
    whole = tmp_path / "whole"
    whole.mkdir()
    (whole / "a.jsonl").write_bytes(original)
    export(whole, in_place=in_place)
    expected = (whole / "a.jsonl").read_bytes() if in_place else None
    ends = []
    for call in range(1, 200):
        folder = tmp_path / f"crash-{call}"
        folder.mkdir()
        (folder / "a.jsonl").write_bytes(original)
        code = run_until(call, lambda folder=folder: export(folder, in_place=in_place))  # type: ignore[misc]
        ends.append(code)
        assert code in (0, KILLED), f"call {call}"
        assert_whole(folder, original, expected)
        if code == 0:
            break
    assert ends[-1] == 0 and len(ends) > 15


def assert_whole(folder: Path, original: bytes, expected: bytes | None) -> None:
    now = (folder / "a.jsonl").read_bytes()
    assert now in (original, expected)
    if now == expected:
        backups = [m for m in manifests([folder / ".transcripts"]) if m.backup and m.backup.is_file()]
        assert backups and backups[0].backup is not None and backups[0].backup.read_bytes() == original
        restore(backups[0])
        assert (folder / "a.jsonl").read_bytes() == original
    for path in (folder / ".transcripts").glob("a.2*Z.jsonl"):
        assert path.read_bytes() == original
    for path in folder.glob("*-*-*-*-*.jsonl"):
        opened = open_workspace(str(path), pipeline="react-mini", exact=False)
        assert opened.workspace.session.live and not opened.workspace.session.facts.bad_lines
    left = strays([folder, folder / ".transcripts"])
    assert all(path.name.startswith(STAGING_PREFIX) for path in left)
    remove(left)
    assert strays([folder, folder / ".transcripts"]) == ()


def test_only_unfinished_files_are_ever_removed(tmp_path: Path) -> None:
    mine = tmp_path / "mine.jsonl"
    mine.write_text("x")
    with pytest.raises(ValueError, match="not an unfinished file"):
        remove([mine])
    assert mine.exists()


def test_a_file_that_is_being_written_is_no_stray(tmp_path: Path) -> None:
    (tmp_path / f"{STAGING_PREFIX}{os.getpid()}-abc").write_text("half")
    assert strays([tmp_path]) == ()
