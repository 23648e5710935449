"""`report DIR` and `compact DIR`: every session below a folder, and what none of them may cost the others."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from app.batch import Job, Result
from tests.benchmarks.made import make
from tests.cli.run import Done, Handcompact

ROOT = Path(__file__).parents[2]
LONG = ROOT / "sample_sessions" / "claude-code-long.jsonl"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Two sessions, one of them deeper; a file of another kind, and one that is broken."""
    folder = tmp_path / "tree"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "long.jsonl").write_bytes(LONG.read_bytes())
    (folder / "small.json").write_text(
        '{"messages": [{"role": "user", "content": "hello \\u001b]0;x\\u0007"}]}'
    )
    (folder / "package.json").write_text('{"name": "no session"}')
    (folder / "empty.jsonl").write_text("")
    return folder


def lines(done: Done) -> tuple[dict[str, Any], dict[str, Any]]:
    """The lines by file name, and the summary."""
    told = [json.loads(line) for line in done.out.splitlines()]
    return {Path(line["source"]).name: line for line in told[:-1]}, told[-1]["summary"]


def test_a_report_of_a_folder_has_a_line_for_each_file_and_a_summary(
    handcompact: Handcompact, tree: Path
) -> None:
    done = handcompact("report", tree, "--json", "--jobs", "1")
    found, summary = lines(done)
    assert {name: line["outcome"] for name, line in found.items()} == {
        "long.jsonl": "read", "small.json": "read", "package.json": "other", "empty.jsonl": "unreadable",
    }  # fmt: skip
    assert done.code == 1 and summary["sessions"] == 2 and summary["files"] == 4 and not summary["stopped"]
    alone = handcompact("report", tree / "deep" / "long.jsonl", "--json").json
    assert found["long.jsonl"]["tokens"] == alone["tokens"]
    assert found["long.jsonl"]["could_free"]["tokens"] == summary["freed"] > 0
    assert [Path(one["source"]).name for one in summary["largest"]] == ["long.jsonl", "small.json"]


def test_processes_report_what_one_reports(handcompact: Handcompact, tree: Path) -> None:
    alone = lines(handcompact("report", tree, "--json", "--count", "rough", "--jobs", "1"))
    assert lines(handcompact("report", tree, "--json", "--count", "rough", "--jobs", "2")) == alone


def test_people_get_the_largest_sessions_and_a_line_for_each_trouble(
    handcompact: Handcompact, tree: Path
) -> None:
    done = handcompact("report", tree, "--count", "rough", "--jobs", "1", "--top", "1")
    assert "2 sessions" in done.out and "deep/long.jsonl" in done.out and "small.json" not in done.out
    assert "1 other file skipped" in done.out and "and 1 smaller session" in done.out
    assert done.err.count("\n") == 1 and "empty.jsonl: unreadable" in done.err
    assert "\x1b" not in done.out and "of which gentle would free ~" in done.out


def test_compacting_a_folder_is_a_dry_run_unless_it_is_asked_to_write(
    handcompact: Handcompact, tree: Path
) -> None:
    before = {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()}
    done = handcompact("compact", tree, "--count", "rough", "--jobs", "1")
    assert "Dry run" in done.out and "1 planned" in done.out and "1 nothing" in done.out
    assert {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()} == before


