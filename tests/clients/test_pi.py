"""What is particular to pi: where it finds a session, and what it believes of one."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

import pytest

from app.pipeline import load
from tests.clients.agents import Agent, Place, resume
from tests.clients.checks import accepted, check, put
from tests.clients.comparison import compacted_first, main_request
from tests.clients.edits import EDITS
from tests.clients.exports import export, lowered
from tests.clients.pinned import PI

pytestmark = [
    pytest.mark.clients,
    pytest.mark.parametrize("agent", [PI], indirect=True, ids=str),
]

THREE: Final = "pi-three-turns"
OTHER_ID: Final = "0f0e0d0c-0b0a-4908-8706-050403020100"


def test_the_context_that_was_freed_is_believed(agent: Agent, place: Place) -> None:
    """It takes the context's size from the newest usage in the file, and compacts by that."""
    original = put(agent, place, THREE)
    exported = export(original, lowered(load("react-mini")))
    between = (exported.context_before + exported.context_after) // 2
    session_id = original.stem.partition("_")[2]
    untouched = resume(agent, place, session_id, compact_at=between)
    assert compacted_first(untouched, [message for _, message in exported.original])
    accepted(resume(agent, place, exported.session_id, compact_at=between), exported)


def test_the_folder_of_a_session_must_be_there(agent: Agent, place: Place) -> None:
    exported = export(put(agent, place, THREE))
    rows = exported.file.read_bytes()
    exported.file.write_bytes(re.sub(rb'"cwd":"[^"]*"', b'"cwd":"/home/dev/nowhere"', rows, count=1))
    resumed = resume(agent, place, exported.session_id)
    assert main_request(resumed) is None
    assert resumed.ended.exit_code == 1
    assert "/home/dev/nowhere" in resumed.ended.stdout + resumed.ended.stderr


def test_the_id_in_the_head_is_the_one_that_counts(agent: Agent, place: Place) -> None:
    exported = export(put(agent, place, THREE))
    exported.file.rename(exported.file.with_name(f"2026-01-01T00-00-00-000Z_{OTHER_ID}.jsonl"))
    check(agent, place, exported)


def test_a_session_in_the_folder_of_another_project(agent: Agent, place: Place) -> None:
    """It is found, and asks whether it shall be copied: with nobody at the keyboard that is no."""
    exported = export(put(agent, place, THREE))
    elsewhere = exported.file.parent.with_name("--home-dev-project--")
    elsewhere.mkdir()
    exported.file.rename(elsewhere / exported.file.name)
    resumed = resume(agent, place, exported.session_id)
    assert main_request(resumed) is None
    assert "found in different project" in resumed.ended.stderr


def test_two_sessions_whose_ids_begin_alike(agent: Agent, place: Place) -> None:
    """Each is found by its whole id."""
    exported = EDITS["placeholders"].make(put(agent, place, THREE))
    unlike = export(put(agent, place, THREE))
    twin = exported.session_id[:8] + OTHER_ID[8:]
    rows = unlike.file.read_bytes().replace(unlike.session_id.encode(), twin.encode())
    unlike.file.with_name(unlike.file.name.replace(unlike.session_id, twin)).write_bytes(rows)
    check(agent, place, exported)
    check(agent, place, replace(unlike, session_id=twin))
