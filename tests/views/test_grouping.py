"""Files, tools, turns and verdicts with what they weigh."""

from __future__ import annotations

import pytest

from app.edits import make_edit
from app.pipeline import load
from app.views.grouping import Group, GroupBy, groups
from app.work.workspace import Workspace
from tests.build import assistant, result, use, user
from tests.edits.given import talk
from tests.work.test_workspace import LONG, session


@pytest.fixture
def workspace() -> Workspace:
    messages = []
    for n in range(7):
        messages += [assistant(use(f"r{n}", "Read", {"file_path": "src/a.py"})), user(result(f"r{n}", LONG))]
    for n in range(2):
        messages += [assistant(use(f"e{n}", "Edit", {"file_path": "src/a.py"})), user(result(f"e{n}", "ok"))]
    shell = [assistant(use("b", "Bash", {"command": "cat src/a.py"})), user(result("b", LONG))]
    failed = [assistant(use("f", "Bash", {"command": "x"})), user(result("f", "Exit code 1", error=True))]
    every = [user("Go   on\nplease."), *messages, *shell, user("And?"), *failed, assistant("Yes.")]
    return Workspace(session(*every), load("gentle"), exact=False)


def found(workspace: Workspace, by: GroupBy) -> dict[str, Group]:
    return {group.label: group for group in groups(workspace, by)}


def test_a_file_is_one_group_whatever_the_tool(workspace: Workspace) -> None:
    group = found(workspace, GroupBy.PATH)["src/a.py"]
    assert group.words.startswith("8 reads, ") and group.words.endswith("k, edited twice")
    assert group.count == len(group.keys) == 20
    assert group.tokens == sum(
        workspace.block_tokens(row.block) for row in workspace.rows if row.key in group.keys
    )


def test_tools_turns_and_verdicts(workspace: Workspace) -> None:
    tools = found(workspace, GroupBy.TOOL)
    assert list(tools) == ["Read", "Bash", "Edit"]
    assert tools["Bash"].words.startswith("2 calls, ") and tools["Bash"].words.endswith("1 failed")
    turns = groups(workspace, GroupBy.TURN)
    assert [group.label for group in turns] == ["1 Go on please.", "2 And?"]
    assert turns[1].words.startswith("4 messages, 1 call, ")
    verdicts = found(workspace, GroupBy.VERDICT)
    assert verdicts["user"].keys == ("m1/0", "m22/0") and verdicts["user"].words.startswith("2 blocks, ")


@pytest.mark.parametrize("by", GroupBy)
def test_the_groups_hold_each_block_once(workspace: Workspace, by: GroupBy) -> None:
    keys = [key for group in groups(workspace, by) for key in group.keys]
    assert len(keys) == len(set(keys))
    if by in (GroupBy.TURN, GroupBy.VERDICT):
        assert set(keys) == {row.key for row in workspace.rows}


def test_groups_are_of_what_is_left(workspace: Workspace) -> None:
    before = found(workspace, GroupBy.TOOL)["Read"]
    workspace.edit(make_edit("drop", [before.keys[0]]))
    workspace.edit(make_edit("clear", [before.keys[2]]))
    after = found(workspace, GroupBy.TOOL)["Read"]
    assert after.count == before.count - 2 and after.tokens < before.tokens
    assert found(workspace, GroupBy.VERDICT)["compacted"].count == 1


def test_a_group_can_be_edited_as_it_is() -> None:
    workspace = Workspace(session(*talk()), load("gentle"), exact=False)
    group = found(workspace, GroupBy.TOOL)["Read"]
    assert workspace.edit(make_edit("drop", group.keys)).changes
    assert "Read" not in found(workspace, GroupBy.TOOL)
