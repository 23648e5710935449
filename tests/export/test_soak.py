"""An agent goes on writing while its session is opened, stepped and replaced in place: nothing is lost.

The long one: `python -m pytest -n 0 -m slow tests/export/test_soak.py`
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from app.errors import FileChanged
from app.export.plan import ExportOptions, make_plan
from app.export.write import write
from app.opening import open_workspace
from app.reopening import SinceOpened, changed_since
from tests.formats.claude_code.records import lines, user, uuid

WRITER = """
import json, random, sys, time
path, number, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
chance = random.Random(seed)
made = json.loads(sys.stdin.readline())
for count in range(number):
    made["parentUuid"], made["uuid"] = made["uuid"], f"{count:08}-aaaa-4000-8000-000000000000"
    made["message"]["content"] = f"Prompt {count}: " + "words that were typed " * chance.randrange(400)
    with open(path, "a") as file:
        file.write(json.dumps(made) + "\\n")
    time.sleep(chance.choice((0, 0, 0.0002, 0.001, 0.004)) if chance.random() > 0.04 else 0.3)
"""
"""Appends as agents do: opened, one record, closed; now and then it waits for its model."""


@pytest.mark.parametrize("number", [150, pytest.param(2_000, marks=pytest.mark.slow)])
def test_what_is_written_meanwhile_is_never_lost(tmp_path: Path, number: int) -> None:
    path = tmp_path / "a.jsonl"
    first = user(1, None, "word " * 2_000)
    path.write_bytes(lines(first))
    command = [sys.executable, "-c", WRITER, str(path), str(number), "7"]
    replaced = refused = 0
    with subprocess.Popen(command, stdin=subprocess.PIPE, text=True) as writer:
        assert writer.stdin is not None
        writer.stdin.write(json.dumps({**first, "uuid": uuid(1)}) + "\n")
        writer.stdin.close()
        while writer.poll() is None:
            try:
                _compact_in_place(path)
                replaced += 1
            except FileChanged:
                refused += 1
    assert writer.returncode == 0
    _compact_in_place(path)
    found = [record["uuid"] for line in path.read_bytes().splitlines() if (record := json.loads(line))]
    missing = [n for n in range(number) if f"{n:08}-aaaa-4000-8000-000000000000" not in found]
    assert missing == [] and uuid(1) in found
    assert len(found) == len(set(found)), "nothing stands there twice"
    assert replaced and refused, "both happened, or this showed nothing"


def _compact_in_place(path: Path) -> None:
    """Open, step, and replace: texts are cut, no message goes."""
    opened = open_workspace(str(path), pipeline="gentle", exact=False)
    assert changed_since(opened.source) in (None, SinceOpened.GREW)
    opened.workspace.run_all()
    write(make_plan(opened.workspace, opened.source, ExportOptions(in_place=True, report=False)))
