"""Keeping two writers apart: who else has a file open, and one export in place at a time."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.errors import FileChanged

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold a file against other exports in place; raises FileChanged when one is under way.

    The lock is on the file itself, so it goes with the process, however that ends.
    """
    if sys.platform == "win32":
        # There is no flock, and replacing a file that somebody has open fails by itself.
        yield
        return
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise FileChanged(
                f"{path} is being replaced by another handcompact: wait for it, then open the file again"
            ) from error
        yield


def try_lock(descriptor: int) -> bool:
    """Lock an open file against other programs; False where one has it. It goes with the process."""
    try:
        if sys.platform == "win32":
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        # Some network file systems have no locks: better two offers than none.
        return True
    return True


def users_of(path: Path) -> tuple[str, ...]:
    """Names of other processes that have a file open, with their ids, as far as Linux lets us see."""
    return _users(path, only_writers=False)


def writers_of(path: Path) -> tuple[str, ...]:
    """Those of `users_of` that have it open for writing."""
    return _users(path, only_writers=True)


def _users(path: Path, *, only_writers: bool) -> tuple[str, ...]:
    processes = Path("/proc")
    if not (processes / "self" / "fd").is_dir():
        return ()
    wanted = os.path.realpath(path)
    return tuple(
        f"{_name(process)} ({process.name})"
        for process in sorted(processes.iterdir())
        if process.name.isdigit()
        and int(process.name) != os.getpid()
        and _has_open(process, wanted, only_writers)
    )


def _has_open(process: Path, wanted: str, only_writers: bool) -> bool:
    try:
        return any(
            str(entry.readlink()) == wanted and not (only_writers and _only_reads(process, entry.name))
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


def _name(process: Path) -> str:
    try:
        return (process / "comm").read_text("utf-8", "replace").strip()
    except OSError:
        return "a process"
