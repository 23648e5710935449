"""A module run in a pseudo-terminal: every byte that it writes there comes out."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]


def written_to_terminal(
    module: str,
    *arguments: str,
    env: Mapping[str, str] | None = None,
    size: tuple[int, int] = (160, 60),
    silence: float = 10,
) -> str:
    """All that a module writes to a terminal of so many columns and rows until it ends.

    It is ended when it writes nothing for `silence` seconds.
    """
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
    usual = {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**os.environ, **usual, **(env or {})},
        cwd=ROOT,
    )
    os.close(slave)
    output = bytearray()
    try:
        while select.select([master], [], [], silence)[0] and (piece := _read(master)):
            output += piece
    finally:
        process.kill()
        process.wait(silence)
        os.close(master)
    return output.decode("utf-8")


def _read(master: int) -> bytes:
    """What is there to read; nothing once the program has closed its side (Linux says EIO then)."""
    try:
        return os.read(master, 65_536)
    except OSError:
        return b""
