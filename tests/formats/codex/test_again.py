"""What a rollout would send is told alike with a session held and with nothing but the order of its items."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from app.formats import open_session
from app.formats.codex import Codex
from app.formats.source import FileSource
from tests.benchmarks.made import make
from tests.validity.subjects import files

CODEX = Codex()
FILES = {file.name: file for file in files() if CODEX.sniff(FileSource(file))}


@pytest.mark.parametrize("name", FILES)
def test_it_is_what_the_session_that_is_read_would_send(name: str) -> None:
    session, source = open_session(FILES[name])
    again = [item for _, item in CODEX.live_request(source)]
    assert again == [item for _, item in CODEX.request(session, session.live)]


def test_little_of_a_file_is_held(tmp_path: Path) -> None:
    file = make(tmp_path / "made.jsonl", "codex", 4)
    for _ in CODEX.live_request(FileSource(file)):
        pass
    tracemalloc.start()
    items = CODEX.live_request(FileSource(file))
    next(items)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    session, _ = open_session(file)
    assert held < 1_000 * len(session.records)
