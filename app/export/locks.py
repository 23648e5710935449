"""Keeping two writers apart, one export in place at a time, and an interrupt out of its last steps."""

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
                f"{path} is being replaced by another handcompact: wait, then reopen the file"
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


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let ctrl+c, or being told to end, wait until this is done: what belongs together is done together.

    Signals are not blocked but put off: one that is blocked here goes to another thread of the program, and
    interrupts this one all the same. Threads beside the main one are never interrupted.
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
