"""An agent goes on writing while its session is open."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.display import safe_text
from app.edits.drop import Drop
from app.errors import FileChanged, InputError
from app.export.plan import ExportOptions, make_plan
from app.export.write import write
from app.model import ToolResult, blocks_of
from app.opening import Opened, open_workspace
from app.reopening import SinceOpened, changed_since, reopen
from tests.formats.claude_code.records import assistant, lines, result, use, user, uuid
from tests.tui.files import anthropic_file

LONG = "a line of a file\n" * 900
RECORDS = (
    user(1, None, "Why?"),
    assistant(2, 1, [use("a", file_path="a.py")]),
    user(3, 2, [result("a", LONG)]),
    assistant(4, 3, "Because."),
)
MORE = (user(5, 4, "And now?"), assistant(6, 5, "Wait."))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.jsonl"
    path.write_bytes(lines(*RECORDS))
    return path


def opened(file: Path, leaf: str | None = None) -> Opened:
    return open_workspace(str(file), pipeline="react-mini", exact=False, leaf=leaf)


def key_of_result(work: Opened) -> str:
    return next(b.key for _, b in blocks_of(work.workspace.session.live) if isinstance(b, ToolResult))


def append(file: Path, *records: dict[str, object]) -> None:
    with file.open("ab") as out:
        out.write(lines(*records))


def test_a_file_that_stays_is_not_said_to_have_changed(file: Path) -> None:
    work = opened(file)
    assert changed_since(work.source) is None
    file.chmod(0o600)
    assert changed_since(work.source) is None


def test_growth_replacement_and_loss_are_told_apart(file: Path) -> None:
    work = opened(file)
    append(file, *MORE)
    assert changed_since(work.source) is SinceOpened.GREW
    work = opened(file)
    data = file.read_bytes()
    file.write_bytes(data[::-1] + data)
    assert changed_since(work.source) is SinceOpened.CHANGED
    file.write_bytes(data)
    work = opened(file)
    (file.parent / "b").write_bytes(data)
    (file.parent / "b").replace(file)
    assert changed_since(work.source) is SinceOpened.CHANGED
    file.unlink()
    assert changed_since(work.source) is SinceOpened.GONE


def test_a_grown_session_is_read_again_with_every_step(file: Path) -> None:
    work = opened(file)
    key = key_of_result(work)
    work.workspace.set_options("tool_result_budget", {"max_result_chars": 1000})
    work.workspace.run_all()
    work.workspace.back()
    work.workspace.pin([key])
    append(file, *MORE)
    again = reopen(work)
    assert again.opened.workspace.history.done == work.workspace.history.done
    assert again.opened.workspace.state == work.workspace.state
    assert (again.more, again.lost) == (2, ())
    assert again.told == "2 messages more"
    assert changed_since(again.opened.source) is None
    write(make_plan(again.opened.workspace, again.opened.source, ExportOptions(in_place=True)))


def test_a_hand_edit_is_done_again(file: Path) -> None:
    work = opened(file)
    work.workspace.edit(Drop(keys=(key_of_result(work),)))
    append(file, *MORE)
    again = reopen(work)
    assert again.lost == ()
    assert len(again.opened.workspace.messages) == len(work.workspace.messages) + 2


def test_what_is_gone_is_said(file: Path) -> None:
    work = opened(file)
    key = key_of_result(work)
    first = work.workspace.session.live[0].blocks[0].key
    work.workspace.pin([key, first])
    work.workspace.refuse("microcompact", [key])
    work.workspace.advance()
    file.write_bytes(lines(RECORDS[0], assistant(7, 1, "Something else.")))
    again = reopen(work)
    assert again.opened.workspace.state.pins == {first}
    assert again.lost == ("1 block of: pin 2 blocks", "reject 1 block of microcompact")
    assert again.told.startswith("2 messages fewer; not reapplied: ")
    assert [taken.step for taken in again.opened.workspace.state.taken] == ["tool_result_budget"]


def test_another_block_in_the_same_place_is_another_block(tmp_path: Path) -> None:
    file = anthropic_file(tmp_path, turns=2)
    work = opened(file)
    blocks = [block for _, block in blocks_of(work.workspace.session.live)]
    work.workspace.pin([blocks[0].key, blocks[3].key])
    file.write_text(file.read_text().replace("file 0", "FILE 0"))
    again = reopen(work)
    assert again.opened.workspace.state.pins == {blocks[0].key}


def test_a_chosen_branch_stays_chosen_while_the_other_grows(file: Path) -> None:
    append(file, user(7, 2, [result("a", "other")]), assistant(8, 7, "Otherwise."))
    work = opened(file, leaf=uuid(4))
    append(file, user(9, 8, "The other goes on."))
    again = reopen(work)
    assert again.opened.workspace.session.live_leaf == uuid(4)
    assert again.more == 0


def test_a_file_that_became_something_else_is_refused_and_nothing_is_lost(file: Path) -> None:
    work = opened(file)
    work.workspace.pin(["x"])
    file.write_text("no session")
    with pytest.raises(InputError):
        reopen(work)
    assert work.workspace.state.pins == {"x"}
    file.unlink()
    with pytest.raises(InputError, match="does not exist"):
        reopen(work)


def test_what_was_written_anew_is_not_exported(file: Path) -> None:
    work = opened(file)
    work.workspace.set_options("tool_result_budget", {"max_result_chars": 1000})
    plan = make_plan(work.workspace, work.source, ExportOptions())
    file.write_bytes(lines(RECORDS[0], assistant(7, 1, "Something else.")) * 20)
    with pytest.raises(FileChanged, match="was rewritten"):
        write(plan)
    assert [path.name for path in file.parent.iterdir()] == ["a.jsonl"]


@pytest.mark.parametrize("how", ["same size", "other inode", "same size and time"])
def test_in_place_is_refused_however_the_file_changed(file: Path, how: str) -> None:
    work = opened(file)
    work.workspace.set_options("tool_result_budget", {"max_result_chars": 1000})
    work.workspace.run_all()
    plan = make_plan(work.workspace, work.source, ExportOptions(in_place=True))
    before, times = file.read_bytes(), file.stat()
    other = before.replace(b"Because", b"BECAUSE")
    if how == "other inode":
        (file.parent / "new").write_bytes(before)
        (file.parent / "new").replace(file)
        other = before
    else:
        file.write_bytes(other)
    if how == "same size and time":
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    with pytest.raises(FileChanged) as refusal:
        write(plan)
    assert "reopen it" in str(refusal.value) and safe_text(str(refusal.value)) == str(refusal.value)
    assert file.read_bytes() == other


def test_a_link_is_followed_stays_a_link_and_is_said(file: Path) -> None:
    link = file.parent / "link.jsonl"
    link.symlink_to(file)
    work = opened(link)
    work.workspace.set_options("tool_result_budget", {"max_result_chars": 1000})
    work.workspace.run_all()
    plan = make_plan(work.workspace, work.source, ExportOptions(in_place=True))
    assert f"{link} is a link to {file}" in [check.text for check in plan.checks]
    written = write(plan)
    assert link.is_symlink() and link.resolve() == file == written.target
    append(file, *MORE)
    assert changed_since(work.source) is SinceOpened.CHANGED
