"""What is particular to Qwen Code: where it finds a session, and what it believes of one."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

import pytest

from app.pipeline import load
from tests.clients.agents import Agent, Place, resume
from tests.clients.checks import accepted, check, put
from tests.clients.comparison import main_request
from tests.clients.edits import EDITS
from tests.clients.exports import Exported, export, lowered
from tests.clients.pinned import PINNED, QWEN_CODE

pytestmark = [
    pytest.mark.clients,
    pytest.mark.parametrize("agent", [QWEN_CODE], indirect=True, ids=str),
]

(WHOLE,) = (one.sample for one in PINNED if one.agent == QWEN_CODE)
OTHER_ID: Final = "0f0e0d0c-0b0a-4908-8706-050403020100"


def test_the_context_that_was_freed_is_believed(agent: Agent, place: Place) -> None:
    """It takes the context's size from the newest usage in the file, and sends nothing that is over."""
    original = put(agent, place, WHOLE)
    exported = export(original, lowered(load("react-mini")))
    between = (exported.context_before + exported.context_after) // 2
    untouched = main_request(resume(agent, place, original.stem, compact_at=between))
    assert untouched is None or untouched.tokens < exported.context_after
    accepted(resume(agent, place, exported.session_id, compact_at=between), exported)


def test_only_the_sessions_of_the_present_folder_are_found(agent: Agent, place: Place) -> None:
    exported = export(put(agent, place, WHOLE))
    rows = exported.file.read_bytes()
    exported.file.write_bytes(re.sub(rb'"cwd":"[^"]*"', b'"cwd":"/home/dev/project"', rows))
    assert_not_found(agent, place, exported)


def test_the_rows_must_name_a_folder(agent: Agent, place: Place) -> None:
    exported = export(put(agent, place, WHOLE))
    rows = exported.file.read_bytes()
    exported.file.write_bytes(re.sub(rb'"cwd":"[^"]*",?', b"", rows))
    resumed = resume(agent, place, exported.session_id)
    assert main_request(resumed) is None
    assert resumed.ended.exit_code == 1


def test_a_session_in_the_folder_of_another_project(agent: Agent, place: Place) -> None:
    exported = export(put(agent, place, WHOLE))
    elsewhere = exported.file.parent.parent.with_name("-home-dev-project") / "chats"
    elsewhere.mkdir(parents=True)
    exported.file.rename(elsewhere / exported.file.name)
    assert_not_found(agent, place, exported)


def test_the_name_of_the_file_is_the_id_that_counts(agent: Agent, place: Place) -> None:
    exported = export(put(agent, place, WHOLE))
    exported.file.rename(exported.file.with_stem(OTHER_ID))
    assert_not_found(agent, place, exported)
    check(agent, place, replace(exported, session_id=OTHER_ID))


def test_two_sessions_whose_ids_begin_alike(agent: Agent, place: Place) -> None:
    """Each is found by its whole id."""
    exported = EDITS["placeholders"].make(put(agent, place, WHOLE))
    unlike = export(put(agent, place, WHOLE))
    twin = exported.session_id[:8] + OTHER_ID[8:]
    rows = unlike.file.read_bytes().replace(unlike.session_id.encode(), twin.encode())
    unlike.file.with_stem(twin).write_bytes(rows)
    check(agent, place, exported)
    check(agent, place, replace(unlike, session_id=twin))


def assert_not_found(agent: Agent, place: Place, exported: Exported) -> None:
    resumed = resume(agent, place, exported.session_id)
    assert main_request(resumed) is None, resumed
    assert "No saved session found" in resumed.ended.stdout + resumed.ended.stderr, resumed
