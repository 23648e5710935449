"""A rollout through the whole program: a preset, an export beside the original, what is told of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.export.plan import ExportOptions, make_plan
from app.export.write import Written, write
from app.formats.source import FileSource
from app.model import SendStatus, ToolResult, blocks_of, text_of
from app.opening import open_workspace
from tests.formats.codex.records import FORMAT, SAMPLES, broken

ID = "01a22b88-652c-7cf1-9182-83c7b06e4e46"


@pytest.fixture
def rollout(home: Path) -> Path:
    """A session where Codex keeps its own."""
    path = home / f".codex/sessions/2026/11/30/rollout-2026-11-30T08-18-08-{ID}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes((SAMPLES / "codex-three-turns.jsonl").read_bytes())
    return path


def export(path: Path, pipeline: str, *settings: str) -> Written:
    opened = open_workspace(str(path), pipeline=pipeline, settings=settings, exact=False)
    opened.workspace.run_all()
    plan = make_plan(opened.workspace, opened.source, ExportOptions())
    return write(plan, drop_user_words=True)


def test_a_preset_for_another_agents_tools_clears_these_too(rollout: Path, home: Path) -> None:
    before = rollout.read_bytes()
    written = export(
        rollout, "react-mini", "microcompact.max_total_chars=1000", "tool_result_budget.enabled=false"
    )
    assert written.target is not None and written.target.parent == rollout.parent
    assert written.target.name.startswith("rollout-2026-11-30T08-18-08-") and ID not in written.target.name
    again = FORMAT.read(FileSource(written.target))
    assert again.session_id is not None and written.target.stem.endswith(again.session_id)
    assert written.plan.resuming.command == f"codex resume {again.session_id}"
    cleared = [
        text_of(b) for _, b in blocks_of(again.live) if isinstance(b, ToolResult) and "cleared]" in text_of(b)
    ]
    assert cleared == ["[Old tool result content cleared] tool=exec_command"] * 4
    assert broken(again) == [] and rollout.read_bytes() == before
    # Nothing but the session and its own folder enters the agent's folder.
    own = {rollout.name, written.target.name, written.target.stem}
    assert {path.name for path in rollout.parent.iterdir()} == own
    assert written.backup is not None and written.backup.is_relative_to(home / "data")


def test_saved_results_lie_beside_the_new_session(rollout: Path) -> None:
    written = export(rollout, "minicode")
    assert written.target is not None and written.files
    assert all(path.is_relative_to(written.target.with_suffix("")) for path in written.files)


def test_a_summary_makes_a_compaction_that_is_read_as_one(rollout: Path) -> None:
    written = export(rollout, "minicode", "summarize.source=structured", "summarize.window_tokens=2000")
    assert written.target is not None
    again = FORMAT.read(FileSource(written.target))
    assert len(again.boundaries) == 1 and again.boundaries[0].tokens_before
    assert any(message.standing is SendStatus.BEFORE_BOUNDARY for message in again.messages)
    assert again.last_usage is not None and again.last_usage.context < 30898
