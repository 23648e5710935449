"""A file that is read again for nothing but what it would send: alike, with no session held."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from app.errors import UnknownFormat, UnreadableFile
from app.formats import detect, format_named, open_session
from app.formats.base import Format, StreamingFormat
from app.formats.source import FileSource
from tests.benchmarks.made import make
from tests.validity.subjects import files


def _format_of(file: Path) -> Format | None:
    try:
        return detect(FileSource(file))
    except (UnknownFormat, UnreadableFile):
        return None


FILES = {file.name: file for file in files() if isinstance(_format_of(file), StreamingFormat)}


@pytest.mark.parametrize("name", FILES)
def test_it_is_what_the_session_that_is_read_would_send(name: str) -> None:
    session, source = open_session(FILES[name])
    kind = format_named(session.format)
    assert isinstance(kind, StreamingFormat)
    again = [message for _, message in kind.live_request(source)]
    assert again == [message for _, message in kind.request(session, session.live)]


@pytest.mark.parametrize(
    ("name", "shape"), [("claude-code", "claude"), ("codex-rollout", "codex"), ("openai-chat", "openai")]
)
def test_little_of_a_file_is_held(tmp_path: Path, name: str, shape: str) -> None:
    file = make(tmp_path / "made.jsonl", shape, 5)
    kind = format_named(name)
    assert isinstance(kind, StreamingFormat)
    for _ in kind.live_request(FileSource(file)):
        pass
    tracemalloc.start()
    count = sum(1 for _ in kind.live_request(FileSource(file)))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # A stretch of the file with what is read of it is held in any case.
    assert most < 8_000_000 + 1_000 * count
