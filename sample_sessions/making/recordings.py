"""What commands printed when they were really run on the invented repository.

`python sample_sessions/make.py --record` runs them again, each on the files as they are at that
moment of the session, and keeps what they print; without it the kept text is used.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from .calls import Call, bash
from .kept import FILES
from .workspace import FOLDER, Workspace

KEPT = FILES / "recorded"
SECONDS = re.compile(r"in \d+\.\d\ds")
LIBRARY = re.compile(r"/\S*/lib/python3\.\d+/")
recording = False
"""Whether commands are run; set by `make.py --record`."""


def recorded(name: str, command: str, description: str, *, kind: str = "log", seconds: float = 1.4) -> Call:
    """A Bash call whose output is kept under `name`; the first line of what is kept is the exit code."""
    place = KEPT / f"{name}.txt"
    code = 0 if recording or not place.exists() else int(place.read_text(encoding="utf-8").split("\n", 1)[0])

    def output(work: Workspace) -> str:
        return place.read_text(encoding="utf-8").split("\n", 1)[1].rstrip("\n")

    call = bash(command, description, output, error=code, kind=kind, seconds=seconds)
    if not recording:
        return call

    def run_and_keep(work: Workspace):  # type: ignore[no-untyped-def]
        place.write_text(really_run(work, command), encoding="utf-8")
        code = int(place.read_text(encoding="utf-8").split("\n", 1)[0])
        return bash(command, description, output, error=code, kind=kind, seconds=seconds).run(work)

    return Call(call.name, call.input, run_and_keep, seconds)


def really_run(work: Workspace, command: str) -> str:
    """The exit code on a line, then what the command prints on the files as they are now."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in work.files.items():
            (Path(folder) / path).parent.mkdir(parents=True, exist_ok=True)
            (Path(folder) / path).write_text(text, encoding="utf-8")
        env = {
            **os.environ,
            "COLUMNS": "80",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        }
        env["PATH"] = f"{Path(sys.executable).parent}:{env['PATH']}"
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env=env,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
    printed = SECONDS.sub("in 0.14s", done.stdout + done.stderr).replace(folder, FOLDER)
    printed = LIBRARY.sub("/usr/lib/python3.12/", printed)
    return f"{done.returncode}\n{printed.rstrip()}\n"
