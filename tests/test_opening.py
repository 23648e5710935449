"""Opening a session tells how far it is, by the bytes that are read of all."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from app.formats.source import FileSource, Source
from app.opening import open_workspace
from app.reopening import reopen
from tests.benchmarks.made import make
from tests.plain_session import SAMPLES

MOST = 1 << 20
"""Bytes between two words on how far it is, but for what one message holds."""
FILES = sorted(path for path in SAMPLES.iterdir() if path.suffix in (".json", ".jsonl", ".traj"))


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.name)
def test_a_file_that_is_open_was_read_to_its_end(file: Path) -> None:
    watched: list[Source] = []
    opened = open_workspace(str(file), pipeline="gentle", exact=False, watch=watched.append)
    assert watched == [opened.source] and opened.source.reached == opened.source.size
    reopen(opened, watched.append)
    assert watched[1] is not opened.source and watched[1].reached == watched[1].size


@pytest.mark.parametrize("shape", ["claude", "codex", "openai"])
def test_while_it_is_read_it_tells_how_far_that_is(
    tmp_path: Path, shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = make(tmp_path / f"s.{'json' if shape == 'openai' else 'jsonl'}", shape, 6)
    told: list[int] = []

    class Watched(FileSource):
        def __setattr__(self, name: str, value: object) -> None:
            if name == "reached" and isinstance(value, int):
                told.append(value)
            super().__setattr__(name, value)

    monkeypatch.setattr("app.formats.FileSource", Watched)
    opened = open_workspace(str(file), pipeline="gentle", exact=False)
    assert told == sorted(told) and told[-1] == opened.source.size
    assert max(b - a for a, b in pairwise(told)) <= MOST
