"""An export of a chosen branch keeps the others in the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.export.plan import ExportOptions, make_plan
from app.export.write import write
from app.formats import open_session
from app.model import Message, Session, Text
from app.opening import open_workspace
from tests.formats.claude_code import records as claude
from tests.formats.pi import records as pi

LONG = "a line of a file\n" * 900


def claude_code() -> bytes:
    call = claude.use("a", file_path="a.py")
    return claude.lines(
        claude.user(1, None, "Why?"),
        claude.assistant(2, 1, [call]),
        claude.user(3, 2, [claude.result("a", LONG)]),
        claude.assistant(4, 3, "The first end."),
        claude.user(5, 3, "Rather so:"),
        claude.assistant(6, 5, "The second end."),
    )


def last_words(message: Message) -> str:
    return "".join(block.content.read() for block in message.blocks if isinstance(block, Text))


def ends(session: Session, path: Path) -> dict[str, int]:
    """Last words of every branch -> messages on it."""
    found = {}
    for leaf in session.leaves:
        branch, _ = open_session(path, leaf.key)
        found[last_words(branch.live[-1])] = len(branch.live)
    return found


def pi_log() -> bytes:
    return pi.lines(
        pi.header(),
        pi.user(1, None, "Why?"),
        pi.assistant(2, 1, [pi.call("a", path="a.py")]),
        pi.result(3, 2, "a", LONG),
        pi.assistant(4, 3, "The first end."),
        pi.user(5, 3, "Rather so:"),
        pi.assistant(6, 5, "The second end."),
    )


MADE = {"claude-code": (claude_code(), claude.uuid(4)), "pi": (pi_log(), pi.ident(4))}


@pytest.mark.parametrize("in_place", [False, True], ids=["new file", "in place"])
@pytest.mark.parametrize("kind", MADE)
def test_the_other_branch_stays(kind: str, tmp_path: Path, in_place: bool) -> None:
    data, leaf = MADE[kind]
    file = tmp_path / "a.jsonl"
    file.write_bytes(data)
    before, _ = open_session(file)
    assert before.format == kind
    wanted = ends(before, file)
    assert set(wanted) == {"The first end.", "The second end."}
    opened = open_workspace(str(file), leaf=leaf, pipeline="react-mini", exact=False)
    opened.workspace.set_options("tool_result_budget", {"max_result_chars": 1000})
    opened.workspace.run_all()
    written = write(make_plan(opened.workspace, opened.source, ExportOptions(in_place=in_place)))
    assert written.target is not None and written.plan.rewriting.changed
    after, _ = open_session(written.target)
    assert last_words(after.live[-1]) == "The first end.", "the agent goes on where the person chose"
    assert ends(after, written.target) == wanted
