"""What the stepper and the diff are told of a pipeline where it stands."""

from __future__ import annotations

import pytest

from app.diff import Pairing
from app.pipeline import load
from app.views.comparison import KeepReason, compare_all
from app.views.stage_view import stage_view, value_words
from app.work.history import Operation, OpKind
from app.work.workspace import Status, Workspace
from tests.work.test_workspace import busy_session


@pytest.fixture
def workspace() -> Workspace:
    return Workspace(busy_session(), load("react-mini"), exact=False)


def test_the_first_view_is_the_preview_of_the_first_stage(workspace: Workspace) -> None:
    view = stage_view(workspace)
    assert [line.status for line in view.lines] == [Status.PREVIEW, Status.WAITING, Status.WAITING]
    assert view.lines[0].changed == 24 and view.lines[1].changed is None
    assert view.chain == (
        workspace.tokens(workspace.session.live),
        workspace.tokens(workspace.ahead[0].result.messages),
    )
    assert view.lines[0].saved == view.chain[0] - view.chain[1] > 0
    assert not view.is_done and not view.counted


def test_after_the_last_stage_it_is_the_one_at_hand(workspace: Workspace) -> None:
    workspace.run_all()
    view = stage_view(workspace)
    assert view.is_done and view.step.name == "retain_tail"
    assert len(view.chain) == 4
    assert view.lines[2].changed == 0 and view.lines[2].note


def test_changed_blocks_come_in_the_order_of_the_conversation(workspace: Workspace) -> None:
    comparison = stage_view(workspace).comparison
    assert [block.number for block in comparison.blocks] == list(range(2, 96, 4))
    assert {block.word for block in comparison.blocks} == {"cut"}
    assert [comparison.pairs[place].kind for place in comparison.places] == [Pairing.CHANGED] * 24
    assert comparison.place_of("m3/0") == 2 and comparison.place_of("m1/0") is None


def test_what_a_person_kept_is_listed_with_what_would_become_of_it(workspace: Workspace) -> None:
    workspace.refuse("tool_result_budget", ["m3/0"])
    workspace.pin(["m7/0"])
    blocks = stage_view(workspace).comparison.blocks
    assert [block.word for block in blocks[:3]] == ["kept", "pinned", "cut"]
    assert blocks[0].kept is KeepReason.REFUSED and blocks[0].change.after is not None
    assert len(blocks) == 24 and stage_view(workspace).lines[0].changed == 22


def test_the_other_half_of_a_kept_pair_is_told_from_it(workspace: Workspace) -> None:
    workspace.set_options("tool_result_budget", {"enabled": False})
    workspace.set_options("microcompact", {"enabled": False})
    workspace.run_all()
    workspace.refuse("retain_tail", ["m3/0"])
    kept = {b.key: b.kept for b in stage_view(workspace).comparison.blocks if b.kept}
    assert kept == {"m2/0": KeepReason.PAIR, "m3/0": KeepReason.REFUSED}


def test_all_steps_together_are_one_comparison(workspace: Workspace) -> None:
    assert compare_all(workspace).title == "stage 1 budget"
    workspace.run_all()
    together = compare_all(workspace)
    assert together.title == "3 stages together"
    first = together.blocks[0]
    assert first.steps == ("tool_result_budget", "microcompact")
    assert first.word == "cleared" and first.change.before is workspace.session.messages[2].blocks[0]


def test_options_tell_what_differs_from_the_pipeline(workspace: Workspace) -> None:
    workspace.set_options("tool_result_budget", {"max_result_chars": "5000"})
    options = {option.option.name: option for option in stage_view(workspace).options}
    found = options.pop("max_result_chars")
    assert (found.value, found.preset, found.is_changed) == (5000, 4000, True)
    assert options and not any(option.is_changed for option in options.values())
    assert [value_words(v) for v in (True, ("Read", "mcp__*"), 5)] == ["true", "Read, mcp__*", "5"]


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        (Operation(OpKind.RUN, "microcompact"), "accept microcompact"),
        (Operation(OpKind.REFUSE, "microcompact", ("a", "b")), "reject 2 blocks of microcompact"),
        (Operation(OpKind.PIN, keys=("a",)), "pin 1 block"),
        (Operation(OpKind.OPTIONS, "x", options=(("a", 1), ("b", 2))), "set a, b of x"),
    ],
)
def test_an_operation_has_words(operation: Operation, words: str) -> None:
    assert operation.words == words


def test_the_price_is_of_the_preview_behind_all_that_was_done() -> None:
    workspace = Workspace(busy_session(), load("react-mini"), exact=False)
    workspace.advance()
    found = stage_view(workspace).cost.price
    preview = workspace.preview
    assert preview is not None
    assert (found.before, found.after) == (
        workspace.tokens(workspace.session.live),
        workspace.tokens(preview.result.messages),
    )
