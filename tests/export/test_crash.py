"""A kill at any point of an export leaves the original whole, or the new file whole, and the backup whole."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import pytest

from app.export.files import STAGING_PREFIX
from app.export.manifests import manifests
from app.export.stray_files import remove, strays
from app.restore import RESTORE, restore
from tests.export.kills import (
    MOST,
    NEW_BESIDE,
    ORIGINAL,
    REPLACED,
    SAMPLE,
    export,
    kills,
    run_until,
    table,
)
from tests.formats.claude_code.records import assistant, lines, result, use, user

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="the crash is made with fork"),
    # The child does one thing and ends; it waits for no lock of another thread.
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
]


SHORT = lines(
    user(1, None, "Why?"),
    assistant(2, 1, [use("a", file_path="a.py")]),
    user(3, 2, [result("a", "a line of a file\n" * 900)]),
    assistant(4, 3, "Because."),
)
SESSIONS = [SHORT, pytest.param(SAMPLE.read_bytes(), marks=pytest.mark.slow)]


@pytest.mark.parametrize("session", SESSIONS, ids=["short", "sample"])
@pytest.mark.parametrize("in_place", [False, True], ids=["new file", "in place"])
def test_the_original_or_the_new_file_is_whole_after_any_kill(
    tmp_path: Path, session: bytes, in_place: bool
) -> None:
    found = list(kills(tmp_path, session, in_place=in_place))
    done = REPLACED if in_place else NEW_BESIDE
    assert {kill.state for kill in found} == {ORIGINAL, done}
    states = [kill.state for kill in found]
    assert states == sorted(states, key=[ORIGINAL, done].index), "once it is there it stays"
    touched = {kill.touch.partition(" ")[0] for kill in found}
    assert {"open", "write", "fsync", "link", "mkdir"} <= touched and len(found) > 25
    assert any(kill.strays for kill in found)
    assert "kills:" in list(table(found))[-1]


def test_the_restored_file_or_the_one_before_is_whole_after_any_kill(tmp_path: Path) -> None:
    seen: list[bool] = []
    for number in range(1, MOST):
        place = tmp_path / f"kill-{number}"
        place.mkdir()
        (place / "a.jsonl").write_bytes(SHORT)
        export(place, in_place=True)
        (manifest,) = manifests([place / ".transcripts"])
        later = (place / "a.jsonl").read_bytes() + lines(user(5, 4, "And now?"))
        (place / "a.jsonl").write_bytes(later)
        code, _ = run_until(number, place, partial(restore, manifest))
        now = (place / "a.jsonl").read_bytes()
        assert now in (SHORT, later)
        kept = [m for m in manifests([place / ".transcripts"]) if m.pipeline == RESTORE]
        backups = [m.backup.read_bytes() for m in kept if m.backup is not None and m.backup.is_file()]
        assert backups == [later] or now == later, "what stood there before is kept"
        named = set((place / ".transcripts").glob("*replaced*Z.jsonl"))
        assert named <= {m.backup for m in kept}, "a backup that nothing tells of"
        seen.append(now == SHORT)
        remove(strays([place, place / ".transcripts"]))
        if code == 0:
            break
    assert seen == sorted(seen) and not seen[0] and seen[-1] and len(seen) > 25


def test_only_unfinished_files_are_ever_removed(tmp_path: Path) -> None:
    mine = tmp_path / "mine.jsonl"
    mine.write_text("x")
    with pytest.raises(ValueError, match="not an unfinished file"):
        remove([mine])
    assert mine.exists()


def test_a_file_that_is_being_written_is_no_stray(tmp_path: Path) -> None:
    (tmp_path / f"{STAGING_PREFIX}{os.getpid()}-abc").write_text("half")
    assert strays([tmp_path]) == ()


@pytest.mark.parametrize("number", ["9" * 30, "²", "", "x"])
def test_a_name_that_no_process_gave_is_a_stray(tmp_path: Path, number: str) -> None:
    left = tmp_path / f"{STAGING_PREFIX}{number}-abc"
    left.write_text("half")
    assert strays([tmp_path]) == (left,)
