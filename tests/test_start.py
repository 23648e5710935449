"""What a command starts with: no more of the program, and of other people's, than it needs."""

from __future__ import annotations

import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import app.cli
from app.cli.main import COMMANDS, command

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "sample_sessions" / "claude-code-long.jsonl"


def modules_after(code: str) -> frozenset[str]:
    """The modules that an interpreter of its own has loaded after running `code`."""
    told = f"import sys\n{code}\nsys.stderr.write(chr(10).join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", told],
        check=True,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[1],
    )
    return frozenset(done.stderr.split("\n"))


def test_the_version_is_told_without_the_program() -> None:
    loaded = modules_after("from app.cli.main import main; main(['--version'])")
    assert not loaded & {"textual", "rich", "tiktoken", "regex", "app.model", "app.formats", "app.display"}


@pytest.mark.parametrize("arguments", [["report", str(SAMPLE), "--count", "rough"], ["pipelines"]])
def test_a_command_starts_without_the_screens_and_without_the_vocabulary(arguments: list[str]) -> None:
    loaded = modules_after(f"from app.cli.main import main; main({arguments!r})")
    assert not loaded & {"textual", "tiktoken"}
    assert "app.formats.claude_code" in loaded or arguments == ["pipelines"]


def test_the_screens_paint_before_the_formats_the_stages_and_the_vocabulary_are_there() -> None:
    loaded = modules_after("import app.cli.main, app.cli.open, app.tui.app")
    assert not loaded & {
        "app.formats",
        "app.stages",
        "app.work.workspace",
        "app.discovery.look",
        "tiktoken",
        "sqlite3",
    }


def test_sessions_are_listed_before_the_formats_are_there() -> None:
    nobody = "import os; os.environ.update(dict.fromkeys(('HOME', 'USERPROFILE', 'XDG_DATA_HOME'), '/none'))"
    loaded = modules_after(f"{nobody}\nfrom app.discovery.look import Look, samples; Look(), samples()")
    assert not loaded & {"app.formats", "app.stages", "tiktoken", "textual"}


def test_every_verb_is_done_by_the_command_of_its_name() -> None:
    assert {verb: command(verb).name for verb in COMMANDS} == {verb: verb for verb in COMMANDS}
    assert all(command(verb).summary for verb in COMMANDS)


def test_no_command_was_left_out_of_the_table() -> None:
    listed = {entry.partition(":")[2] for entry in COMMANDS.values()}
    folder = Path(str(app.cli.__file__)).parent
    for file in folder.glob("*.py"):
        for name, kind in inspect.getmembers(import_module(f"app.cli.{file.stem}"), inspect.isclass):
            is_command = all(hasattr(kind, word) for word in ("name", "summary", "configure", "run"))
            assert not is_command or name == "Command" or name in listed, f"{name} of {file.name}"
