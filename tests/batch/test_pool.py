"""A job over many files: bounded, whatever breaks, and stopped when it is asked to."""

from __future__ import annotations

import json
import multiprocessing
import os
import time
from collections.abc import Generator
from pathlib import Path

import pytest

from app.batch import Entry, Job, Outcome, Result, pool, run
from app.batch.tree import sessions_below
from app.errors import UnreadableFile


class Named(Job, frozen=True):
    """Does what a file's name says."""

    def do(self, path: Path, size: int) -> Result:
        if path.name.startswith("kill"):
            os._exit(1)
        if path.name.startswith("slow"):
            time.sleep(30)
        return Result(path, size, Outcome.READ, told={"process": os.getpid()})


def entries(*names: str) -> list[Entry]:
    return [Entry(Path(name), len(names) - number) for number, name in enumerate(names)]


JOB = Named("gentle")


def test_all_files_are_done_by_several_processes() -> None:
    found = list(run(JOB, entries(*(f"f{n}" for n in range(20))), processes=2))
    assert sorted(result.path.name for result in found) == sorted(f"f{n}" for n in range(20))
    assert all(result.told["process"] != os.getpid() for result in found)


def test_a_process_that_dies_costs_its_own_file_only() -> None:
    names = ("f0", "kill1", "f2", "f3", "kill4", *(f"f{n}" for n in range(5, 12)))
    found = {result.path.name: result for result in run(JOB, entries(*names), processes=2)}
    assert set(found) == set(names)
    failed = {name for name, result in found.items() if result.outcome is Outcome.FAILED}
    assert failed == {"kill1", "kill4"}
    assert "ended" in found["kill1"].reason


def test_processes_end_without_a_word(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for number in range(4):
        (tmp_path / f"{number}.json").write_text(json.dumps([{"role": "user", "content": f"say {number}"}]))
    job = Job("gentle", cache=tmp_path / "cache")
    found = list(run(job, sessions_below(tmp_path), processes=2))
    assert [result.outcome for result in found] == [Outcome.READ] * 4
    assert capfd.readouterr() == ("", "")


def test_more_processes_than_can_be_waited_for_are_not_started(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def spread(job: Job, listed: list[Entry], count: int) -> Generator[Result, None, None]:
        asked.append(count)
        yield from ()

    monkeypatch.setattr(pool, "_spread", spread)
    list(run(JOB, entries(*(f"f{n}" for n in range(200))), processes=1_000))
    assert asked == [pool.MOST_PROCESSES]


def test_one_file_needs_no_other_process() -> None:
    [result] = run(JOB, entries("f0"))
    assert result.told["process"] == os.getpid()


def test_a_run_that_is_closed_ends_its_processes_at_once() -> None:
    began = time.monotonic()
    running = run(JOB, entries("slow1", "slow2", "f0", "f1"), processes=3)
    assert isinstance(running, Generator)
    next(running)
    running.close()
    assert time.monotonic() - began < 20
    assert multiprocessing.active_children() == []


def test_files_are_found_by_their_ending_and_our_own_folders_are_passed_over(tmp_path: Path) -> None:
    for name in (
        "a.jsonl",
        "b/c.json",
        "b/d.traj",
        "b/e.txt",
        ".transcripts/f.jsonl",
        "out/g.json",
        ".h.json",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("{}")
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.jsonl")
    found = sessions_below(tmp_path, leave_out=(tmp_path / "out",))
    assert [str(entry.path.relative_to(tmp_path)) for entry in found] == ["a.jsonl", "b/c.json", "b/d.traj"]
    assert {entry.size for entry in found} == {2}


def test_a_folder_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="cannot be listed"):
        sessions_below(tmp_path / "gone")
