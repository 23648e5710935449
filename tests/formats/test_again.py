"""What is held of a file that is read again only for what it would send."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from app.formats import open_session
from app.formats.base import Streams
from app.formats.claude_code import CLAUDE_CODE
from app.formats.codex import Codex
from app.formats.source import FileSource
from tests.benchmarks.made import make


@pytest.mark.parametrize(("kind", "shape"), [(CLAUDE_CODE, "claude"), (Codex(), "codex")])
def test_little_of_a_file_is_held(tmp_path: Path, kind: Streams, shape: str) -> None:
    file = make(tmp_path / "made.jsonl", shape, 4)
    for _ in kind.live_request(FileSource(file)):
        pass
    tracemalloc.start()
    sent = kind.live_request(FileSource(file))
    next(sent)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    session, _ = open_session(file)
    assert held < 1_000 * len(session.records)
