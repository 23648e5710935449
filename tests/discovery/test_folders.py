"""Sessions are found where their agents keep them, by heads only."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from app.discovery.folders import discover, samples
from tests.formats.codex.records import assistant, event, lines, meta, user
from tests.formats.gemini import records as gemini

ID = "01a22b88-652c-7cf1-9182-83c7b06e4e46"


def put(path: Path, data: bytes, age: int) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    os.utime(path, (1_700_000_000 - age, 1_700_000_000 - age))
    return path


def claude(home: Path) -> Path:
    row = {"type": "user", "cwd": "/p", "message": {"role": "user", "content": "Fix it."}}
    return put(home / ".claude/projects/-p/a.jsonl", json.dumps(row).encode(), 50)


def codex(home: Path, *records: dict[str, object], day: str = "30", age: int = 10) -> Path:
    name = f"rollout-2026-11-{day}T08-18-08-{ID}.jsonl"
    return put(home / ".codex/sessions/2026/11" / day / name, lines(*records), age)


def test_the_sessions_of_all_agents_newest_first(home: Path) -> None:
    old = claude(home)
    new = codex(home, meta(cwd="/w"), user("<environment_context>x</environment_context>"), user("Find it."))
    put(home / ".codex/sessions/2026/11/30/notes.txt", b"x", 5)
    put(home / ".codex/sessions/2026/11/30/rollout-empty.jsonl", b"", 5)
    found = discover()
    mine = [entry for entry in found.sessions if not entry.is_sample]
    assert [(entry.path, entry.agent, entry.project, entry.title) for entry in mine] == [
        (new, "Codex", "/w", "Find it."),
        (old, "Claude Code", "/p", "Fix it."),
    ]
    assert [shelf.found for shelf in found.shelves if shelf.agent in ("Claude Code", "Codex")] == [1, 1]


def test_sessions_of_pi_and_qwen_code_bear_the_name_they_were_given(home: Path) -> None:
    entries: list[dict[str, Any]] = [
        {"type": "session", "version": 3, "id": "x", "cwd": "/w"},
        {"type": "message", "message": {"role": "system", "content": "x" * 50_000}},
        {"type": "message", "message": {"role": "user", "content": [{"type": "text", "text": "Ask."}]}},
    ]
    first = put(home / ".pi/agent/sessions/--w--/1_x.jsonl", lines(*entries), 3)
    named = [*entries, {"type": "session_info", "name": " Mine "}]
    second = put(home / ".pi/agent/sessions/--w--/2_x.jsonl", lines(*named), 2)
    records: list[dict[str, Any]] = [
        {"type": "user", "cwd": "/v", "subtype": "notification", "message": {"parts": [{"text": "No."}]}},
        {"type": "user", "cwd": "/v", "message": {"role": "user", "parts": [{"text": "Tell."}]}},
    ]
    chats = home / ".qwen/projects/-v/chats"
    third = put(chats / f"{ID}.jsonl", lines(*records), 1)
    put(chats / f"{ID}.prs.json", b"{}", 1)
    put(chats / "notes.jsonl", b"{}", 1)
    found = [entry for entry in discover().sessions if not entry.is_sample]
    assert [(entry.path, entry.agent, entry.project, entry.title) for entry in found] == [
        (third, "Qwen Code", "/v", "Tell."),
        (second, "pi", "/w", "Mine"),
        (first, "pi", "/w", "Ask."),
    ]
    title = {"type": "system", "subtype": "custom_title", "systemPayload": {"customTitle": "Ours"}}
    put(chats / f"{ID}.jsonl", lines(*records, title), 1)
    assert discover().sessions[0].title == "Ours"


def test_sessions_of_gemini_cli_name_their_project(home: Path) -> None:
    project = home / ".gemini/tmp/shop"
    first = put(project / "chats/session-2026-01-02T03-04-5e550000.jsonl", gemini.lines(*_GEMINI), 3)
    put(project / "chats/5e550000-0000/a.jsonl", gemini.lines(*_GEMINI), 3)
    put(project / "chats/logs.jsonl", b"{}", 3)
    put(project / ".project_root", b"/w/shop\n", 3)
    named = (*_GEMINI, gemini.patch(summary="The shop"))
    second = put(home / ".gemini/tmp/old/chats/session-x.json", gemini.lines(*named), 2)
    found = [entry for entry in discover().sessions if not entry.is_sample]
    assert [(entry.path, entry.agent, entry.project, entry.title) for entry in found] == [
        (second, "Gemini CLI", "old", "The shop"),
        (first, "Gemini CLI", "/w/shop", "Ask."),
    ]


_GEMINI = (gemini.header(), gemini.user("<session_context>x"), gemini.user("Ask."), gemini.user("More."))


def test_the_first_prompt_is_found_behind_long_instructions(home: Path) -> None:
    long = meta(base_instructions={"text": "x" * 40_000})
    codex(
        home,
        long,
        user(f"# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\n{'y' * 40_000}\n</INSTRUCTIONS>"),
        user("Go."),
    )
    assert discover().sessions[0].title == "Go."


def test_a_name_that_was_given_is_the_title(home: Path) -> None:
    codex(home, meta(), user("Go."), assistant("Ok"), event("thread_name_updated", thread_name="Mine"))
    assert discover().sessions[0].title == "Mine"


def test_a_broken_head_costs_the_title_only(home: Path) -> None:
    path = put(
        home / ".codex/sessions/2026/11/30/rollout-x.jsonl", b'{"type":"session_me\n[]\n{"payload":7}\n', 1
    )
    assert [(e.path, e.title) for e in discover().sessions if not e.is_sample] == [(path, "rollout-x")]


def test_samples_of_one_name_are_told_by_their_endings() -> None:
    titles = [found.title for found in samples()]
    assert {"openai chat.json", "openai chat.jsonl", "claude code long"} <= set(titles)
    assert len(set(titles)) == len(titles)
