"""Hand edits are steps of the same history: they stand between stages, replay, undo and redo."""

from __future__ import annotations

import json

import pytest

from app.edits import EDITS, make_edit
from app.errors import BadPipeline, InputError, RefusedError
from app.model import ToolResult, text_of
from app.pipeline import load
from app.views.outlook import outlook
from app.views.stage_view import stage_view
from app.work.history import Operation, OpKind, edit_operation
from app.work.workspace import Status, Workspace
from tests.edits.given import talk
from tests.work.test_workspace import busy_session, session


@pytest.fixture
def workspace() -> Workspace:
    return Workspace(busy_session(), load("react-mini"), exact=False)


def names(workspace: Workspace) -> list[tuple[str, int]]:
    return [(step.name, step.number) for step in workspace.steps]


def test_an_edit_stands_between_stages_and_the_next_stage_is_the_next(workspace: Workspace) -> None:
    workspace.edit(make_edit("drop", ["m3/0"]))
    assert workspace.preview is not None and workspace.preview.number == 1
    workspace.advance()
    workspace.edit(make_edit("cut", ["m7/0"], {"head": 1, "tail": 0}))
    assert workspace.preview is not None and workspace.preview.number == 2
    workspace.run_all()
    assert names(workspace) == [
        ("drop", 0), ("tool_result_budget", 1), ("cut", 0), ("microcompact", 2), ("retain_tail", 3)
    ]  # fmt: skip
    assert [step.edit is not None for step in workspace.steps] == [True, False, True, False, False]
    assert len(workspace.state.taken) == 3


def test_undo_gives_the_very_messages_back(workspace: Workspace) -> None:
    before = workspace.messages
    workspace.edit(make_edit("clear", ["m3/0"]))
    after = workspace.messages
    workspace.advance()
    workspace.undo()
    assert workspace.messages is after
    undone = workspace.undo()
    assert undone is not None and undone.words == "clear 1 block"
    assert workspace.messages is before
    workspace.redo()
    assert workspace.messages is after


def test_going_back_takes_the_stage_and_leaves_the_edits(workspace: Workspace) -> None:
    workspace.advance()
    workspace.edit(make_edit("drop", ["m3/0"]))
    assert workspace.back()
    assert names(workspace) == [("drop", 0)]
    assert workspace.preview is not None and workspace.preview.number == 1
    workspace.go_to(3)
    assert names(workspace) == [("drop", 0), ("tool_result_budget", 1), ("microcompact", 2)]


def test_a_pin_undoes_what_an_edit_did_to_its_block(workspace: Workspace) -> None:
    workspace.edit(make_edit("clear", ["m3/0", "m7/0"]))
    workspace.pin(["m3/0"])
    assert [change.key for change in workspace.steps[0].changes] == ["m7/0"]
    assert workspace.steps[0].result.note == "1 of 2 stay: pinned by you"
    workspace.unpin(["m3/0"])
    assert len(workspace.steps[0].changes) == 2


def test_a_refused_edit_leaves_no_trace(workspace: Workspace) -> None:
    with pytest.raises(RefusedError, match="drop: 1 text of yours would be dropped"):
        workspace.edit(make_edit("drop", ["m1/0"]))
    assert workspace.history.done == () and workspace.steps == ()


def test_another_pipeline_keeps_the_edits_of_the_session_itself(workspace: Workspace) -> None:
    workspace.edit(make_edit("clear", ["m3/0"]))
    workspace.go_to(3)
    workspace.edit(make_edit("drop_before", ["m9/0"], {"allow_words": True}))
    made = workspace.messages[0].blocks[0].key
    workspace.edit(make_edit("replace_text", [made], {"text": "[8 earlier messages dropped]\n\nBy hand."}))
    workspace.choose(load("gentle"))
    assert [name for name, _ in names(workspace)] == ["clear", "drop_before", "replace_text"]


