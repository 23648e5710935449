"""What a command starts with: no more of the program, and of other people's, than it needs."""

from __future__ import annotations

import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from shutil import copy

import pytest

import app.cli
from app.cli.main import COMMANDS, command

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "sample_sessions" / "claude-code-tools.jsonl"


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


FILE = "FILE"
"""Stands for a copy of the sample, beside which a command may write."""
NETWORK = {"asyncio", "ssl", "http", "http.client", "urllib.request", "email"}
OTHERS = {"multiprocessing", "concurrent.futures", "statistics", "socket", "secrets"}
NEVER = {"textual", "tiktoken", "regex", *OTHERS, *NETWORK}
"""What none of these needs for a sound session: each is milliseconds that somebody waits for."""
OTHER_FORMATS = {f"app.formats.{name}.reader" for name in ("codex", "gemini", "opencode", "pi", "qwen")}
WRITING = {"app.export.plan", "app.formats.claude_code.writer", "app.formats.codex.writer", "app.masking"}


@pytest.mark.parametrize(
    ("arguments", "unwanted"),
    [
        (["list"], {"app.formats", "app.stages", "app.edits", "app.work", "app.export", "sqlite3"}),
        (["pipelines"], {"app.formats.claude_code.reader", "sqlite3", *OTHER_FORMATS, *WRITING}),
        (
            ["report", FILE, "--count", "rough"],
            {"app.batch", "difflib", "sqlite3", *OTHER_FORMATS, *WRITING},
        ),
        (
            ["compact", FILE, "--count", "rough"],
            {"app.batch", "difflib", "sqlite3", "app.masking", "app.work.stage_inputs", *OTHER_FORMATS},
        ),
        (["verify", FILE], {"app.batch", "difflib", "sqlite3", *OTHER_FORMATS}),
    ],
)
def test_a_command_starts_with_nothing_heavy_that_it_does_not_need(
    tmp_path: Path, arguments: list[str], unwanted: set[str]
) -> None:
    file = copy(SAMPLE, tmp_path)
    words = [str(file) if word == FILE else word for word in arguments]
    loaded = modules_after(f"from app.cli.main import main; main({words!r})")
    assert sorted(loaded & (NEVER | unwanted)) == []
    assert "app.formats.claude_code.reader" in loaded or arguments[0] in ("list", "pipelines")


def test_commands_tell_their_arguments_without_the_network_and_the_vocabulary() -> None:
    loaded = modules_after("from app.cli.main import COMMANDS, command\n[command(verb) for verb in COMMANDS]")
    assert sorted(loaded & {"textual", "tiktoken", "sqlite3", "regex", *NETWORK}) == []


def test_the_screens_paint_before_the_formats_the_stages_and_the_vocabulary_are_there() -> None:
    loaded = modules_after("import app.cli.main, app.cli.open, app.tui.app")
    assert not loaded & {
        "app.formats",
        "app.stages",
        "app.work.workspace",
        "app.discovery.folders",
        "msgspec",
        "tiktoken",
        "sqlite3",
    }


def test_sessions_are_listed_before_the_formats_are_there() -> None:
    nobody = "import os; os.environ.update(dict.fromkeys(('HOME', 'USERPROFILE', 'XDG_DATA_HOME'), '/none'))"
    loaded = modules_after(
        f"{nobody}\nfrom app.discovery.folders import AgentFolders, samples; AgentFolders(), samples()"
    )
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
