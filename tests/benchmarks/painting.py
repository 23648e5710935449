"""How long a program takes to its first paint, seen from the terminal that it paints on."""

from __future__ import annotations

import os
import select
import signal
import struct
import time
from typing import Final

TRIES: Final = 5
PATIENCE: Final = 30.0
"""Seconds after which a program that shows nothing is given up."""


def first_paint(command: list[str], wanted: bytes) -> float:
    """Seconds from the start of `command` until `wanted` is on its terminal of 120x36, the least of some."""
    return min(_once(command, wanted) for _ in range(TRIES))


def _once(command: list[str], wanted: bytes) -> float:
    import fcntl
    import pty
    import termios

    began = time.perf_counter()
    child, terminal = pty.fork()
    if child == 0:
        os.environ |= {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
        os.execvp(command[0], command)
    try:
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 36, 120, 0, 0))
        seen = b""
        while wanted not in seen:
            if time.perf_counter() - began > PATIENCE:
                raise TimeoutError(f"{' '.join(command)} did not show {wanted!r}: {seen[-400:]!r}")
            if select.select([terminal], [], [], 0.1)[0]:
                seen += os.read(terminal, 1 << 16)
        return time.perf_counter() - began
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(terminal)
