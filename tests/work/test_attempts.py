"""The ways in which a hand edit can be done when it cannot be done as it was asked for."""

from __future__ import annotations

import pytest

from app.edits.clear import Clear
from app.edits.drop import Drop
from app.pipeline import load
from app.work.attempts import attempt, take
from app.work.workspace import Workspace
from tests.work.test_workspace import busy_session


@pytest.fixture
def workspace() -> Workspace:
    return Workspace(busy_session(6), load("react-mini"), exact=False)


def test_what_may_be_done_has_one_way_and_is_one_step_to_undo(workspace: Workspace) -> None:
    before = workspace.messages
    tried = attempt(workspace, Clear(keys=("m3/0", "m7/0")))
    (way,) = tried.ways
    assert tried.reason == "" and way.touches == ""
    assert way.words.startswith("clear 2 blocks, ~") and way.freed > 1_000
    assert take(workspace, tried, way) and workspace.messages is not before
    workspace.undo()
    assert workspace.messages is before


def test_own_words_are_named_and_the_careful_way_leaves_them(workspace: Workspace) -> None:
    tried = attempt(workspace, Drop(keys=("m5/0", "m6/0", "m7/0")))
    careful, bold = tried.ways
    assert "of yours" in tried.reason and "allow_words" not in tried.reason
    assert careful.touches == "" and {c.key for c in careful.changes} == {"m6/0", "m7/0"}
    assert bold.own_words == ("Question 1?",) and bold.touches == "1 text of yours"


def test_what_cannot_be_done_at_all_has_no_way(workspace: Workspace) -> None:
    tried = attempt(workspace, Drop(keys=("m24/0",)))
    assert "newest reply" in tried.reason and tried.ways == ()
    assert attempt(workspace, Drop()).ways == ()


def test_pins_are_never_lifted(workspace: Workspace) -> None:
    workspace.pin(["m3/0"])
    assert attempt(workspace, Drop(keys=("m3/0",))).ways == ()
    assert all(
        "m3/0" not in {c.key for c in way.changes}
        for way in attempt(workspace, Clear(keys=("m3/0", "m7/0"))).ways
    )


def test_what_was_tried_on_another_history_is_not_done(workspace: Workspace) -> None:
    tried = attempt(workspace, Clear(keys=("m3/0",)))
    workspace.pin(["m3/0"])
    assert not take(workspace, tried, tried.ways[0])
    assert workspace.steps == ()


def test_what_chose_the_rows_is_noted_only_where_all_of_them_are_changed(workspace: Workspace) -> None:
    """A rule that is asked again elsewhere must mean what was done here."""
    tried = attempt(workspace, Clear(keys=("m3/0", "m7/0")), "clear tool:Read")
    assert take(workspace, tried, tried.ways[0])
    assert workspace.history.done[-1].rule == "clear tool:Read"
    tried = attempt(workspace, Drop(keys=("m5/0", "m6/0")), "drop role:user")
    assert take(workspace, tried, tried.ways[0])
    assert workspace.history.done[-1].rule == ""
