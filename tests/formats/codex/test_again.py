"""What a rollout would send is told alike with a session held and with nothing but the order of its items."""

from __future__ import annotations

import pytest

from app.formats import open_session
from app.formats.codex import Codex
from app.formats.source import FileSource
from tests.validity.subjects import files

CODEX = Codex()
FILES = {file.name: file for file in files() if CODEX.sniff(FileSource(file))}


@pytest.mark.parametrize("name", FILES)
def test_it_is_what_the_session_that_is_read_would_send(name: str) -> None:
    session, source = open_session(FILES[name])
    again = [item for _, item in CODEX.live_request(source)]
    assert again == [item for _, item in CODEX.request(session, session.live)]
