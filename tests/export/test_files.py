"""Files get their name whole or not at all, are private from the first byte, and never overwrite."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.errors import WriteFailed
from app.export.files import (
    STAGING_PREFIX,
    copy_folder,
    names_of,
    publish_free,
    publish_new,
    publish_over,
    stage,
)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_new_file_is_private_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        staged = stage(tmp_path, [b"secret"])
        assert mode(staged.path) == 0o600
        publish_new(staged, tmp_path / "new.jsonl")
    finally:
        os.umask(before)
    assert mode(tmp_path / "new.jsonl") == 0o600
    assert names(tmp_path) == ["new.jsonl"]


def test_an_existing_name_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "there").write_bytes(b"old")
    with pytest.raises(WriteFailed, match="already exists"):
        publish_new(stage(tmp_path, [b"new"]), tmp_path / "there")
    assert (tmp_path / "there").read_bytes() == b"old"
    assert names(tmp_path) == ["there"]


def test_two_backups_of_the_same_second_both_stay(tmp_path: Path) -> None:
    first = publish_free(stage(tmp_path, [b"1"]), names_of(tmp_path, "a.20260101T000000Z", ".jsonl"))
    second = publish_free(stage(tmp_path, [b"2"]), names_of(tmp_path, "a.20260101T000000Z", ".jsonl"))
    assert [first.name, second.name] == ["a.20260101T000000Z.jsonl", "a.20260101T000000Z-2.jsonl"]
    assert (first.read_bytes(), second.read_bytes()) == (b"1", b"2")


def test_in_place_keeps_the_mode_that_is_asked_for(tmp_path: Path) -> None:
    target = tmp_path / "session"
    target.write_bytes(b"old")
    publish_over(stage(tmp_path, [b"new"], 0o640), target)
    assert target.read_bytes() == b"new" and mode(target) == 0o640


def test_a_writer_that_breaks_leaves_nothing(tmp_path: Path) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"half"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stage(tmp_path, pieces())
    assert names(tmp_path) == []


def test_a_full_disk_is_said_plainly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WriteFailed, match="the disk is full: free some space and try again"):
        stage(tmp_path, [b"x"])
    assert names(tmp_path) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_said_plainly(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(WriteFailed, match="permission denied"):
        stage(tmp_path, [b"x"])


def test_a_side_folder_is_copied_whole_without_links(tmp_path: Path) -> None:
    source = tmp_path / "old"
    (source / "subagents").mkdir(parents=True)
    (source / "subagents" / "agent-1.jsonl").write_bytes(b"{}")
    (source / "link").symlink_to("/etc/hostname")
    made = copy_folder(source, tmp_path / "new")
    assert [path.relative_to(tmp_path).as_posix() for path in made] == ["new/subagents/agent-1.jsonl"]
    assert not any(name.startswith(STAGING_PREFIX) for name in names(tmp_path))
    assert mode(made[0]) == 0o600
