"""Detecting which agents are running on a session now, as far as they leave traces.

Each trace was seen in the agent itself: Claude Code 2.1 writes `sessions/<pid>.json` with the session id
while it runs; Qwen Code writes `<id>.runtime.json` beside the session, Copilot CLI `inuse.<pid>.lock`;
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
"""Qwen Code's folder of sessions and their `.runtime.json` files."""
_EVENTS = f"{os.sep}events.jsonl"
"""Copilot CLI's log of a session, in the session's folder."""
_LATER_SECONDS = 60.0
"""A process that started this long after a file named its pid is another one (the pid was reused)."""


class Running(Struct, frozen=True):
    """Descriptions of running programs, by the session they use."""

    by_path: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """By resolved path: programs that have the file open for writing."""
    by_session: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """By session id: programs whose trace names it."""

    def on(self, name: str) -> tuple[str, ...]:
        """Programs using the session in a file (or `opencode:<id>`)."""
        stem = name.rpartition(os.sep)[2].rpartition(".")[0]
        told = (*self.by_session.get(stem, ()), *(_beside(Path(name)) if _CHATS in name else ()))
        if name.endswith(_EVENTS):
            told = (*told, *_locks(Path(name).parent))
        if not self.by_path:
            return told
        real = os.path.realpath(opencode_store() if name.startswith("opencode:") else name)
        return tuple(dict.fromkeys((*told, *self.by_path.get(real, ()))))


def running() -> Running:
    """All programs using a session now; scans this user's processes (some milliseconds)."""
    by_path: dict[str, tuple[str, ...]] = {}
    for process in _processes():
        with suppress(OSError):
            # The process may end meanwhile, or belong to another user.
            open_files = {entry.name: str(entry.readlink()) for entry in (process / "fd").iterdir()}
            sessions = [
                name for name, path in open_files.items() if path.endswith((".jsonl", ".json", ".db"))
            ]
            # A reader, such as another instance of this program, does not count.
            for path in {open_files[name] for name in sessions if not _only_reads(process, name)}:
                by_path[path] = (*by_path.get(path, ()), f"{_name(process)} ({process.name})")
    return Running(by_path, dict(_claude_sessions()))


def users_of(path: Path) -> tuple[str, ...]:
    """Other programs using the session in a file, with their pids."""
    return running().on(str(path))


def writers_of(path: Path) -> tuple[str, ...]:
    """Other processes that have a file open for writing, as far as Linux shows them."""
    wanted = os.path.realpath(path)
    return tuple(f"{_name(p)} ({p.name})" for p in _processes() if _writes(p, wanted))


def old_writers_of(path: Path, inode: int, device: int) -> tuple[str, ...]:
    """Other processes that have the replaced file of this name (by inode and device) open for writing."""
    wanted, number = f"{os.path.realpath(path)} (deleted)", (device, inode)
    return tuple(f"{_name(p)} ({p.name})" for p in _processes() if _writes(p, wanted, number))


def sees_writers() -> bool:
    """Whether this system shows which processes have a file open."""
    return (_PROC / "self" / "fd").is_dir()


def workers_on(path: Path) -> tuple[str, ...]:
    """Programs whose trace names the session in a file, or that have the file open for writing."""
    said = Running(by_session=dict(_claude_sessions())).on(str(path))
    return tuple(dict.fromkeys((*said, *writers_of(path))))


def _writes(process: Path, wanted: str, number: tuple[int, int] | None = None) -> bool:
    """Whether a process has a file of this name (and device and inode, if given) open for writing."""
    try:
        return any(
            str(entry.readlink()) == wanted
            and (number is None or number == ((info := entry.stat()).st_dev, info.st_ino))
            and not _only_reads(process, entry.name)
            for entry in (process / "fd").iterdir()
        )
    except OSError:
        # The process has just ended, or belongs to another user.
        return False


def _only_reads(process: Path, descriptor: str) -> bool:
    """Whether a descriptor was opened read-only (its `flags:` line is octal)."""
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
    """Programs named by Qwen Code's `.runtime.json` beside a session."""
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
    """Programs named by Copilot CLI's lock files in a session's folder; a killed one leaves its lock."""
    pids = (name.removeprefix("inuse.").removesuffix(".lock") for name in _names(folder))
    return tuple(f"Copilot CLI ({pid})" for pid in pids if runs(pid))


def _names(folder: Path) -> list[str]:
    try:
        return sorted(path.name for path in folder.glob("inuse.*.lock"))
    except OSError:
        return []


def runs(number: str) -> bool:
    """Whether a process with the pid in a file's name runs; the pid may have been reused."""
    return number.isascii() and number.isdecimal() and _is_alive(int(number), None)


def _is_alive(pid: int, since: float | None) -> bool:
    """Whether a process runs and already ran at `since` (seconds since 1970); pids are reused."""
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
    """When a process started, in seconds since 1970; None where Linux does not say."""
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
