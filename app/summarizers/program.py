"""Asking any program that reads a prompt on standard input and writes the answer to standard output."""

from __future__ import annotations

import codecs
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO, Any, Final

from app.errors import SummaryFailed
from app.summarizers.asking import PATIENT, POLL_SECONDS, AnswerLimits, Ask, PartialAnswer, one_line
from app.summarizers.base import SummaryRequest

CHUNK: Final = 1 << 16
COMPLAINT_BYTES: Final = 4096
"""How much of a program's standard error is kept, the newest."""
GRACE_SECONDS: Final = 0.5
"""Between SIGTERM and SIGKILL; also how long the output is still read after the program ended."""


def by_command(argv: Sequence[str], limits: AnswerLimits = PATIENT) -> Ask:
    """Ask a program; on cancellation it is terminated with all its child processes.

    Raises SummaryFailed for a status other than 0, for output that is not UTF-8, and as soon as the answer
    is not shorter than what it was made from.
    """
    name = argv[0]

    def ask(request: SummaryRequest) -> str:
        heard = PartialAnswer(request, limits)
        with _running(argv) as program:
            hearing = _Pump(lambda: _hear(program.stdout, heard, name))
            complaining = _Pump(lambda: _newest(program.stderr))
            # What does not read its input to the end may still answer.
            _Pump(lambda: _feed(program.stdin, request.prompt))
            _wait(program, (hearing, complaining), limits.until(name))
            status = program.poll()
        if hearing.error is not None:
            raise hearing.error
        if status:
            said = _last_line(complaining.given) or _last_line(heard.text)
            how = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
            raise SummaryFailed(f"{name} {how}: {said or 'no message'}")
        return heard.text

    return ask


@contextmanager
def _running(argv: Sequence[str]) -> Iterator[subprocess.Popen[bytes]]:
    pipe = subprocess.PIPE
    try:
        # In a session of its own: it cannot write over the screen, and all it starts can be ended with it.
        # Unbuffered, so that closing a pipe waits for no thread that still reads it.
        program = subprocess.Popen(
            list(argv), bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
        )
    except (OSError, ValueError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise SummaryFailed(f"{argv[0]} cannot be started: {why}") from error
    with program:
        try:
            yield program
        except BaseException:
            _end(program)
            raise


def _wait(program: subprocess.Popen[bytes], pumps: Sequence[_Pump], check: Callable[[], None]) -> None:
    """Wait until a program has ended and all was read, or until its answer cannot be taken any more."""
    ended_at: float | None = None
    while ended_at is None or (
        any(pump.is_alive() for pump in pumps) and time.monotonic() < ended_at + GRACE_SECONDS
    ):
        check()
        if pumps[0].error is not None:
            _end(program)
            return
        if ended_at is None:
            with suppress(subprocess.TimeoutExpired):
                program.wait(POLL_SECONDS)
                ended_at = time.monotonic()
        else:
            # Something that it left running may hold its output open.
            pumps[0].join(POLL_SECONDS)


def _end(program: subprocess.Popen[bytes]) -> None:
    """End a program and all of its group, kindly at first."""
    if not hasattr(os, "killpg"):  # pragma: no cover - elsewhere there are no groups
        program.kill()
        return
    for sign in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(program.pid, sign)
        with suppress(subprocess.TimeoutExpired):
            program.wait(GRACE_SECONDS)


class _Pump(threading.Thread):
    """Moves bytes in the background; it must not keep the program from ending."""

    def __init__(self, work: Callable[[], str]) -> None:
        super().__init__(daemon=True)
        self.given = ""
        self.error: SummaryFailed | None = None
        self._work = work
        self.start()

    def run(self) -> None:
        try:
            self.given = self._work()
        except SummaryFailed as error:
            self.error = error
        except (OSError, ValueError):
            # The pipe is closed, at the other end or by us.
            return


def _feed(pipe: IO[bytes] | None, prompt: str) -> str:
    assert pipe is not None
    rest = memoryview(prompt.encode("utf-8", "replace"))
    with pipe:
        while rest:
            rest = rest[pipe.write(rest[:CHUNK]) :]
    return ""


def _hear(pipe: IO[bytes] | None, heard: PartialAnswer, name: str) -> str:
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    try:
        for chunk in _chunks(pipe):
            heard.add(decoder.decode(chunk))
        heard.add(decoder.decode(b"", True))
    except UnicodeDecodeError as error:
        raise SummaryFailed(f"what {name} wrote is not UTF-8: {error.reason}") from error
    return heard.text


def _newest(pipe: IO[bytes] | None) -> str:
    kept = b""
    for chunk in _chunks(pipe):
        kept = (kept + chunk)[-COMPLAINT_BYTES:]
    return kept.decode("utf-8", "replace")


def _chunks(pipe: Any) -> Iterator[bytes]:
    return iter(lambda: pipe.read(CHUNK), b"")


def _last_line(text: str) -> str:
    """Where the cause stands: tracebacks, usages and logs end with it."""
    lines = [line for line in text[-COMPLAINT_BYTES:].splitlines() if line.strip()]
    return one_line(lines[-1]) if lines else ""
