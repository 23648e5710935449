"""An agent at work on a session is named where that can be known."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.running import running, users_of

ID = "01a22b88-652c-7cf1-9182-83c7b06e4e46"
GONE = 2**22 + 1
"""No process has such a number."""


def note(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))


def session(home: Path, folder: str = ".claude/projects/-p") -> Path:
    path = home / folder / f"{ID}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("{}\n")
    return path


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs /proc")
def test_a_program_that_has_the_file_open_is_named(home: Path) -> None:
    path = session(home)
    link = home / "link.jsonl"
    link.symlink_to(path)
    code = "import sys; f = open(sys.argv[1], 'ab'); print('open', flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", code, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None and other.stdout.readline()
        assert [str(other.pid) in user for user in users_of(path)] == [True]
        assert users_of(link) == users_of(path), "a link is followed"
        assert other.stdin is not None
        other.stdin.close()
    with path.open("ab"):
        assert users_of(path) == (), "this program itself is no other"


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs /proc")
def test_a_program_that_only_reads_the_file_is_not_at_work_on_it(home: Path) -> None:
    path = session(home)
    code = "import sys; f = open(sys.argv[1], 'rb'); print('open', flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", code, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None and other.stdout.readline() == b"open\n"
        assert users_of(path) == ()
        other.communicate()


def test_claude_code_says_which_session_it_is_at_work_on(home: Path) -> None:
    path = session(home)
    told = {"pid": os.getppid(), "sessionId": ID, "startedAt": time.time() * 1000}
    note(home / ".claude/sessions/1.json", told)
    assert users_of(path) == (f"Claude Code ({os.getppid()})",)
    assert users_of(path.with_name("other.jsonl")) == ()
    note(home / ".claude/sessions/1.json", {**told, "pid": GONE})
    assert users_of(path) == (), "it ended without taking its note away"


@pytest.mark.skipif(not Path("/proc/stat").is_file(), reason="needs /proc")
def test_a_number_that_another_process_has_by_now_is_no_agent(home: Path) -> None:
    path = session(home)
    note(home / ".claude/sessions/1.json", {"pid": os.getppid(), "sessionId": ID, "startedAt": 1000})
    assert users_of(path) == ()


def test_qwen_code_leaves_a_note_beside_its_session(home: Path) -> None:
    path = session(home, ".qwen/projects/-p/chats")
    beside = path.with_suffix(".runtime.json")
    told = {
        "pid": os.getppid(),
        "session_id": ID,
        "hostname": socket.gethostname(),
        "started_at": time.time(),
    }
    note(beside, told)
    assert users_of(path) == (f"Qwen Code ({os.getppid()})",)
    note(beside, {**told, "hostname": "elsewhere"})
    assert users_of(path) == ("Qwen Code on elsewhere",)
    note(beside, {**told, "pid": GONE})
    assert users_of(path) == ()


@pytest.mark.parametrize("odd", [[], 7, None, *({"pid": pid, "sessionId": ID} for pid in ("x", -1, 10**30))])
def test_odd_notes_name_nobody(odd: object, home: Path) -> None:
    note(home / ".claude/sessions/1.json", odd)
    note(home / f".qwen/projects/-p/chats/{ID}.runtime.json", odd)
    path = home / f".qwen/projects/-p/chats/{ID}.jsonl"
    assert running().on(str(path)) == ()
