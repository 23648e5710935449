"""Nothing in a session can act on the terminal that shows it: measured in a real pseudo-terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
from pathlib import Path

ROOT = Path(__file__).parents[2]
SECONDS = 10


def written_to_terminal(module: str) -> str:
    """All that a module writes to a terminal of 160x60 until it ends."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 160, 0, 0))
    env = {**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, "-m", module], stdin=slave, stdout=slave, stderr=slave, env=env, cwd=ROOT
    )
    os.close(slave)
    output = bytearray()
    try:
        while select.select([master], [], [], SECONDS)[0] and (piece := read(master)):
            output += piece
    finally:
        process.kill()
        process.wait(SECONDS)
        os.close(master)
    return output.decode("utf-8")


def read(master: int) -> bytes:
    """What is there to read; nothing once the program has closed its side (Linux says EIO then)."""
    try:
        return os.read(master, 65_536)
    except OSError:
        return b""


def test_no_sequence_of_the_content_reaches_the_terminal() -> None:
    written = written_to_terminal("tests.tui.hostile_app")
    assert "aGFja2Vk" in written, "the hostile text was not shown at all"
    assert written.count("[/x] [b [/]") >= 2, "brackets are shown as they are"

    # The one operating system command of Textual itself: the shape of the mouse pointer.
    written = re.sub(r"\x1b\]22;[a-z-]+\x07", "", written)
    assert "\x1b]" not in written, "an operating system command: clipboard, title, link"
    assert not re.search("\x1b[P_^Xc]", written), "DCS, APC, PM, SOS or a reset"
    assert not re.search("[\x00-\x07\x0e-\x1a\x1c-\x1f\x7f-\x9f]", written), "controls no screen needs"
    assert not re.search("[\u202a-\u202e\u2066-\u2069\ud800-\udfff]", written), "text turned around"
    assert "\x1b[6n" not in written, "a question that the terminal answers on standard input"
    assert "\x1b[2J" not in written
