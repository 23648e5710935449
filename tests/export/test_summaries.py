"""A summary is written in Claude Code's own form, and the next compaction starts behind it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from app.export.plan import ExportOptions, make_plan
from app.export.write import write
from app.formats import open_session
from app.model import Author, SendStatus, Session, Text, blocks_of
from app.opening import open_workspace
from app.work.stage_inputs import give_memory, give_refusal, give_summary
from app.work.workspace import Workspace

SAMPLES = Path(__file__).parents[2] / "sample_sessions"
Prepare = Callable[[Workspace], None]


def exported(path: Path, pipeline: str, prepare: Prepare, *settings: str) -> tuple[Workspace, Path]:
    """The workspace with all stages run, and the file it was written to."""
    opened = open_workspace(str(path), pipeline=pipeline, settings=settings, exact=False)
    prepare(opened.workspace)
    opened.workspace.run_all()
    plan = make_plan(opened.workspace, opened.source, ExportOptions())
    assert plan.broken == ()
    written = write(plan, drop_user_words=True)
    assert written.target is not None
    return opened.workspace, written.target


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def texts(session: Session, author: Author) -> list[str]:
    return [
        block.content.read()
        for _, block in blocks_of(session.live)
        if isinstance(block, Text) and block.author is author
    ]


def by_hand(workspace: Workspace) -> None:
    give_summary(workspace, "summarize", "hand", "The login works; prices are next.")


def by_memory(workspace: Workspace) -> None:
    give_memory(workspace, "summarize", ["Prices are in cents."])


def refused(workspace: Workspace) -> None:
    give_refusal(workspace, "recover", "prompt is too long: 150000 tokens > 40000 maximum")


@pytest.fixture
def long(tmp_path: Path) -> Path:
    path = tmp_path / "long.jsonl"
    path.write_bytes((SAMPLES / "claude-code-long.jsonl").read_bytes())
    return path


@pytest.mark.parametrize(
    ("pipeline", "prepare", "settings", "start", "strategy"),
    [
        ("layered", by_hand, (), "[Compacted]\n\nThe login works", "summarize"),
        (
            "minicode",
            by_memory,
            ("summarize.window_tokens=20000",),
            "[Context compacted at",
            "session-memory",
        ),
        ("minicode", refused, (), "[Context compacted at", "recover"),
        ("minicode", refused, ("recover.full_first=false",), "[Context aggressively", "recover"),
    ],
)
def test_the_agents_own_boundary_stands_before_summary_and_tail(
    long: Path, pipeline: str, prepare: Prepare, settings: Sequence[str], start: str, strategy: str
) -> None:
    workspace, target = exported(long, pipeline, prepare, *settings)
    session, _ = open_session(target)
    assert [b.strategy for b in session.boundaries] == ["", strategy]
    assert session.boundaries[-1].hides and session.boundaries[-1].removed
    first = session.live[0]
    assert first.boundary is not None and first.boundary.strategy == strategy
    assert any(isinstance(b, Text) and b.content.preview.startswith(start) for b in first.blocks)
    assert session.live[-1].key == workspace.messages[-1].key == workspace.session.live[-1].key

    rows = records(target)
    [at] = [n for n, row in enumerate(rows) if row.get("subtype") == "compact_boundary"][1:]
    assert rows[at]["parentUuid"] is None
    assert rows[at]["compactMetadata"]["trigger"] in ("auto", "manual")
    assert rows[at + 1]["parentUuid"] == rows[at]["uuid"]
    assert rows[at + 1]["isCompactSummary"] is True and rows[at + 1]["isVisibleInTranscriptOnly"] is True


def test_a_second_run_works_on_the_newest_segment_alone_and_both_boundaries_stay(long: Path) -> None:
    _, target = exported(long, "layered", by_hand)
    once, _ = open_session(target)
    add_turns(target, 4)

    def again(workspace: Workspace) -> None:
        give_summary(workspace, "summarize", "hand", "Turns came and went.")

    workspace, second = exported(
        target, "layered", again, "summarize.when=always", "summarize.keep_messages=2"
    )
    asked = {change.key for change in workspace.changes.values()}
    assert asked <= {block.key for _, block in blocks_of((*workspace.session.live, *workspace.messages))}
    before = [m.key for m in workspace.session.messages if m.standing is SendStatus.BEFORE_BOUNDARY]

    twice, _ = open_session(second)
    strategies = [boundary.strategy for boundary in twice.boundaries]
    assert strategies == ["", "summarize", "summarize"]
    [told] = texts(twice, Author.SUMMARY)
    assert told.startswith("[Compacted]\n\nTurns came and went.\n\n[Results that are no longer here")
    assert [m.key for m in twice.messages if m.key in set(before)] == before, "what lay before is untouched"
    removed = [boundary.removed for boundary in twice.boundaries]
    assert removed[1] == once.boundaries[-1].removed
    assert removed[2] is not None and removed[1] is not None and removed[2] > removed[1], "carried on"


def test_rules_that_did_not_read_the_earlier_summary_carry_it_on(long: Path) -> None:
    settings = ("summarize.when=always", "summarize.source=structured", "tool_result_budget.enabled=false")
    earlier = texts(open_session(long)[0], Author.SUMMARY)
    assert len(earlier) == 1
    _, target = exported(long, "minicode", lambda workspace: None, *settings)
    session, _ = open_session(target)
    made, *carried = texts(session, Author.SUMMARY)
    assert made.startswith("[Context compacted at ") and carried == earlier
    assert len({block.key for _, block in blocks_of(session.live)}) == len(list(blocks_of(session.live)))


def test_a_snip_marker_hides_nothing_and_its_count_is_carried_on(long: Path) -> None:
    only_snip = (
        "tool_result_budget.enabled=false",
        "microcompact.enabled=false",
        "summarize.enabled=false",
    )
    _, target = exported(long, "layered", lambda workspace: None, *only_snip)
    session, _ = open_session(target)
    [earlier, snip] = session.boundaries
    assert earlier.hides and not snip.hides
    [marker] = [b for _, b in blocks_of(session.live) if isinstance(b, Text) and b.author is Author.MARKER]
    assert marker.content.read() == f"[snipped {snip.removed} messages]"
    [row] = [row for row in records(target) if "[snipped" in json.dumps(row.get("message", ""))]
    assert row["type"] == "user" and row["isMeta"] is True

    workspace, _ = exported(target, "layered", lambda w: None, *only_snip, "snip.max_messages=30")
    [again] = texts_of_markers(workspace)
    assert snip.removed is not None and int(again.split()[1]) > snip.removed


def texts_of_markers(workspace: Workspace) -> list[str]:
    return [
        block.content.read()
        for _, block in blocks_of(workspace.messages)
        if isinstance(block, Text) and block.author is Author.MARKER
    ]


def add_turns(path: Path, turns: int) -> None:
    """Let the session go on: a question and an answer for each turn, as the agent would write them."""
    rows = records(path)
    leaf = next(row for row in reversed(rows) if row.get("type") in ("user", "assistant"))
    shared = {key: leaf[key] for key in ("cwd", "sessionId", "version") if key in leaf}
    parent, lines = leaf["uuid"], []
    for n in range(2 * turns):
        role = "assistant" if n % 2 else "user"
        said = [{"type": "text", "text": f"Word {n}, of some length, so that it is worth a summary. " * 5}]
        message: dict[str, Any] = {"role": role, "content": said}
        if role == "assistant":
            message |= {"id": f"msg_more_{n}", "type": "message", "model": "claude-opus-4-6"}
        uuid = f"00000000-0000-4000-8000-{n:012d}"
        stamp = f"2027-01-01T00:00:{n:02d}.000Z"
        lines.append(
            {"parentUuid": parent, "isSidechain": False, "type": role, "uuid": uuid, "timestamp": stamp,
             "message": message, **shared}
        )  # fmt: skip
        parent = uuid
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
