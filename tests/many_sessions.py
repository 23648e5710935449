"""A home with many sessions of six agents, for what must stay quick and small with all of them.

    python -m tests.many_sessions FOLDER 10000

Then `HOME=FOLDER handcompact` lists them.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import uuid
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any, Final

NOW: Final = 1_790_000_000.0
"""When the newest was written (seconds since 1970)."""
SUBJECTS: Final = (
    "Round the totals in the cart", "Why is the build slow?", "修复登录后的跳转", "Add a test for the parser",
    "Find out who calls this", "Write the release notes", "Move the settings to one file", "[/x] in a title",
)  # fmt: skip


def make(home: Path, number: int, newest: float = NOW) -> None:
    """Put `number` sessions into the agents' folders below a home, of 2 KiB to 200 KiB each.

    One was written every ten minutes, the last one at `newest` (seconds since 1970).
    """
    chance = Random(number)
    stored = []
    for index in range(number):
        project = f"/home/ada/work/project-{chance.randrange(1, max(4, number // 60)):03}"
        title = f"{chance.choice(SUBJECTS)} {index}"
        turns = chance.choice((1, 3, 3, 8, 8, 20, 60))
        agent = index % 6
        if agent == 5:
            stored.append((index, project, title, turns))
            continue
        path, records = MAKERS[agent](home, index, project, title, turns)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
        os.utime(path, (newest - index * 600, newest - index * 600))
    _store(home / ".local/share/opencode/opencode.db", stored, newest)


def _id(index: int) -> str:
    return str(uuid.UUID(int=Random(index).getrandbits(128), version=4))


def _text(turn: int) -> str:
    return f"Turn {turn}: " + "a line of a file that was read\n" * 40


_Made = tuple[Path, Iterable[dict[str, Any]]]


def _claude(home: Path, index: int, project: str, title: str, turns: int) -> _Made:
    base = {"cwd": project, "sessionId": _id(index), "isSidechain": False, "version": "2.1.0"}
    records: list[dict[str, Any]] = []
    for turn in range(turns):
        usage = {"input_tokens": 5, "cache_read_input_tokens": 900 * turn, "output_tokens": 60}
        content = [{"type": "text", "text": _text(turn)}]
        reply = {"id": f"msg_{turn}", "role": "assistant", "content": content, "usage": usage}
        said = title if turn == 0 else "Go on."
        records.append({**base, "type": "user", "message": {"role": "user", "content": said}})
        records.append({**base, "type": "assistant", "message": reply})
    slug = "".join(c if c.isalnum() else "-" for c in project)
    return home / ".claude/projects" / slug / f"{_id(index)}.jsonl", records


def _codex(home: Path, index: int, project: str, title: str, turns: int) -> _Made:
    instructions = {"text": "You are careful. " * 1200}
    meta = {"id": _id(index), "cwd": project, "cli_version": "0.171.0", "base_instructions": instructions}
    records: list[dict[str, Any]] = [{"type": "session_meta", "payload": meta}]
    for turn in range(turns):
        asked = [{"type": "input_text", "text": title if turn == 0 else "Go on."}]
        given = [{"type": "output_text", "text": _text(turn)}]
        usage = {"last_token_usage": {"total_tokens": 1000 * turn + 400}}
        records += [
            {"type": "response_item", "payload": {"type": "message", "role": "user", "content": asked}},
            {"type": "response_item", "payload": {"type": "message", "role": "assistant", "content": given}},
            {"type": "event_msg", "payload": {"type": "token_count", "info": usage}},
        ]
    day = f"{index % 28 + 1:02}"
    name = f"rollout-2026-09-{day}T08-18-08-{_id(index)}.jsonl"
    return home / ".codex/sessions/2026/09" / day / name, records


def _pi(home: Path, index: int, project: str, title: str, turns: int) -> _Made:
    records: list[dict[str, Any]] = [{"type": "session", "version": 3, "id": _id(index), "cwd": project}]
    for turn in range(turns):
        usage = {"input": 10, "output": 20, "cacheRead": 700 * turn, "cacheWrite": 0}
        reply = {"role": "assistant", "content": [{"type": "text", "text": _text(turn)}], "usage": usage}
        said = {"role": "user", "content": title if turn == 0 else "Go on."}
        records += [{"type": "message", "message": said}, {"type": "message", "message": reply}]
    slug = f"--{project.strip('/').replace('/', '-')}--"
    return home / ".pi/agent/sessions" / slug / f"2026_{_id(index)}.jsonl", records


def _gemini(home: Path, index: int, project: str, title: str, turns: int) -> _Made:
    folder = home / ".gemini/tmp" / Path(project).name
    records: list[dict[str, Any]] = [{"sessionId": _id(index), "projectHash": "x", "kind": "main"}]
    for turn in range(turns):
        tokens = {"input": 800 * turn, "output": 30, "total": 800 * turn + 30}
        said = [{"text": title if turn == 0 else "Go on."}]
        records.append({"id": f"u{turn}", "type": "user", "content": said})
        records.append({"id": f"g{turn}", "type": "gemini", "content": _text(turn), "tokens": tokens})
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".project_root").write_text(project)
    return folder / "chats" / f"session-2026-09-01T00-00-{_id(index)[:8]}.jsonl", records


def _qwen(home: Path, index: int, project: str, title: str, turns: int) -> _Made:
    base = {"sessionId": _id(index), "cwd": project, "version": "0.24.4"}
    records: list[dict[str, Any]] = []
    for turn in range(turns):
        said = {"role": "user", "parts": [{"text": title if turn == 0 else "Go on."}]}
        reply = {"role": "model", "parts": [{"text": _text(turn)}]}
        usage = {"promptTokenCount": 600 * turn + 100, "candidatesTokenCount": 40}
        records.append({**base, "type": "user", "message": said})
        records.append({**base, "type": "assistant", "message": reply, "usageMetadata": usage})
    slug = "".join(c if c.isalnum() else "-" for c in project)
    return home / ".qwen/projects" / slug / "chats" / f"{_id(index)}.jsonl", records


def _store(path: Path, sessions: Iterable[tuple[int, str, str, int]], newest: float) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(
            "CREATE TABLE session (id text PRIMARY KEY, parent_id text, directory text, title text,"
            " time_created integer, time_updated integer)"
        )
        database.execute("CREATE INDEX session_parent ON session (parent_id)")
        database.execute(
            "CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, data text)"
        )
        database.execute("CREATE INDEX message_session ON message (session_id, time_created, id)")
        for index, project, title, turns in sessions:
            moment = int((newest - index * 600) * 1000)
            row = (f"ses_{index:026}", None, project, title, moment, moment)
            database.execute("INSERT INTO session VALUES (?,?,?,?,?,?)", row)
            for turn in range(2 * turns):
                tokens = {"input": 500 * turn, "output": 9, "reasoning": 0, "cache": {"read": 0, "write": 0}}
                info = {"role": "assistant", "tokens": tokens} if turn % 2 else {"role": "user"}
                message = (f"msg_{index}_{turn:04}", f"ses_{index:026}", moment + turn, json.dumps(info))
                database.execute("INSERT INTO message VALUES (?,?,?,?)", message)


MAKERS: Final[tuple[Callable[[Path, int, str, str, int], _Made], ...]] = (
    _claude,
    _codex,
    _pi,
    _gemini,
    _qwen,
)


if __name__ == "__main__":
    make(Path(sys.argv[1]), int(sys.argv[2]))
