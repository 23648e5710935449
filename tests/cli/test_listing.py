"""`handcompact list`: what is known of each session, where was looked, and who is at work."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from tests.cli.run import Handcompact

ID = "01a22b88-652c-7cf1-9182-83c7b06e4e46"


@pytest.fixture
def handcompact(capsys: pytest.CaptureFixture[str], home: Path) -> Handcompact:
    return Handcompact(capsys)


def test_a_session_is_listed_with_who_is_at_work_on_it(home: Path, handcompact: Handcompact) -> None:
    folder = home / ".claude/projects/-p"
    folder.mkdir(parents=True)
    row = {"type": "user", "cwd": "/p", "message": {"role": "user", "content": "Fix it."}}
    (folder / f"{ID}.jsonl").write_text(json.dumps(row) + "\n")
    (home / ".claude/sessions").mkdir()
    told = {"pid": os.getppid(), "sessionId": ID, "startedAt": time.time() * 1000}
    (home / ".claude/sessions/1.json").write_text(json.dumps(told))
    listed = handcompact("list", "--json").json
    first = listed["sessions"][0]
    assert (first["title"], first["project"], first["messages"], first["tokens"]) == (
        "Fix it.",
        "/p",
        1,
        None,
    )
    assert first["at_work"] == [f"Claude Code ({os.getppid()})"]
    looked = {place["agent"]: place["found"] for place in listed["looked_in"]}
    assert looked["Claude Code"] == 1 and looked["Codex"] == 0
    out = handcompact("list").out
    assert "Fix it." in out and "! in use:" in out and f"Looked in {home / '.codex/sessions'}" in out