def test_new_sessions_go_to_another_folder_with_the_same_tree(
    handcompact: Handcompact, tree: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    before = sorted(tree.rglob("*"))
    arguments = ("--out", out, "--count", "rough", "--jobs", "1", "--no-backup", "--no-report", "--json")
    found, summary = lines(handcompact("compact", tree, *arguments))
    target = Path(found["long.jsonl"]["target"])
    assert target.parent == out / "deep" and target.is_file()
    assert target.stat().st_size < (tree / "deep" / "long.jsonl").stat().st_size
    assert found["small.json"]["outcome"] == "nothing" and summary["outcomes"]["written"] == 1
    listed = Path(found["long.jsonl"]["index"])
    assert sorted(path for path in out.rglob("*") if path.is_file()) == sorted([target, listed])
    assert listed.parents[1] == target.with_suffix("") and str(listed) not in target.read_text()
    now = sorted(path for path in tree.rglob("*") if ".transcripts" not in path.parts)
    assert now == before, "but for its papers nothing new lies among the originals"


def test_a_folder_goes_without_lists_where_none_are_wanted(
    handcompact: Handcompact, tree: Path, tmp_path: Path
) -> None:
    arguments = ("--out", tmp_path / "out", "--count", "rough", "--jobs", "1", "--no-index", "--json")
    found, _ = lines(handcompact("compact", tree, *arguments))
    assert found["long.jsonl"]["outcome"] == "written" and found["long.jsonl"]["index"] is None
    assert list(tmp_path.rglob("results-*.md")) == []


def test_new_sessions_beside_their_originals_are_not_compacted_again_in_one_run(
    handcompact: Handcompact, tree: Path
) -> None:
    found, summary = lines(
        handcompact("compact", tree, "--write", "--count", "rough", "--jobs", "1", "--no-backup", "--json")
    )
    assert Path(found["long.jsonl"]["target"]).parent == tree / "deep"
    assert summary["files"] == 4 and (tree / "deep" / "long.jsonl").read_bytes() == LONG.read_bytes()


@pytest.mark.parametrize(
    "arguments",
    [["--in-place"], ["--install"], ["--title", "x"], ["--out", "-"], ["--memory", "x"], ["--leaf", "x"]],
)
def test_what_is_for_one_session_is_refused_for_a_folder(
    handcompact: Handcompact, tree: Path, arguments: list[str]
) -> None:
    done = handcompact("compact", tree, *arguments)
    assert done.code == 2 and done.out == "" and len(done.err.splitlines()) == 1


def test_a_folder_without_sessions_and_a_pipeline_that_is_none_are_bad_use(
    handcompact: Handcompact, tree: Path, tmp_path: Path
) -> None:
    (tmp_path / "bare").mkdir()
    assert handcompact("report", tmp_path / "bare").code == 2
    assert handcompact("compact", tree, "--pipeline", "gone").code == 2
    assert handcompact("report", tree, "--jobs", "0").code == 2
    assert "--leaf works on one session" in handcompact("report", tree, "--leaf", "x").err


def test_a_folder_that_cannot_be_listed_is_told_of(
    handcompact: Handcompact, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.scandir

    def scan(place: Any) -> Any:
        if Path(place).name == "deep":
            raise PermissionError(13, "Permission denied", str(place))
        return real(place)

    monkeypatch.setattr(os, "scandir", scan)
    done = handcompact("report", tree, "--count", "rough", "--jobs", "1")
    assert done.code == 1 and "1 session" in done.out
    assert f"! {tree / 'deep'}: unreadable: cannot be listed (Permission denied)" in done.err


def test_what_was_done_by_an_interrupt_is_told(
    handcompact: Handcompact, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Job.do

    def interrupted(self: Job, path: Path, size: int) -> Result:
        if path.name == "small.json":
            raise KeyboardInterrupt
        return real(self, path, size)

    monkeypatch.setattr(Job, "do", interrupted)
    done = handcompact("compact", tree, "--write", "--count", "rough", "--jobs", "1", "--no-backup")
    assert done.code == 130 and "interrupted" in done.err
    assert "stopped   after 1 of 4 files" in done.out
    assert "1 written" in done.out and "wrote     deep/long.jsonl -> " in done.out
    told = handcompact("report", tree, "--json", "--count", "rough", "--jobs", "1")
    assert told.code == 130 and lines(told)[1]["stopped"] is True


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals to a group")
def test_ctrl_c_stops_all_processes_and_leaves_nothing_half_written(tmp_path: Path) -> None:
    for number in range(4):
        make(tmp_path / "tree" / f"{number}.jsonl", "claude", 20, seed=number)
    command = [sys.executable, "-m", "app", "compact", str(tmp_path / "tree"), "--write", "--jobs", "2"]
    running = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, start_new_session=True)
    time.sleep(4)
    os.killpg(running.pid, signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 130 and "interrupted" in said and "Traceback" not in said
    left = [path.name for path in (tmp_path / "tree").rglob("*") if path.name.startswith(".handcompact-")]
    assert left == []