def test_every_edit_is_data_that_replays() -> None:
    options: dict[str, dict[str, object]] = {
        "replace_text": {"text": 'New "text"\n'},
        "summarise_range": {"source": "hand", "text": "x"},
        "stage": {"stage": "microcompact", "settings": ("when=always",), "called": "micro"},
        "cut": {"head": 3, "unit": "characters"},
        "keep_last_turns": {"turns": 2, "allow_words": True},
    }
    for kind in EDITS:
        edit = make_edit(kind.name, ["m1/0", "m2"], options.get(kind.name, {"force": True}))
        operation = edit_operation(edit)
        again = Operation.from_json(json.loads(json.dumps(operation.as_json())))
        assert again == operation
        assert make_edit(again.step, again.keys, dict(again.options)) == edit


@pytest.mark.parametrize(
    "data", [{}, {"deed": "burn"}, {"deed": "edit", "keys": 5}, [], None, {"deed": "edit", "options": 3}]
)
def test_what_is_no_operation_is_told(data: object) -> None:
    with pytest.raises(InputError, match="not an operation"):
        Operation.from_json(data)  # type: ignore[arg-type]


def test_an_edit_of_no_known_kind_is_not_taken(workspace: Workspace) -> None:
    with pytest.raises(BadPipeline, match="unknown edit 'burn'"):
        workspace.do(Operation(OpKind.EDIT, "burn"))
    with pytest.raises(BadPipeline, match=r"cut\.head must be a whole number"):
        make_edit("cut", ["m1/0"], {"head": "many"})


def test_an_edit_of_what_a_stage_made_does_nothing_once_the_stage_is_gone() -> None:
    workspace = Workspace(session(*talk()), load("layered"), exact=False)
    workspace.edit(make_edit("drop_before", ["m7/0"], {"allow_words": True}))
    made = workspace.messages[0].blocks[0].key
    workspace.edit(make_edit("drop", [made]))
    assert workspace.messages[0].key == "m7"
    workspace.undo()
    workspace.undo()
    workspace.do(edit_operation(make_edit("drop", [made])))
    assert workspace.messages is workspace.session.live


def test_screens_are_told_of_edits(workspace: Workspace) -> None:
    workspace.edit(make_edit("clear", ["m3/0"]))
    workspace.advance()
    workspace.edit(make_edit("replace_text", ["m4/0"], {"text": "Rewritten."}))
    seen, view = outlook(workspace), stage_view(workspace)
    assert [step.label for step, _ in seen.touches["m3/0"]] == ["clear (by hand)"]
    rows = {row.key: row for row in workspace.rows}
    assert str(seen.verdict(rows["m3/0"])) == "compacted"
    assert seen.verdict(rows["m4/0"]) is rows["m4/0"].verdict
    assert [line.status for line in view.lines] == [Status.DONE, Status.PREVIEW, Status.WAITING]
    assert view.step.name == "microcompact" and len(view.chain) == 5
    assert view.lines[0].saved == view.chain[1] - view.chain[2]
    workspace.run_all()
    assert stage_view(workspace).step.name == "retain_tail"


def test_a_later_stage_sees_what_an_edit_left(workspace: Workspace) -> None:
    workspace.edit(make_edit("save", ["m3/0"], {"preview_chars": 10}))
    workspace.set_options("microcompact", {"min_chars": 50})
    workspace.set_options("retain_tail", {"enabled": False})
    workspace.run_all()
    blocks = {b.key: b for m in workspace.messages for b in m.blocks if isinstance(b, ToolResult)}
    assert text_of(blocks["m3/0"]) == "[Earlier tool result saved at tool-results/r0.txt]"
    assert [file.path for step in workspace.steps for file in step.result.files] == ["tool-results/r0.txt"]


def test_steps_by_hand_are_unsaved_until_they_are_written(workspace: Workspace) -> None:
    seen = [workspace.is_unsaved]
    workspace.edit(make_edit("clear", ["m3/0"]))
    seen.append(workspace.is_unsaved)
    workspace.mark_written()
    seen.append(workspace.is_unsaved)
    assert seen == [False, True, False]
