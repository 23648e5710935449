"""What a file would send is told alike with a session held and with nothing but the order of its records."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from app.formats import open_session
from app.formats.claude_code import CLAUDE_CODE
from app.formats.source import FileSource
from tests.benchmarks.made import make
from tests.validity.subjects import files

FILES = {file.name: file for file in files() if CLAUDE_CODE.sniff(FileSource(file))}


@pytest.mark.parametrize("name", FILES)
def test_it_is_what_the_session_that_is_read_would_send(name: str) -> None:
    session, source = open_session(FILES[name])
    assert list(CLAUDE_CODE.live_request(source)) == list(CLAUDE_CODE.request(session, session.live))


def test_little_of_a_file_is_held(tmp_path: Path) -> None:
    file = make(tmp_path / "made.jsonl", "claude", 4)
    for _ in CLAUDE_CODE.live_request(FileSource(file)):
        pass
    tracemalloc.start()
    messages = CLAUDE_CODE.live_request(FileSource(file))
    next(messages)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    session, _ = open_session(file)
    assert held < 1_000 * len(session.records)
