"""What a file would send is told alike with a session held and with nothing but the order of its records."""

from __future__ import annotations

import pytest

from app.formats import open_session
from app.formats.claude_code import CLAUDE_CODE
from app.formats.source import FileSource
from tests.validity.subjects import files

FILES = {file.name: file for file in files() if CLAUDE_CODE.sniff(FileSource(file))}


@pytest.mark.parametrize("name", FILES)
def test_it_is_what_the_session_that_is_read_would_send(name: str) -> None:
    session, source = open_session(FILES[name])
    assert list(CLAUDE_CODE.live_request(source)) == list(CLAUDE_CODE.request(session, session.live))
