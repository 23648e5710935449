"""Reads whose file stands on disk as it was read, and the files that are never opened."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.model import Message
from app.pipeline import load
from app.work.on_disk import DiskState, reads_today, told, unchanged_reads
from app.work.workspace import Workspace
from tests.build import assistant, conversation, result, use, user
from tests.work.test_workspace import session

SOURCE = "import os\n\nprint(os.name)\n"


def read(path: object, text: str, **arguments: object) -> tuple[Message, ...]:
    call = use("r", "Read", {"file_path": str(path), **arguments})
    return conversation(assistant(call), user(result("r", text, key="r")), assistant("Read."))


@pytest.mark.parametrize(
    "text",
    [
        "     1→import os\n     2→\n     3→print(os.name)\n",
        "1\timport os\n2\t\n3\tprint(os.name)",
        "1\timport os\n2\t\n3\tprint(os.name)\n\n<system-reminder>\nBe careful.\n</system-reminder>\n",
        "3\tprint(os.name)",
        SOURCE,
        SOURCE.rstrip(),
    ],
)
def test_a_file_that_stands_as_it_was_read(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.py"
    path.write_text(SOURCE)
    assert unchanged_reads(read(path, text)) == {"r"}
    assert unchanged_reads(read("a.py", text), cwd=str(tmp_path)) == {"r"}


@pytest.mark.parametrize(
    "text", ["1\timport sys\n2\t\n3\tprint(os.name)", "2\timport os", "9\timport os", "import os", "", "1\t"]
)
def test_a_file_that_changed(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.py"
    path.write_text(SOURCE)
    assert unchanged_reads(read(path, text)) == frozenset()


def test_what_is_no_plain_file_of_text_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "big").touch()
    os.truncate(tmp_path / "big", 20_000_001)
    for name in ("pipe", "binary", "big", "missing", ".", "nul\0byte", "x" * 5000):
        assert unchanged_reads(read(f"{tmp_path}/{name}", SOURCE)) == frozenset()
    assert unchanged_reads(read("a.py", SOURCE)) == frozenset()


def test_the_look_is_an_operation_that_can_be_undone(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("x = 1\n" * 400)
    messages = [
        *(m for n in range(9) for m in (assistant(use(f"b{n}", "Bash")), user(result(f"b{n}", "ok")))),
        assistant("Done."),
    ]
    work = Workspace(
        session(*read(path, path.read_text()), *messages),
        load("gentle").with_options({"old-results": {"target_share": 0.0}}),
        exact=False,
    )
    assert not work.ahead[-1].changes
    assert work.look_at_disk() == 1
    assert [change.key for change in work.ahead[-1].changes] == ["r"]
    work.undo()
    assert not work.ahead[-1].changes


def test_a_read_is_told_what_became_of_its_file(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(SOURCE)
    reads = read(path, SOURCE)
    assert reads_today(reads) == {"r": DiskState.SAME}
    path.write_text(SOURCE + "# more\n")
    assert reads_today(reads) == {"r": DiskState.CHANGED}
    path.unlink()
    assert reads_today(reads) == {"r": DiskState.GONE}
    assert reads_today(reads, keys=["other"]) == {}
    assert told([DiskState.GONE, DiskState.SAME, DiskState.SAME]) == "2 unchanged, 1 gone"
    assert told([]) == ""


def test_a_read_that_was_superseded_is_looked_at_when_it_is_asked_for_itself(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(SOURCE)
    twice = conversation(
        assistant(use("r", "Read", {"file_path": str(path)})), user(result("r", SOURCE, key="r")),
        assistant(use("s", "Read", {"file_path": str(path)})), user(result("s", SOURCE, key="s")),
        assistant("Read."),
    )  # fmt: skip
    assert reads_today(twice) == {"s": DiskState.SAME}
    assert reads_today(twice, keys=["r"]) == {"r": DiskState.SAME}
