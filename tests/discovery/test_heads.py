"""What the list says of a session is what its report says, although only both ends of its file are read."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.discovery.file_ends import HEAD_BYTES, TAIL_BYTES, ends_of
from app.discovery.folders import AgentFolders, discover
from app.discovery.found_session import FoundSession
from app.discovery.heads import HEADS
from app.opening import open_workspace
from app.views.report import report
from tests.fuzz.corpus import seeds
from tests.fuzz.mutations import mutate
from tests.plain_session import SAMPLES

SEEDS = seeds()
ID = "01a22b88-652c-7cf1-9182-83c7b06e4e46"
PLACES = {
    "claude-code-long.jsonl": f".claude/projects/-p/{ID}.jsonl",
    "claude-code-v2-0.jsonl": f".claude/projects/-p/{ID}.jsonl",
    "codex-three-turns.jsonl": f".codex/sessions/2026/11/30/rollout-2026-11-30T08-18-08-{ID}.jsonl",
    "pi-compacted.jsonl": ".pi/agent/sessions/--p--/1_x.jsonl",
    "qwen-code-compressed.jsonl": f".qwen/projects/-p/chats/{ID}.jsonl",
    "copilot-compacted.jsonl": f".copilot/session-state/{ID}/events.jsonl",
    "gemini-cli-one-turn.jsonl": ".gemini/tmp/p/chats/session-2026-11-30T08-18-01a22b88.jsonl",
}


def only(home: Path) -> FoundSession:
    """The one session of a home."""
    found = [session for session in discover().sessions if not session.is_sample]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize("name", PLACES)
def test_tokens_and_title_are_those_of_the_report(name: str, home: Path) -> None:
    path = home / PLACES[name]
    path.parent.mkdir(parents=True)
    shutil.copy(SAMPLES / name, path)
    found = only(home)
    told = report(open_workspace(str(path), pipeline="react-mini", exact=False).workspace)
    assert found.tokens == told["usage"]["context_now"]
    # The long sample was named in the middle of its file, where nobody looks.
    assert told["title"] in (None, found.title) or "long" in name
    assert found.project.startswith("/") or found.agent == "Gemini CLI"


@pytest.mark.parametrize("records", [1, 40])
def test_messages_of_a_short_file_are_counted(home: Path, records: int) -> None:
    path = home / f".claude/projects/-p/{ID}.jsonl"
    path.parent.mkdir(parents=True)
    row = {"type": "user", "cwd": "/p", "message": {"role": "user", "content": 'Say "type":"user".'}}
    path.write_text(f"{json.dumps(row)}\n" * records)
    found = only(home)
    assert (found.messages, found.about) == (records, False)


def test_messages_of_a_long_file_are_estimated_and_said_to_be(home: Path) -> None:
    path = home / f".claude/projects/-p/{ID}.jsonl"
    path.parent.mkdir(parents=True)
    row = {"type": "user", "cwd": "/p", "message": {"role": "user", "content": "x" * 900}}
    path.write_text(f"{json.dumps(row)}\n" * 3000)
    found = only(home)
    assert found.about and found.messages is not None and 2700 <= found.messages <= 3300


def test_never_more_than_both_ends_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    lines = [json.dumps({"n": n, "text": "x" * 100}).encode() for n in range(20_000)]
    path.write_bytes(b"\n".join(lines) + b"\n")
    ends = ends_of(path, path.stat().st_size)
    assert len(ends.text) <= HEAD_BYTES + TAIL_BYTES and not ends.whole
    first, last = next(ends.first())["n"], next(ends.last(b'"n"'))["n"]
    assert (first, last) == (0, 19_999)
    assert all("text" in record for record in ends.first()), "no line is cut short"


@pytest.mark.parametrize("size", [0, 1, HEAD_BYTES, HEAD_BYTES + 1, HEAD_BYTES + TAIL_BYTES])
def test_a_file_that_fits_both_ends_is_read_whole(tmp_path: Path, size: int) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"x" * size)
    ends = ends_of(path, size)
    assert ends.whole and len(ends.text) == size


def test_a_file_that_shrank_or_went_since_it_was_listed_costs_its_row_only(home: Path) -> None:
    folder = home / ".claude/projects/-p"
    folder.mkdir(parents=True)
    row = {"type": "user", "cwd": "/p", "message": {"role": "user", "content": "Go."}}
    for name in ("a", "b"):
        (folder / f"{name}.jsonl").write_text(json.dumps(row) + "\n" + "x" * 200_000)
    look = AgentFolders()
    (folder / "a.jsonl").unlink()
    (folder / "b.jsonl").write_text("")
    assert {look.read(found).title for found in look.listed} == {"a", "b"}


@pytest.mark.parametrize(
    "line",
    ["[]", "7", '{"type": 7}', '{"message": []}', '{"payload": {"info": 3}}', '{"$set": null, "tokens": "x"}',
     '{"type":"user","message":{"role":"user","parts":[null,{"text":4}]},"usageMetadata":[1]}',
     '{"type":"assistant","message":{"usage":{"input_tokens":"x","output_tokens":-5}}}', "\x00" * 50],
)  # fmt: skip
@pytest.mark.parametrize("place", sorted(set(PLACES.values())))
def test_odd_records_are_passed_over(place: str, line: str, home: Path) -> None:
    path = home / place
    path.parent.mkdir(parents=True)
    path.write_text(f"{line}\n{line}\n")
    found = only(home)
    assert found.title and found.tokens is None


def test_an_older_session_of_gemini_cli_is_one_document(home: Path) -> None:
    path = home / ".gemini/tmp/p/chats/session-2025-11-30T08-18-01a22b88.json"
    path.parent.mkdir(parents=True)
    messages: list[dict[str, Any]] = [
        {"id": "1", "type": "user", "content": "Ask."},
        {"id": "2", "type": "gemini", "content": "Yes.", "tokens": {"input": 30, "output": 4}},
    ]
    path.write_text(json.dumps({"sessionId": ID, "messages": messages}, indent=1))
    found = only(home)
    assert (found.title, found.tokens, found.messages) == ("Ask.", 34, 2)


def test_a_link_to_a_session_is_listed_and_one_to_nowhere_is_not(home: Path) -> None:
    folder = home / ".claude/projects/-p"
    folder.mkdir(parents=True)
    (home / "real.jsonl").write_text('{"type":"user","message":{"content":"Go."}}\n')
    os.symlink(home / "real.jsonl", folder / "a.jsonl")
    os.symlink(home / "gone.jsonl", folder / "b.jsonl")
    assert only(home).path == folder / "a.jsonl"


@settings(max_examples=120, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_no_damage_keeps_a_head_from_being_read(seed: int) -> None:
    chance = Random(seed)
    data = mutate(chance.choice(SEEDS), chance, SEEDS)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "01a22b88.jsonl")
        path.write_bytes(data)
        for agent, head in HEADS.items():
            found = head(FoundSession(str(path), agent, "", "name", 0.0, len(data), is_read=False))
            assert found.is_read and found.title and (found.tokens is None or found.tokens > 0)
