"""What people most often want gone: told before it is done, done in one operation, undone in one."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.errors import InputError
from app.opening import open_workspace
from app.pipeline import load
from app.work.checks import CheckLevel
from app.work.history import OpKind
from app.work.quick_fixes import QUICK_FIXES, QuickFix, fix_named, offer, offers
from app.work.workspace import Workspace
from tests.build import assistant, image, result, use, user
from tests.work.test_workspace import LONG, session

SAMPLE = Path(__file__).parents[2] / "sample_sessions" / "claude-code-long.jsonl"


@pytest.mark.parametrize("fix", [f for f in QUICK_FIXES if not f.looks_at_disk], ids=lambda fix: fix.name)
def test_it_does_what_it_offered_in_one_operation(fix: QuickFix) -> None:
    workspace = open_workspace(str(SAMPLE), pipeline="gentle", exact=False).workspace
    before = workspace.messages
    told = offer(workspace, fix)
    assert told.does_something and told.tokens > 0
    assert workspace.messages is before
    step = workspace.edit(told.edit)
    assert len(step.changes) == told.blocks
    assert [operation.kind for operation in workspace.history.done] == [OpKind.EDIT]
    assert workspace.tokens(before) - workspace.tokens(workspace.messages) == told.tokens
    assert workspace.words_gone == ()
    assert all(check.level is not CheckLevel.FAIL for check in workspace.checks())
    again = offer(workspace, fix)
    assert not again.does_something and again.note
    workspace.undo()
    assert workspace.messages is before


def test_all_of_them_one_after_the_other() -> None:
    workspace = open_workspace(str(SAMPLE), pipeline="gentle", exact=False).workspace
    for fix in QUICK_FIXES:
        told = offer(workspace, fix)
        if told.does_something:
            workspace.edit(told.edit)
    assert all(check.level is not CheckLevel.FAIL for check in workspace.checks())
    assert not any(told.does_something for told in offers(workspace))


def test_the_disk_is_looked_at_only_when_asked(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(LONG)
    (tmp_path / "b.py").write_text("changed since")
    messages = [user("Go.")]
    for name in ("a", "b"):
        path = str(tmp_path / f"{name}.py")
        messages += [assistant(use(name, "Read", {"file_path": path})), user(result(name, LONG))]
    workspace = Workspace(session(*messages, assistant("Ok.")), load("gentle"), exact=False)
    assert [told.fix.name for told in offers(workspace)] == [
        fix.name for fix in QUICK_FIXES if not fix.looks_at_disk
    ]
    told = next(told for told in offers(workspace, look_at_disk=True) if told.fix.looks_at_disk)
    assert told.blocks == 1 and told.edit.keys == ("m3/0",)
    step = workspace.edit(told.edit)
    assert [change.key for change in step.changes] == ["m3/0"] and workspace.state.unchanged == frozenset()


def test_old_images_are_those_before_the_newest_turn() -> None:
    messages = [user("See.", image()), assistant("Yes."), user("And this?", image()), assistant("Yes.")]
    workspace = Workspace(session(*messages), load("gentle"), exact=False)
    assert offer(workspace, fix_named("old-images")).edit.keys == ("m1/1",)


def test_a_session_with_nothing_to_mend_says_so() -> None:
    workspace = Workspace(session(user("Hello."), assistant("Hello!")), load("gentle"), exact=False)
    for told in offers(workspace, look_at_disk=True):
        assert not told.does_something and told.note, told.fix.name
    with pytest.raises(InputError, match="unknown quick fix 'magic'"):
        fix_named("magic")
