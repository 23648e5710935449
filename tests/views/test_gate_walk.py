"""The gate along the calls of the model: how each long result stands at each."""

from __future__ import annotations

from app.model import Message, Usage
from app.pipeline import load
from app.views.gate_walk import GateWalk, ResultStanding, gate_walk
from app.work.workspace import Workspace
from tests.build import assistant, result, use, user
from tests.stages.test_result_gate import LONG, call, replies
from tests.work.test_workspace import session


def gated() -> Workspace:
    """One long result before the latch opens at call 3, one after it, one of another tool, a short one."""
    messages: list[Message] = [
        user("Go."),
        *call("early", 1000),
        *call("short", 50_000, text="x"),
        assistant(use("late", "read", {"file_path": "src/late.py"}), usage=Usage(120_000)),
        user(result("late", LONG)),
        *call("other", 121_000, tool="deploy"),
        *replies(122_000, 123_000, 124_000, 125_000),
    ]
    return Workspace(session(*messages), load("gate-8k"), exact=False)


def walk(workspace: Workspace) -> GateWalk:
    [step] = workspace.ahead
    found = gate_walk(workspace, step)
    assert found is not None
    return found


def standings(found: GateWalk) -> list[dict[int, tuple[ResultStanding, str]]]:
    return [{one.number: (one.standing, one.words) for one in view.results} for view in found.calls]


def test_the_latch_opens_once_and_freezes_what_is_there() -> None:
    found = walk(gated())
    assert found.opened_at == 3 and [view.opens for view in found.calls].index(True) == 2
    assert [view.call.is_open for view in found.calls] == [False, False, *[True] * (len(found.calls) - 2)]
    at = standings(found)
    assert at[0] == {} and at[1] == {2: (ResultStanding.WHOLE, "the latch is closed")}
    assert {then[2][0] for then in at[2:]} == {ResultStanding.FROZEN}


def test_views_are_counted_up_to_the_cut() -> None:
    at = standings(walk(gated()))
    assert [then[6][1] for then in at[3:6]] == [f"seen in {n} of 3 prompts" for n in (0, 1, 2)]
    assert {then[6] for then in at[6:]} == {(ResultStanding.CUT, "cut before call 7")}
    assert {then[8] for then in at[4:]} == {(ResultStanding.SPARED, "its tool is not in the list")}


def test_it_begins_where_something_is_cut() -> None:
    found = walk(gated())
    assert found.start == 6 and found.calls[6].call.cut
    closed = walk(
        Workspace(session(user("Go."), *call("a", 10), *replies(20, 30)), load("gate-8k"), exact=False)
    )
    assert closed.opened_at is None and closed.start == len(closed.calls) - 1


def test_other_stages_replay_nothing() -> None:
    workspace = Workspace(gated().session, load("react-mini"), exact=False)
    assert all(gate_walk(workspace, step) is None for step in workspace.ahead)
