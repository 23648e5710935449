"""Everything a person can do to an open session, without a screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.errors import BadPipeline
from app.formats.source import BytesSource
from app.formats.store import RecordStore
from app.model import Message, Session, ToolResult, ToolUse, text_of
from app.opening import open_workspace
from app.pipeline import load
from app.work.checks import CheckLevel
from app.work.history import OpKind
from app.work.workspace import Status, Workspace
from tests.build import assistant, conversation, result, use, user

LONG = "line of a file\n" * 400


def session(*messages: Message) -> Session:
    made = conversation(*messages)
    return Session("anthropic", "test.json", RecordStore(BytesSource(b"")), made, model="claude-sonnet-4-5")


def busy_session(turns: int = 24) -> Session:
    """Each turn: a question, a read of 6,000 characters, an answer."""
    messages = []
    for n in range(turns):
        messages += [
            user(f"Question {n}?"),
            assistant(use(f"r{n}", "Read", {"file_path": f"src/f{n}.py"})),
            user(result(f"r{n}", LONG)),
            assistant(f"Answer {n}."),
        ]
    return session(*messages)


@pytest.fixture
def workspace() -> Workspace:
    return Workspace(busy_session(), load("react-mini"), exact=False)


def results(workspace: Workspace) -> list[str]:
    return [text_of(b) for m in workspace.messages for b in m.blocks if isinstance(b, ToolResult)]


def test_nothing_happens_until_a_stage_is_accepted(workspace: Workspace) -> None:
    assert workspace.preview is not None and workspace.preview.status is Status.PREVIEW
    assert workspace.messages is workspace.session.live
    assert workspace.steps == ()


def test_stages_run_forward_and_back(workspace: Workspace) -> None:
    before = workspace.messages
    states = [before]
    while workspace.advance():
        states.append(workspace.messages)
    assert [step.name for step in workspace.steps] == ["tool_result_budget", "microcompact", "retain_tail"]
    assert all(len(text) <= 4100 for text in results(workspace)) and states[1] is not before
    for state in reversed(states[:-1]):
        assert workspace.back()
        assert workspace.messages is state
    assert not workspace.back()
    assert workspace.why_not(OpKind.BACK) == "no stage has been run yet"


def test_the_preview_is_what_accepting_gives(workspace: Workspace) -> None:
    preview = workspace.preview
    assert preview is not None
    workspace.advance()
    assert workspace.steps[0].result is preview.result


def test_a_refused_change_is_kept_and_the_rest_still_happens(workspace: Workspace) -> None:
    workspace.advance()
    keys = [change.key for change in workspace.steps[0].changes]
    workspace.refuse("tool_result_budget", [keys[0]])
    assert [change.key for change in workspace.steps[0].changes] == keys[1:]
    assert results(workspace)[0] == LONG
    workspace.undo()
    assert [change.key for change in workspace.steps[0].changes] == keys


def test_a_pin_holds_against_every_stage_also_those_already_run(workspace: Workspace) -> None:
    workspace.run_all()
    pinned = next(c.key for c in workspace.steps[0].changes)
    workspace.pin([pinned])
    blocks = {b.key: b for m in workspace.messages for b in m.blocks}
    assert text_of(blocks[pinned]) == LONG
    calls = {b.id for b in blocks.values() if isinstance(b, ToolUse)}
    kept = blocks[pinned]
    assert isinstance(kept, ToolResult) and kept.tool_use_id in calls
    workspace.unpin([pinned])
    assert workspace.state.pins == frozenset()


def test_options_run_the_stage_again_and_can_be_undone(workspace: Workspace) -> None:
    workspace.advance()
    workspace.set_options("tool_result_budget", {"max_result_chars": "10000"})
    assert workspace.steps[0].changes == ()
    assert "no result is longer" in workspace.steps[0].result.note
    workspace.undo()
    assert len(workspace.steps[0].changes) == 24
    with pytest.raises(BadPipeline, match="must be a whole number"):
        workspace.set_options("tool_result_budget", {"max_result_chars": "ten"})


def test_any_stage_can_be_made_the_next_one(workspace: Workspace) -> None:
    workspace.go_to(3)
    assert [step.name for step in workspace.steps] == ["tool_result_budget", "microcompact"]
    workspace.go_to(0)  # there is none before the first
    assert workspace.steps == () and workspace.preview is not None
    workspace.undo()
    assert len(workspace.steps) == 1


def test_a_skipped_stage_changes_nothing(workspace: Workspace) -> None:
    workspace.skip()
    assert workspace.steps[0].status is Status.SKIPPED
    assert workspace.messages is workspace.session.live
    assert workspace.preview is not None and workspace.preview.name == "microcompact"


def test_undo_and_redo_go_through_everything(workspace: Workspace) -> None:
    workspace.advance()
    workspace.pin(["m3/0"])
    workspace.skip()
    after = workspace.messages
    for _ in range(3):
        assert workspace.undo()
    assert workspace.messages is workspace.session.live and workspace.undo() is None
    for _ in range(3):
        assert workspace.redo()
    assert workspace.messages == after and workspace.redo() is None


def test_the_checks_name_the_users_messages_that_would_go(workspace: Workspace) -> None:
    workspace.set_options("microcompact", {"min_chars": "100000"})
    workspace.set_options("tool_result_budget", {"enabled": "false"})
    workspace.run_all()
    gone = [text.content.read() for text in workspace.words_gone]
    assert gone and "Question 0?" not in gone
    words = next(check for check in workspace.checks() if "your" in check.text)
    assert words.level is CheckLevel.WARN and len(words.keys) == len(gone)
    assert all(check.level is not CheckLevel.FAIL for check in workspace.checks())


def test_every_pipeline_leaves_whole_pairs(workspace: Workspace) -> None:
    workspace.run_all()
    assert any(check.text.startswith("every tool result still has its call") for check in workspace.checks())


def test_tokens_are_counted_the_same_way_before_and_after(workspace: Workspace) -> None:
    before = workspace.tokens(workspace.session.live)
    workspace.run_all()
    assert 0 < workspace.tokens(workspace.messages) < before
    workspace.undo()


def test_counting_again_after_a_stage_counts_only_what_it_changed() -> None:
    workspace = Workspace(busy_session(6), load("react-mini"))
    workspace.count_all()
    assert workspace.counted_share == 1.0
    workspace.advance()
    fresh = [b for b in workspace.to_count() if workspace.counter.exact.known(b) is None]
    assert {b.key for b in fresh} <= {c.key for c in workspace.steps[0].changes}


def test_another_pipeline_keeps_the_pins(workspace: Workspace) -> None:
    workspace.pin(["m3/0"])
    workspace.advance()
    workspace.choose(load("react-mini"))
    assert workspace.state.pins == {"m3/0"}
    assert workspace.steps == ()


def test_the_core_runs_without_textual(tmp_path: Path) -> None:
    import subprocess
    import sys

    modules = "app.work.workspace, app.export.write, app.views.report, app.cli.main"
    code = f"import sys, {modules}; print('textual' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"


def test_what_is_ahead_is_what_running_everything_gives_and_changes_nothing(workspace: Workspace) -> None:
    workspace.advance()
    ahead = workspace.ahead
    assert [step.status for step in ahead] == [Status.DONE, Status.PREVIEW, Status.PREVIEW]
    assert len(workspace.steps) == 1
    workspace.run_all()
    assert workspace.messages is ahead[-1].result.messages


def test_the_recorded_usage_tells_how_far_the_estimate_is_off() -> None:
    sample = Path(__file__).parents[2] / "sample_sessions" / "claude-code-long.jsonl"
    workspace = open_workspace(str(sample), pipeline="gentle", exact=False).workspace
    found = workspace.calibration
    assert found.calibrated and 0.5 < found.factor < 2 and found.overhead
    assert found.told().startswith(f"calibrated on {found.increments} replies: ")
    assert not Workspace(busy_session(2), load("gentle"), exact=False).calibration.calibrated


def test_steps_are_unsaved_until_they_are_written_as_they_are(workspace: Workspace) -> None:
    seen = []
    for act in (
        lambda: workspace.pin(["m3/0"]),
        workspace.advance,
        workspace.mark_written,
        workspace.undo,
        workspace.redo,
        workspace.advance,
    ):
        act()
        seen.append(workspace.is_unsaved)
    assert seen == [True, True, False, True, False, True]
