"""Exports of Claude Code's sessions resume in Claude Code itself, which sends what was planned."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

import pytest

from app.formats import open_session
from app.pipeline import load, preset_names
from tests.clients.agents import Agent, Place, resume
from tests.clients.checks import accepted, check, put
from tests.clients.comparison import compacted_first, main_request, strays
from tests.clients.edits import EDITS
from tests.clients.exports import export, lowered
from tests.clients.mock import size_tokens
from tests.clients.pinned import CLAUDE_CODE as NEW
from tests.clients.pinned import OLDER_CLAUDE_CODE as OLD

pytestmark = pytest.mark.clients

LONG: Final = "claude-code-long"
TOOLS: Final = "claude-code-tools"
OLDER: Final = "claude-code-v2-0"
OTHER_ID: Final = "0f0e0d0c-0b0a-4908-8706-050403020100"

both = pytest.mark.parametrize("agent", [NEW, OLD], indirect=True, ids=str)
new = pytest.mark.parametrize("agent", [NEW], indirect=True, ids=str)
old = pytest.mark.parametrize("agent", [OLD], indirect=True, ids=str)


@new
@pytest.mark.parametrize("name", preset_names())
def test_preset_on_the_long_session(agent: Agent, place: Place, name: str) -> None:
    exported = export(put(agent, place, LONG), load(name))
    assert exported.changes or name == "openhands", "which has a summary alone, and nobody wrote one"
    check(agent, place, exported)


@old
@pytest.mark.parametrize("edit", ["unchanged", "placeholders", "oldest-turns"])
def test_a_newer_session_in_the_older_client(agent: Agent, place: Place, edit: str) -> None:
    """It walks the chain of parents alone, and so leaves out calls that were made beside each other."""
    exported = EDITS[edit].make(put(agent, place, TOOLS))
    main = accepted(resume(agent, place, exported.session_id), exported)
    assert strays(exported.messages, main) == []


@new
def test_another_branch(agent: Agent, place: Place) -> None:
    original = put(agent, place, LONG)
    session, _ = open_session(original)
    (other,) = (leaf.key for leaf in session.leaves if leaf.key != session.live_leaf)
    check(agent, place, export(original, leaf=other))


@both
def test_the_context_that_was_freed_is_believed(agent: Agent, place: Place) -> None:
    """The client takes the context's size from the newest usage in the file, and compacts by that."""
    original = put(agent, place, OLDER)
    exported = export(original, lowered(load("react-mini")))
    between = (exported.context_before + exported.context_after) // 2
    untouched = resume(agent, place, original.stem, compact_at=between)
    assert compacted_first(untouched, [message for _, message in exported.original])
    accepted(resume(agent, place, exported.session_id, compact_at=between), exported)


@both
def test_it_fits_into_a_window_that_was_too_small(agent: Agent, place: Place) -> None:
    original = put(agent, place, OLDER)
    exported = export(original, lowered(load("react-mini")))
    before, after = (
        size_tokens({"messages": dict(pairs)}) for pairs in (exported.original, exported.planned)
    )
    alone = accepted(resume(agent, place, exported.session_id), exported)
    window = alone.tokens + (before - after) // 2
    untouched = main_request(resume(agent, place, original.stem, window=window))
    assert untouched is not None
    assert untouched.refused == f"prompt is too long: {untouched.tokens} tokens > {window} maximum"
    accepted(resume(agent, place, exported.session_id, window=window), exported)


@both
def test_the_rows_need_not_name_a_folder(agent: Agent, place: Place) -> None:
    exported = export(put(agent, place, OLDER))
    rows = exported.file.read_bytes()
    assert b'"cwd":"/home/dev/project"' in rows
    exported.file.write_bytes(re.sub(rb'"cwd":"[^"]*",?', b"", rows))
    check(agent, place, exported)


@both
def test_a_session_in_the_folder_of_another_project(agent: Agent, place: Place) -> None:
    """The older client looks for an id in the present project only."""
    exported = export(put(agent, place, OLDER))
    elsewhere = exported.file.parent.with_name("-home-dev-project")
    elsewhere.mkdir()
    exported.file.rename(elsewhere / exported.file.name)
    if agent == NEW:
        check(agent, place, exported)
        return
    resumed = resume(agent, place, exported.session_id)
    assert main_request(resumed) is None
    assert resumed.ended.exit_code == 1
    assert "No conversation found" in resumed.ended.stdout + resumed.ended.stderr


@both
def test_the_name_of_the_file_is_the_id_that_counts(agent: Agent, place: Place) -> None:
    exported = export(put(agent, place, OLDER))
    exported.file.rename(exported.file.with_stem(OTHER_ID))
    assert main_request(resume(agent, place, exported.session_id)) is None
    check(agent, place, replace(exported, session_id=OTHER_ID))


@both
def test_two_sessions_whose_ids_begin_alike(agent: Agent, place: Place) -> None:
    """Each is found by its whole id."""
    exported = EDITS["placeholders"].make(put(agent, place, OLDER))
    unlike = export(put(agent, place, OLDER))
    twin = exported.session_id[:8] + OTHER_ID[8:]
    rows = unlike.file.read_bytes().replace(unlike.session_id.encode(), twin.encode())
    unlike.file.with_stem(twin).write_bytes(rows)
    check(agent, place, exported)
    check(agent, place, replace(unlike, session_id=twin))
