"""Results that stages save: where their files lie, and that none is overwritten or left behind."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from app.errors import InputError, WriteFailed
from app.export.plan import ExportOptions, ExportPlan, make_plan
from app.export.write import write
from app.model import ToolResult, text_of
from app.opening import Opened, open_workspace

SAMPLES = Path(__file__).parents[2] / "sample_sessions"
PIPELINE = """
name = "save"
estimator = "chars"
[[step]]
stage = "tool_result_budget"
action = "save"
save_over_chars = 3000
preview = "head"
"""


@pytest.fixture
def pipeline(tmp_path: Path) -> str:
    path = tmp_path / "save.toml"
    path.write_text(PIPELINE)
    return str(path)


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """The long sample with its side folder, outside any agent's folder."""
    folder = tmp_path / "work"
    folder.mkdir()
    shutil.copytree(SAMPLES / "claude-code-long", folder / "long")
    return Path(shutil.copy(SAMPLES / "claude-code-long.jsonl", folder / "long.jsonl"))


def opened(file: Path, pipeline: str, out: Path, *settings: str) -> Opened:
    return open_workspace(str(file), pipeline=pipeline, settings=settings, exact=False, out=out)


def plan_of(found: Opened, out: Path | None) -> ExportPlan:
    found.workspace.run_all()
    return make_plan(found.workspace, found.source, ExportOptions(out=out, to_stdout=out is None))


def test_saved_results_lie_where_the_previews_say(session: Path, pipeline: str) -> None:
    out = session.parent / "new.jsonl"
    found = opened(session, pipeline, out)
    before = {b.key: b for m in found.workspace.session.live for b in m.blocks}
    written = write(plan_of(found, out))
    (step,) = found.workspace.steps
    assert len(step.changes) > 10
    for change, file in zip(step.changes, step.result.files, strict=True):
        assert isinstance(change.after, ToolResult)
        path = Path(text_of(change.after).splitlines()[1].removeprefix("Full output: "))
        assert path == session.parent / "new" / file.path
        assert path.read_text("utf-8") == text_of(before[change.key])
        assert path in written.files
    assert (session.parent / "new" / "tool-results").is_dir()  # the side folder came along


def test_a_second_export_shares_files_and_never_overwrites_other_content(
    tmp_path: Path, pipeline: str
) -> None:
    session = Path(shutil.copy(SAMPLES / "openai-chat.json", tmp_path / "chat.json"))
    shorter = "tool_result_budget.save_over_chars=150"
    for name in ("one.json", "two.json"):
        out = tmp_path / name
        write(plan_of(opened(session, pipeline, out, shorter, "tool_result_budget.preview_chars=10"), out))
    (saved,) = (tmp_path / ".task_outputs" / "tool-results").iterdir()
    saved.write_text("something else")
    out = tmp_path / "three.json"
    with pytest.raises(WriteFailed):
        write(plan_of(opened(session, pipeline, out, shorter, "tool_result_budget.preview_chars=10"), out))
    assert saved.read_text() == "something else" and not out.exists()


def test_a_root_of_the_persons_own_holds_the_files(session: Path, pipeline: str, tmp_path: Path) -> None:
    out, root = session.parent / "new.jsonl", tmp_path / "elsewhere"
    write(plan_of(opened(session, pipeline, out, f"tool_result_budget.root={root}"), out))
    assert len(list((root / ".task_outputs" / "tool-results").iterdir())) > 10
    assert f"Full output: {root}/.task_outputs" in out.read_text("utf-8")


def test_standard_output_has_no_place_for_files(pipeline: str) -> None:
    found = opened(SAMPLES / "claude-code-long.jsonl", pipeline, Path("x"))
    found.workspace.root = ""
    with pytest.raises(InputError, match="it cannot go to standard output"):
        plan_of(found, None)
