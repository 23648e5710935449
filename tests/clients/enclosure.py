"""Running a client where it reaches nothing but the mock model.

Where the system lets us, a client gets a network of its own that has only a loopback: a socket that
listens there is made inside and handed out, so that the model answers from outside. Elsewhere proxy
settings that point at a closed port keep the client off the network.

This file is also the program that runs inside before it becomes the client, so it needs nothing but the
standard library.
"""

from __future__ import annotations

import fcntl
import functools
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

CLOSED_PORT: Final = 9
INNER_PORT: Final = 8321
"""The model's port in a network of its own, where every port is free."""

_SIOCSIFFLAGS: Final = 0x8914
_IFF_UP: Final = 0x1


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended."""

    exit_code: int | None
    """None where its time ran out."""
    stdout: str
    stderr: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Running:
    """A program that was started, and the socket on which its model must listen."""

    process: subprocess.Popen[bytes]
    listener: socket.socket
    output: Path
    """The folder that holds what it prints."""

    def wait(self, seconds: float) -> Ended:
        """Wait for its end, at most so long; what it left running is ended too."""
        began = time.monotonic()
        try:
            code: int | None = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            code = None
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        stdout, stderr = ((self.output / name).read_text("utf-8", "replace") for name in ("out", "err"))
        return Ended(code, stdout, stderr, time.monotonic() - began)


class Network(Protocol):
    """What a client can reach."""

    url: str
    """Where its model will answer."""

    def start(self, command: Sequence[str], env: Mapping[str, str], cwd: Path, output: Path) -> Running:
        """Start a program; what it prints goes to files in the folder `output`."""


class OwnNetwork:
    """A network that has only a loopback."""

    url = f"http://127.0.0.1:{INNER_PORT}"

    def __init__(self, enter: Sequence[str]) -> None:
        self._enter = enter

    def start(self, command: Sequence[str], env: Mapping[str, str], cwd: Path, output: Path) -> Running:
        """Start a program inside."""
        ours, theirs = socket.socketpair()
        with ours, theirs:
            inside = [*self._enter, sys.executable, "-I", __file__, str(theirs.fileno()), *command]
            process = _popen(inside, env, cwd, output, theirs.fileno())
            theirs.close()
            _, sockets, _, _ = socket.recv_fds(ours, 1, 1)
        if not sockets:
            raise OSError(f"no socket came out of {inside}: {(output / 'err').read_text('utf-8', 'replace')}")
        return Running(process, socket.socket(fileno=sockets[0]), output)


class SharedNetwork:
    """The machine's network, behind a proxy that does not exist."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def start(self, command: Sequence[str], env: Mapping[str, str], cwd: Path, output: Path) -> Running:
        """Start a program that is told to use the proxy."""
        nowhere, local = f"http://127.0.0.1:{CLOSED_PORT}", "127.0.0.1,localhost"
        proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), nowhere) | {"NO_PROXY": local}
        proxies |= {name.lower(): value for name, value in proxies.items()}
        return Running(_popen(command, {**env, **proxies}, cwd, output), self._listener, output)


def network() -> Network:
    """The narrowest network that this system lets us make."""
    enter = _way_in()
    return SharedNetwork() if enter is None else OwnNetwork(enter)


@functools.cache
def _way_in() -> tuple[str, ...] | None:
    """The command that runs another one in a network of its own; None where none does."""
    unshare = shutil.which("unshare")
    for options in ("-rn", "-n"):
        if unshare and subprocess.run([unshare, options, "true"], capture_output=True).returncode == 0:
            return unshare, options
    return None


def _popen(
    command: Sequence[str], env: Mapping[str, str], cwd: Path, output: Path, *handed: int
) -> subprocess.Popen[bytes]:
    with (output / "out").open("wb") as out, (output / "err").open("wb") as err:
        return subprocess.Popen(
            command,
            env=dict(env),
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            pass_fds=handed,
            start_new_session=True,
        )


def _become(channel: int, command: Sequence[str]) -> None:
    """Inside: make the loopback and a socket on it, hand that out, and become the client."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", _IFF_UP))
    with socket.create_server(("127.0.0.1", INNER_PORT)) as listener, socket.socket(fileno=channel) as out:
        socket.send_fds(out, [b"."], [listener.fileno()])
    os.execvp(command[0], list(command))


if __name__ == "__main__":
    _become(int(sys.argv[1]), sys.argv[2:])
