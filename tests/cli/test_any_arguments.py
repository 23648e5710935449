"""Whatever is typed behind a verb: it is done or refused in words, and the session stays as it was."""

from __future__ import annotations

import io
import json
import shutil
import sys
from argparse import Action, ArgumentParser
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.cli.main import COMMANDS, command, main
from app.convert.targets import TARGETS
from app.pipeline import preset_names
from tests.own_place import own_place

SAMPLES = Path(__file__).parents[2] / "sample_sessions"
NAMES = (
    "anthropic-messages.json", "awkward-broken-line.jsonl", "claude-code-tools.jsonl",
    "codex-compacted.jsonl", "gemini-cli-one-turn.jsonl", "openai-chat.jsonl", "opencode-compacted.json",
    "pi-compacted.jsonl", "qwen-code-compressed.jsonl", "README.md",
)  # fmt: skip
DEEDS: Final = (
    "drop 3", "clear 4.0", "cut 6 head=1 tail=1", "drop 2 5", "drop_before 10", "keep_last_turns", "save 6",
    "fix superseded-reads", "clear tool:Bash larger_than:200", "pin 2", "run", "clear role:user", "drop x",
    "summarise_range 2 6 source=hand text=x", "drop_before 4 leave=structured", "drop verdict:superseded",
)  # fmt: skip
FREELY: Final = ("0", "1", "-1", "9" * 30, "abc", "", ".", "#3", "1.5", "登录", "[/x]", "a\nb")
REPLACES: Final = frozenset({"--in-place", "--write", "restore"})
"""What says that the original may be written."""


def arguments(chance: Random, folder: Path, files: list[Path]) -> list[str]:
    """A verb with some of its options, mostly with values that make sense."""
    verb = chance.choice(list(COMMANDS))
    parser = ArgumentParser(add_help=False)
    command(verb).configure(parser)
    values = _values(folder, files)
    found = [verb]
    options = [action for action in parser._actions if action.option_strings]
    for action in parser._actions:
        if not action.option_strings and (action.nargs != "?" or chance.random() < 0.6):
            usual = [str(chance.choice(files))] if verb != "pipelines" else list(preset_names())
            found.append(chance.choice(usual if chance.random() < 0.9 else FREELY))
    picked = chance.sample(options, chance.randrange(min(5, len(options) + 1)))
    for action in (*(o for o in options if o.required), *picked):
        found += _given(action, chance, values)
    return found


def _given(action: Action, chance: Random, values: dict[str, tuple[str, ...]]) -> list[str]:
    name = chance.choice(action.option_strings)
    if action.nargs == 0:
        return [name]
    usual = tuple(action.choices or values.get(action.dest, FREELY))
    return [f"{name}={chance.choice(usual if chance.random() < 0.9 else FREELY)}"]


def _values(folder: Path, files: list[Path]) -> dict[str, tuple[str, ...]]:
    """What makes sense for an option, by its name."""
    return {
        "pipeline": preset_names(),
        "pipelines": (",".join(preset_names()[:2]), "gentle"),
        "settings": ("microcompact.min_chars=0", "snip.max_messages=8", "retain_tail.keep=3", "x.y=1"),
        "out": tuple(str(folder / name) for name in ("new.json", "new.jsonl", "no/new.jsonl", ".")),
        "backup_dir": (str(folder / "kept"),),
        "to": tuple(target.name for target in TARGETS),
        "do": DEEDS,
        "save_recipe": (str(folder / "recipe.toml"),),
        "summary_file": tuple(map(str, files)),
        "cwd": (str(folder),),
        "jobs": ("1",),
    }


def ends(line: list[str]) -> tuple[int, str, str]:
    """The exit code of a command, and what it said."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = main(line)
        except SystemExit as gone:
            code = gone.code if isinstance(gone.code, int) else -1
        out.flush()
    assert isinstance(out.buffer, io.BytesIO)
    return code, out.buffer.getvalue().decode(), err.getvalue()


def check(chance: Random, folder: Path) -> None:
    files = [folder / name for name in chance.sample(NAMES, 2)]
    for file in files:
        shutil.copy(SAMPLES / file.name, file)
    before = _bytes_in(folder)
    line = arguments(chance, folder, files)
    code, out, err = ends(line)
    assert code in (0, 1, 2, 3), (line, code, err)
    assert "Traceback" not in err and (code < 2 or err.strip()), (line, code, err)
    after = _bytes_in(folder)
    if not REPLACES.intersection(line):
        assert after.items() >= before.items(), line
    if "--dry-run" in line or code == 2:
        assert after == before, (line, err)
    if "--json" in line and code < 2:
        assert [json.loads(value) for value in ([out] if out[:2] == "{\n" else out.splitlines())], line


def _bytes_in(folder: Path) -> dict[str, bytes]:
    """All files but those that every run may keep."""
    return {
        str(path): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and folder / "cache" not in path.parents
    }


OWN: Any = {"deadline": None, "suppress_health_check": [HealthCheck.function_scoped_fixture]}


@settings(max_examples=60, **OWN)
@given(seed=st.integers(0, 2**32))
def test_nothing_is_too_strange_to_type(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))  # where no one types
    with own_place(monkeypatch) as folder:
        check(Random(seed), folder)


@pytest.mark.slow
@settings(max_examples=3_000, **OWN)
@given(seed=st.integers(0, 2**32))
def test_a_great_many_lines(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))  # where no one types
    with own_place(monkeypatch) as folder:
        check(Random(seed), folder)
