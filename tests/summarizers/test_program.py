"""A program that is asked for a summary: what it is given, and that nothing of it stays behind."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

import pytest

from app.errors import Stopped, SummaryFailed
from app.summarizers import SummaryRequest
from app.summarizers.asking import AnswerLimits
from app.summarizers.model import obtain
from app.summarizers.program import by_command

REQUEST = SummaryRequest("Summarise it.", "<log>\n" + "修复 long talk. " * 60 + "\n</log>")


def python(code: str) -> list[str]:
    return [sys.executable, "-c", f"import os, subprocess, sys, time\n{code}"]


def answer(code: str, limits: AnswerLimits | None = None, request: SummaryRequest = REQUEST) -> str:
    return obtain(request, by_command(python(code), limits or AnswerLimits(20)), allowed=True)


def failure(code: str, limits: AnswerLimits | None = None) -> str:
    with pytest.raises(SummaryFailed) as caught:
        answer(code, limits)
    line = str(caught.value)
    assert "\n" not in line and len(line) < 500
    return line


def test_it_is_given_the_prompt_that_was_shown(tmp_path: Path) -> None:
    got = tmp_path / "prompt"
    told: list[int] = []
    code = f"open({str(got)!r}, 'wb').write(sys.stdin.buffer.read()); sys.stdout.write('Fertig: 修复 é.')"
    text = answer(f"sys.stdout.reconfigure(encoding='utf-8')\n{code}", AnswerLimits(20, told=told.append))
    assert text == "Fertig: 修复 é." and got.read_text("utf-8") == REQUEST.prompt
    assert told[-1] == len(text)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("sys.exit(3)", "ended with status 3: no message"),
        (
            "sys.stderr.write('Traceback ...\\n  File x\\nKeyError: 1\\n'); sys.exit(1)",
            "status 1: KeyError: 1",
        ),
        ("print('Invalid API key'); sys.exit(1)", "status 1: Invalid API key"),
        ("sys.stderr.write('x' * 3_000_000 + 'y'); sys.exit(1)", "status 1: xxx"),
        ("os.kill(os.getpid(), 9)", "was ended by signal 9"),
        ("sys.stdout.buffer.write(b'caf\\xe9 au lait')", "wrote is not UTF-8"),
        ("sys.stdout.buffer.write('修'.encode()[:2])", "wrote is not UTF-8"),
        ("", "answer is empty"),
        ("print(sys.stdin.read())", "is not shorter"),
    ],
)
def test_each_failure_is_one_line(code: str, words: str) -> None:
    assert words in failure(code)


def test_a_program_that_is_not_there_is_told() -> None:
    with pytest.raises(SummaryFailed, match="no-such-program cannot be started: No such file"):
        obtain(REQUEST, by_command(["no-such-program"]), allowed=True)


def test_an_answer_does_not_need_the_whole_prompt() -> None:
    large = SummaryRequest("Summarise it.", "x" * 2_000_000)
    assert answer("print('Enough.')", request=large) == "Enough."


def test_output_without_end_is_not_read_to_it() -> None:
    began = time.monotonic()
    assert "is not shorter" in failure("while True: print('z' * 10_000)")
    assert time.monotonic() - began < 5


def test_what_a_program_leaves_running_does_not_hold_up_its_answer() -> None:
    began = time.monotonic()
    code = "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(8)'])\nprint('Done.')"
    assert answer(code) == "Done."
    assert time.monotonic() - began < 5


FAMILY = """
if os.fork() == 0:
    import signal
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
with open({file!r}, 'a') as file:
    file.write(f'{{os.getpid()}}\\n')
time.sleep(60)
"""


def is_running(pid: int) -> bool:
    """Whether a process is there and no mere entry that nobody asked about."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to see who runs")
@pytest.mark.parametrize("by_time", [False, True])
def test_stopping_ends_it_with_all_that_it_started(tmp_path: Path, by_time: bool) -> None:
    file = tmp_path / "pids"
    started = threading.Event()

    def stop() -> bool:
        if file.exists() and file.read_text().count("\n") == 2:
            started.set()
        return started.is_set() and not by_time

    with pytest.raises(SummaryFailed if by_time else Stopped):
        answer(FAMILY.format(file=str(file)), AnswerLimits(1.5 if by_time else 20, stop))
    assert started.is_set()
    pids = [int(line) for line in file.read_text().split()]
    end = time.monotonic() + 3
    while any(map(is_running, pids)) and time.monotonic() < end:
        time.sleep(0.02)
    assert not any(map(is_running, pids)) and os.getpid() not in pids
