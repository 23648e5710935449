"""What subagents did is found from the session that they worked for, and opens as a session of its own."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from app.discovery.folders import discover, subagents
from app.discovery.subagents import transcript_of
from app.formats import open_session
from app.model import Session, ToolResult, ToolUse, blocks_of
from tests.plain_session import SAMPLES

TOOLS = SAMPLES / "claude-code-tools.jsonl"


def calls(session: Session, name: str) -> list[ToolUse]:
    return [b for _, b in blocks_of(session.messages) if isinstance(b, ToolUse) and b.name == name]


def test_a_session_has_its_subagents_beside_it(home: Path) -> None:
    folder = home / ".claude/projects/-p"
    shutil.copytree(SAMPLES / "claude-code-tools", folder / "claude-code-tools")
    shutil.copy(TOOLS, folder)
    found = discover().sessions[0]
    assert found.subagents == 1
    (there,) = subagents(found.path)
    assert there.title == "general-purpose: Survey docs" and there.ident == "ac9449eba1eccc5a2"
    session, _ = open_session(there.path)
    assert session.live and not session.facts.bad_lines


def test_the_call_and_its_result_lead_to_the_transcript() -> None:
    session, _ = open_session(TOOLS)
    (there,) = subagents(TOOLS)
    call = next(c for name in ("Agent", "Task") for c in calls(session, name))
    results = [b for _, b in blocks_of(session.messages) if isinstance(b, ToolResult)]
    answer = next(result for result in results if result.tool_use_id == call.id)
    assert transcript_of(session, call) == transcript_of(session, answer) == there.path
    assert transcript_of(session, calls(session, "Bash")[0]) is None


def test_transcripts_of_2_0_lie_flat_and_are_named_by_the_result_alone(home: Path) -> None:
    folder = home / ".claude/projects/-p"
    folder.mkdir(parents=True)
    base: dict[str, Any] = {
        "sessionId": "s",
        "cwd": "/p",
        "version": "2.0.76",
        "timestamp": "2026-01-02T03:04:05Z",
    }
    use = {"type": "tool_use", "id": "c", "name": "Task", "input": {"prompt": "Look."}}
    rows: list[dict[str, Any]] = [
        {"type": "user", "uuid": "1", "parentUuid": None, "message": {"role": "user", "content": "Go."}},
        {"type": "assistant", "uuid": "2", "parentUuid": "1", "message": {"id": "m", "content": [use]}},
        {
            "type": "user", "uuid": "3", "parentUuid": "2", "toolUseResult": {"agentId": "af1"},
            "message": {"content": [{"type": "tool_result", "tool_use_id": "c", "content": "Seen."}]},
        },
    ]  # fmt: skip
    path = folder / "s.jsonl"
    path.write_text("".join(json.dumps({**base, "isSidechain": False, **row}) + "\n" for row in rows))
    for ident, owner in (("af1", "s"), ("af2", "other")):
        first = {**base, "sessionId": owner, "isSidechain": True, "agentId": ident, "type": "user"}
        first |= {"uuid": "9", "parentUuid": None, "message": {"role": "user", "content": "Look."}}
        (folder / f"agent-{ident}.jsonl").write_text(json.dumps(first) + "\n")
    found = [each for each in discover().sessions if not each.is_sample]
    assert [(each.path, each.subagents) for each in found] == [(path, 1)]
    session, _ = open_session(path)
    assert transcript_of(session, calls(session, "Task")[0]) == folder / "agent-af1.jsonl"
    assert subagents(path)[0].title == "Look."
