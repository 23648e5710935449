"""Which agents are at work on a session just now, as far as they let it be known.

What is known (each seen in the program itself): Claude Code 2.1 writes `sessions/<pid>.json` with the id of
the session while it runs; Qwen Code writes `<id>.runtime.json` beside it, Copilot CLI `inuse.<pid>.lock`;
Codex and opencode keep their file open, which Linux shows in `/proc`. pi, Gemini CLI and Claude Code 2.0
leave no trace between writes.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from app.settings import claude_dir, opencode_store

_PROC = Path("/proc")
_CHATS = f"{os.sep}chats{os.sep}"
"""Qwen Code's folder of sessions, in which it leaves its note."""
_EVENTS = f"{os.sep}events.jsonl"
"""Copilot CLI's name for the log of a session, in the session's folder."""
_LATER_SECONDS = 60.0
"""A process that began so much after a file names its number is another one."""


class Running(Struct, frozen=True):
    """Programs that are at work, in words, by what they are at work on."""

    by_path: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """By real path: who has the file open for writing."""
    by_session: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """By session id: who says so."""

    def on(self, name: str) -> tuple[str, ...]:
        """Who works on the session in a file (or on `opencode:<id>`)."""
        stem = name.rpartition(os.sep)[2].rpartition(".")[0]
        told = (*self.by_session.get(stem, ()), *(_beside(Path(name)) if _CHATS in name else ()))
        if name.endswith(_EVENTS):
            told = (*told, *_locks(Path(name).parent))
        if not self.by_path:
            return told
        real = os.path.realpath(opencode_store() if name.startswith("opencode:") else name)
        return tuple(dict.fromkeys((*told, *self.by_path.get(real, ()))))


def running() -> Running:
    """Who is at work on anything now; looks at every process of this person (some milliseconds)."""
    by_path: dict[str, tuple[str, ...]] = {}
    for process in _processes():
        with suppress(OSError):
            # It may end just now, or belong to somebody else.
            open_files = {entry.name: str(entry.readlink()) for entry in (process / "fd").iterdir()}
            sessions = [
                name for name, path in open_files.items() if path.endswith((".jsonl", ".json", ".db"))
            ]
            # Who only reads it, as another of this program does, is not at work on it.
            for path in {open_files[name] for name in sessions if not _only_reads(process, name)}:
                by_path[path] = (*by_path.get(path, ()), f"{_name(process)} ({process.name})")
    return Running(by_path, dict(_claude_sessions()))


def users_of(path: Path) -> tuple[str, ...]:
    """Who is at work on the session in a file, with their process numbers; this program is not meant."""
    return running().on(str(path))


def writers_of(path: Path) -> tuple[str, ...]:
    """Which other processes have a file open for writing, as far as Linux lets us see."""
    wanted = os.path.realpath(path)
    return tuple(f"{_name(p)} ({p.name})" for p in _processes() if _writes(p, wanted))


def old_writers_of(path: Path, inode: int, device: int) -> tuple[str, ...]:
    """Which other processes have a file open for writing that had this name until another took it."""
    wanted, number = f"{os.path.realpath(path)} (deleted)", (device, inode)
    return tuple(f"{_name(p)} ({p.name})" for p in _processes() if _writes(p, wanted, number))


def sees_writers() -> bool:
    """Whether this system tells which processes have a file open."""
    return (_PROC / "self" / "fd").is_dir()


def workers_on(path: Path) -> tuple[str, ...]:
    """Who says that it is at work on the session in a file, or has the file open for writing."""
    said = Running(by_session=dict(_claude_sessions())).on(str(path))
    return tuple(dict.fromkeys((*said, *writers_of(path))))


def _writes(process: Path, wanted: str, number: tuple[int, int] | None = None) -> bool:
    """Whether a process writes a file of this name (and, where many had it, of this device and inode)."""
    try:
        return any(
            str(entry.readlink()) == wanted
            and (number is None or number == ((info := entry.stat()).st_dev, info.st_ino))
            and not _only_reads(process, entry.name)
            for entry in (process / "fd").iterdir()
        )
    except OSError:
        # It ended just now, or it belongs to somebody else.
        return False


def _only_reads(process: Path, descriptor: str) -> bool:
    """Whether a descriptor was opened for reading alone (its `flags:` line is octal)."""
    for line in (process / "fdinfo" / descriptor).read_text("ascii", "replace").splitlines():
        name, _, value = line.partition(":")
        if name == "flags":
            return int(value, 8) & os.O_ACCMODE == os.O_RDONLY
    return False


def _processes() -> Iterator[Path]:
    if sees_writers():
        for process in sorted(_PROC.iterdir()):
            if process.name.isdigit() and int(process.name) != os.getpid():
                yield process


def _name(process: Path) -> str:
    try:
        return (process / "comm").read_text("utf-8", "replace").strip()
    except OSError:
        return "a process"


def _claude_sessions() -> Iterator[tuple[str, tuple[str, ...]]]:
    with suppress(OSError):
        for file in sorted((claude_dir() / "sessions").glob("*.json")):
            told = _object(file)
            ident, pid, began = told.get("sessionId"), told.get("pid"), told.get("startedAt")
            since = began / 1000 if isinstance(began, int | float) else None
            if isinstance(ident, str) and isinstance(pid, int) and _is_alive(pid, since):
                yield ident, (f"Claude Code ({pid})",)


def _beside(path: Path) -> tuple[str, ...]:
    """Qwen Code's own note beside a session."""
    told = _object(path.with_suffix(".runtime.json"))
    pid, began = told.get("pid"), told.get("started_at")
    since = began if isinstance(began, int | float) else None
    if told.get("session_id") != path.stem or not isinstance(pid, int):
        return ()
    host = told.get("hostname")
    if host != platform.node():
        return (f"Qwen Code on {host}",)
    return (f"Qwen Code ({pid})",) if _is_alive(pid, since) else ()


def _locks(folder: Path) -> tuple[str, ...]:
    """The locks of Copilot CLI in the folder of a session; it leaves them behind when it is killed."""
    pids = (name.removeprefix("inuse.").removesuffix(".lock") for name in _names(folder))
    return tuple(f"Copilot CLI ({pid})" for pid in pids if runs(pid))


def _names(folder: Path) -> list[str]:
    try:
        return sorted(path.name for path in folder.glob("inuse.*.lock"))
    except OSError:
        return []


def runs(number: str) -> bool:
    """Whether a process runs by whose number a file is named, or another of that number by now."""
    return number.isascii() and number.isdecimal() and _is_alive(int(number), None)


def _is_alive(pid: int, since: float | None) -> bool:
    """Whether a process runs, and ran at a time (seconds since 1970); its number may be another's by now."""
    if pid <= 0 or os.name == "nt":
        # Asking Windows for a process by signal 0 would end it.
        return False
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return since is None or (began := _began(pid)) is None or began < since + _LATER_SECONDS


def _began(pid: int) -> float | None:
    """When a process began, in seconds since 1970, where Linux says so."""
    try:
        ticks = int((_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[19])
        boot = next(line for line in (_PROC / "stat").read_text().splitlines() if line.startswith("btime"))
        return int(boot.split()[1]) + ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, StopIteration):
        return None


def _object(file: Path) -> dict[str, Any]:
    try:
        value = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
