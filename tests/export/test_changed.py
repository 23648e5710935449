"""A file that is cut short or written anew while its session is open is named, whatever is done with it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from app.errors import FileChanged
from app.export.plan import ExportOptions, make_plan
from app.export.write import write
from app.model import blocks_of, text_of
from app.opening import Opened, open_workspace
from tests.plain_session import SAMPLES

NAMES = (
    "anthropic-messages.json", "anthropic-messages.jsonl", "claude-code-v2-0.jsonl", "codex-compacted.jsonl",
    "copilot-compacted.jsonl", "gemini-cli-compressed.jsonl", "gemini-contents.json", "openai-chat.json",
    "openai-chat.jsonl", "opencode-compacted.json", "pi-compacted.jsonl", "qwen-code-compressed.jsonl",
)  # fmt: skip
CHANGES: dict[str, Callable[[Path, int], object]] = {
    "cut short": lambda path, size: os.truncate(path, size // 2),
    "emptied": lambda path, size: os.truncate(path, 0),
    "written anew": lambda path, size: path.write_bytes((b'{"a": 1}\n' * (size // 9 + 1))[:size]),
    "moved by a byte": lambda path, size: path.write_bytes(b"\n" + path.read_bytes()[:-1]),
}


@pytest.fixture(params=NAMES)
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Opened:
    path = tmp_path / request.param
    path.write_bytes((SAMPLES / request.param).read_bytes())
    found = open_workspace(str(path), pipeline="gentle", exact=False)
    found.workspace.run_all()
    return found


@pytest.mark.parametrize("change", CHANGES)
def test_it_is_named_and_nothing_is_written(opened: Opened, tmp_path: Path, change: str) -> None:
    path = Path(opened.source.name)
    out = ExportOptions(out=tmp_path / "out.json", backup=False, report=False)
    plan = make_plan(opened.workspace, opened.source, out)
    again = open_workspace(str(path), pipeline="gentle", exact=False)
    CHANGES[change](path, path.stat().st_size)
    for work in (
        lambda: [text_of(block) for _, block in blocks_of(again.workspace.session.messages)],
        lambda: make_plan(again.workspace, again.source, out),
        lambda: write(plan),
    ):
        with pytest.raises(FileChanged, match="was rewritten"):
            work()
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
