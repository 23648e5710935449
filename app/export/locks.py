"""File locks against concurrent exports in place, and deferral of signals during the final steps."""

from __future__ import annotations

import signal
import sys
import threading
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
    """Lock a file against other exports in place; raises FileChanged if one is running.

    The lock is on the open file, so the system releases it however the process ends.
    """
    if sys.platform == "win32":
        # Windows has no flock, and replacing a file that another program has open fails anyway.
        yield
        return
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise FileChanged(
                f"{path} is being replaced by another handcompact: wait, then reopen the file"
            ) from error
        yield


def try_lock(descriptor: int) -> bool:
    """Lock an open file against other programs; False if one holds the lock. Released at process exit."""
    try:
        if sys.platform == "win32":
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        # Some network file systems have no locks: better to allow two users than none.
        return True
    return True


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Defer SIGINT and SIGTERM until the block is done, so that its steps happen together.

    Signals are recorded and raised again afterwards rather than blocked: a signal blocked here would be
    delivered to another thread and still interrupt this one. Only the main thread is ever interrupted.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    late: list[int] = []
    known = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    before = {number: handler for number, handler in known.items() if handler is not None}
    for number in before:
        signal.signal(number, lambda number, _: late.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for pressed in dict.fromkeys(late):
            signal.raise_signal(pressed)
