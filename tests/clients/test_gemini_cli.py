"""What is particular to Gemini CLI: where it finds a session, which ones it deletes, what it sends twice."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pytest

from tests.clients.agents import Agent, Place, resume
from tests.clients.agents.base import first_told
from tests.clients.checks import check, put
from tests.clients.comparison import main_request
from tests.clients.edits import EDITS
from tests.clients.exports import export
from tests.clients.pinned import GEMINI_CLI

pytestmark = [
    pytest.mark.clients,
    pytest.mark.parametrize("agent", [GEMINI_CLI], indirect=True, ids=str),
]

ONE: Final = "gemini-cli-one-turn"
OTHER_ID: Final = "0f0e0d0c-0b0a-4908-8706-050403020100"


def test_its_own_file_is_refused_and_the_export_is_not(agent: Agent, place: Place) -> None:
    """It keeps each result twice and sends both, so that its own sessions with calls cannot go on."""
    original = put(agent, place, ONE)
    session_id = first_told(original, "sessionId")
    assert session_id is not None
    exported = export(original)
    untouched = main_request(resume(agent, place, session_id))
    assert untouched is not None
    assert untouched.refused is not None and "number of function response parts" in untouched.refused
    check(agent, place, exported)


def test_the_name_of_the_file_is_no_matter(agent: Agent, place: Place) -> None:
    exported = export(put(agent, place, ONE))
    exported.file.rename(exported.file.with_name(f"session-2026-01-01T00-00-{OTHER_ID[:8]}.jsonl"))
    check(agent, place, exported)


def test_two_sessions_whose_ids_begin_alike(agent: Agent, place: Place) -> None:
    """Each is found by its whole id, as long as both can be read."""
    exported = EDITS["placeholders"].make(put(agent, place, ONE))
    unlike = export(put(agent, place, ONE))
    twin = exported.session_id[:8] + OTHER_ID[8:]
    rows = unlike.file.read_bytes().replace(unlike.session_id.encode(), twin.encode())
    unlike.file.with_name(f"session-2026-01-01T00-00-{twin[:8]}.jsonl").write_bytes(rows)
    unlike.file.unlink()
    check(agent, place, exported)
    check(agent, place, replace(unlike, session_id=twin))


@pytest.mark.parametrize("remnant", [b"", b'{"sessionId":"'], ids=["empty", "torn"])
def test_a_broken_file_takes_its_namesake_along(agent: Agent, place: Place, remnant: bytes) -> None:
    """At its start it deletes what it cannot read, and all files whose names end in the same eight signs.

    So nothing unfinished may ever lie in its folder, and a new id must begin with signs of its own.
    """
    original = put(agent, place, ONE)
    lost, kept = export(original), export(original)
    broken = lost.file.with_name(f"session-2026-01-01T00-00-{lost.session_id[:8]}.jsonl")
    broken.write_bytes(remnant)
    check(agent, place, kept)
    assert not broken.exists() and not lost.file.exists()
    assert kept.file.exists()


def test_a_session_of_another_project_is_not_found(agent: Agent, place: Place) -> None:
    exported = export(put(agent, place, ONE))
    elsewhere = exported.file.parent.parent.with_name("elsewhere") / "chats"
    elsewhere.mkdir(parents=True)
    exported.file.rename(elsewhere / exported.file.name)
    assert main_request(resume(agent, place, exported.session_id)) is None
