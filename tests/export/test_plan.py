"""What a plan promises, and what stands in its way."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.errors import HandcompactError, RefusedError, Stopped
from app.export.plan import ExportOptions, ExportPlan, make_plan, typed_path
from app.export.plan_json import plan_as_json
from app.export.plan_text import freed_words, plan_lines, written_lines
from app.export.write import why_refused, write
from app.opening import open_workspace

SESSION = "10000000-0000-4000-8000-000000000001"


@pytest.fixture
def original(tmp_path: Path) -> Path:
    """A Claude Code session with a question and an answer."""
    usual = {"sessionId": SESSION, "cwd": "/home/ada", "isSidechain": False}
    asked = {
        "type": "user",
        "uuid": "00000000-0000-4000-8000-000000000001",
        "parentUuid": None,
        "message": {"role": "user", "content": "What is this?"},
    }
    answered = {
        "type": "assistant",
        "uuid": "00000000-0000-4000-8000-000000000002",
        "parentUuid": asked["uuid"],
        "message": {"role": "assistant", "id": "msg_1", "content": [{"type": "text", "text": "A shop."}]},
    }
    path = tmp_path / f"{SESSION}.jsonl"
    path.write_text("".join(json.dumps({**record, **usual}) + "\n" for record in (asked, answered)))
    return path


def plan(path: Path, options: ExportOptions) -> ExportPlan:
    opened = open_workspace(str(path), pipeline="react-mini", exact=False)
    opened.workspace.run_all()
    return make_plan(opened.workspace, opened.source, options)


def test_the_size_is_known_before_anything_is_written(original: Path) -> None:
    made = plan(original, ExportOptions())
    size = made.size_after()
    written = write(made)
    assert written.target is not None and written.target.stat().st_size == written.size == size
    assert written_lines(written)[0] == f"Written   {written.target}"


def test_what_is_freed_from_the_window_is_told_apart_from_the_disk(original: Path) -> None:
    made = plan(original, ExportOptions())
    assert made.tokens_freed == made.tokens_before - made.tokens_after
    assert made.bytes_freed() == original.stat().st_size - made.size_after()
    assert f"Freed     {freed_words(made)}" in plan_lines(made)
    written = write(made, drop_user_words=True)
    assert written.as_json()["bytes_freed"] == plan_as_json(made)["bytes_freed"] == made.bytes_freed()


def test_a_file_that_grows_says_so(original: Path) -> None:
    made = plan(original, ExportOptions())
    assert freed_words(made, original.stat().st_size + 2048).endswith("the file grows by 2.0 KiB")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("taken", "already exists"),
        ("folder", "is a folder"),
        ("none/new.jsonl", "does not exist"),
        ("taken/new.jsonl", "is not a folder"),
    ],
)
def test_what_is_in_the_way_is_said_before_a_backup_is_made(original: Path, name: str, words: str) -> None:
    (original.parent / "taken").touch()
    (original.parent / "folder").mkdir()
    made = plan(original, ExportOptions(out=original.parent / name))
    reason = why_refused(made, drop_user_words=True)
    assert reason is not None and words in reason
    with pytest.raises(RefusedError, match=words):
        write(made)
    assert not (original.parent / ".transcripts").exists()


@pytest.mark.parametrize(
    "name", ["x" * 300, "a\0b", "\ud83d", "no/such/../folder/x", ".", "~nobody-of-this-name/x"]
)
def test_a_strange_name_is_refused_in_words(original: Path, name: str) -> None:
    with pytest.raises(HandcompactError):
        path = typed_path(name if name.startswith("~") else f"{original.parent}/{name}")
        write(plan(original, ExportOptions(out=path)))
    assert sorted(original.parent.glob("*.jsonl")) == [original]


def test_a_write_can_be_stopped_until_the_file_has_its_name(original: Path) -> None:
    made = plan(original, ExportOptions())
    said: list[str] = []
    with pytest.raises(Stopped, match="the original is untouched"):
        write(made, progress=said.append, stop=lambda: "Reading back" in said)
    assert said[-1] == "Reading back"
    assert sorted(original.parent.glob("*.jsonl")) == [original]
    assert write(made).target == made.target


def test_the_report_can_be_left_out(original: Path) -> None:
    written = write(plan(original, ExportOptions(report=False)))
    assert written.report is None and written.backup is not None


def test_a_plan_reads_as_lines(original: Path) -> None:
    lines = plan_lines(plan(original, ExportOptions()))
    assert lines[0] == f"Source    {original}  (Claude Code)"
    assert any(line.startswith("Check     ok") for line in lines)


LONG = Path(__file__).parent.parent.parent / "sample_sessions" / "claude-code-long.jsonl"


@pytest.mark.parametrize("pipeline", ["react-mini", "minicode", "layered", "gentle", "gate-8k"])
def test_the_context_is_what_stands_before_the_newest_reply(pipeline: str) -> None:
    opened = open_workspace(str(LONG), pipeline=pipeline, exact=False)
    workspace = opened.workspace
    workspace.run_all()
    tokens = make_plan(workspace, opened.source, ExportOptions()).rewrite.context_tokens
    replies = [place for place, message in enumerate(workspace.messages) if message.usage]
    before_it = workspace.tokens(workspace.messages[: replies[-1]] if replies else workspace.messages)
    usage = workspace.session.last_usage
    assert usage is not None and tokens is not None
    # What follows the newest reply (a batch of 60,000 tokens here) was never in its context.
    assert before_it <= tokens <= usage.context
