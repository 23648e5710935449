"""Exports of Claude Code's sessions resume in Claude Code itself, which sends what was planned."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

import pytest

from app.formats import open_session
from app.pipeline import load, preset_names
from tests.clients.agents import Agent, ClaudeCode, Place, resume
from tests.clients.checks import accepted, check, put
from tests.clients.comparison import compacted_first, main_request, strays
from tests.clients.exports import EDITS, export, lowered, pipeline_of, summarised
from tests.clients.mock import size_tokens

pytestmark = pytest.mark.clients

NEW: Final = ClaudeCode("2.1.332")
OLD: Final = ClaudeCode("2.0.76")

LONG: Final = "claude-code-long"
TOOLS: Final = "claude-code-tools"
COMPACTED: Final = "claude-code-compacted"
KILLED: Final = "claude-code-killed"
OLDER: Final = "claude-code-v2-0"
OTHER_ID: Final = "0f0e0d0c-0b0a-4908-8706-050403020100"
BROKEN: Final = "awkward-broken-line"
HUGE: Final = "awkward-huge-result"
AWKWARD: Final = (BROKEN, HUGE, "awkward-cjk", "awkward-escapes", "awkward-unknown-fields")

both = pytest.mark.parametrize("agent", [NEW, OLD], indirect=True, ids=str)
new = pytest.mark.parametrize("agent", [NEW], indirect=True, ids=str)
old = pytest.mark.parametrize("agent", [OLD], indirect=True, ids=str)


@new
@pytest.mark.parametrize("name", [TOOLS, COMPACTED, KILLED, OLDER, LONG, *AWKWARD])
def test_unchanged_under_a_new_id(agent: Agent, place: Place, name: str) -> None:
    check(agent, place, export(put(agent, place, name)))


@old
@pytest.mark.parametrize("name", [OLDER, BROKEN, HUGE])
def test_unchanged_under_a_new_id_in_the_older_client(agent: Agent, place: Place, name: str) -> None:
    check(agent, place, export(put(agent, place, name)))


@new
@pytest.mark.parametrize("name", [TOOLS, LONG])
@pytest.mark.parametrize("edit", EDITS)
def test_one_edit(agent: Agent, place: Place, name: str, edit: str) -> None:
    exported = export(put(agent, place, name), EDITS[edit]())
    assert exported.changes
    check(agent, place, exported)


@both
@pytest.mark.parametrize("edit", [name for name in EDITS if name != "thinking-dropped"])
def test_one_edit_of_an_older_session(agent: Agent, place: Place, edit: str) -> None:
    exported = export(put(agent, place, OLDER), EDITS[edit]())
    assert exported.changes
    check(agent, place, exported)


@new
@pytest.mark.parametrize("name", preset_names())
def test_preset_on_the_long_session(agent: Agent, place: Place, name: str) -> None:
    exported = export(put(agent, place, LONG), load(name))
    assert exported.changes or name == "openhands", "which has a summary alone, and nobody wrote one"
    check(agent, place, exported)


@new
@pytest.mark.parametrize("name", [TOOLS, COMPACTED, KILLED])
@pytest.mark.parametrize("preset", preset_names())
def test_preset_with_low_limits(agent: Agent, place: Place, name: str, preset: str) -> None:
    check(agent, place, export(put(agent, place, name), lowered(load(preset))))


@both
@pytest.mark.parametrize("preset", preset_names())
def test_preset_with_low_limits_on_an_older_session(agent: Agent, place: Place, preset: str) -> None:
    exported = export(put(agent, place, OLDER), lowered(load(preset)))
    assert exported.changes
    check(agent, place, exported)


@both
@pytest.mark.parametrize("drop_old", [False, True], ids=["old-part-kept", "old-part-left-out"])
def test_boundary_summary_and_tail(agent: Agent, place: Place, drop_old: bool) -> None:
    check(agent, place, summarised(put(agent, place, OLDER), drop_old=drop_old))


@new
@pytest.mark.parametrize("name", [TOOLS, COMPACTED, LONG])
def test_boundary_summary_and_tail_of_newer_sessions(agent: Agent, place: Place, name: str) -> None:
    check(agent, place, summarised(put(agent, place, name)))


@old
@pytest.mark.parametrize("edit", [None, "placeholders", "dropped-pairs"])
def test_a_newer_session_in_the_older_client(agent: Agent, place: Place, edit: str | None) -> None:
    """It walks the chain of parents alone, and so leaves out calls that were made beside each other."""
    exported = export(put(agent, place, TOOLS), EDITS[edit]() if edit else None)
    main = accepted(resume(agent, place, exported.session_id), exported)
    assert strays(exported.messages, main) == []


@new
def test_another_branch(agent: Agent, place: Place) -> None:
    original = put(agent, place, LONG)
    session, _ = open_session(original)
    (other,) = (leaf.key for leaf in session.leaves if leaf.key != session.live_leaf)
    check(agent, place, export(original, leaf=other))


@both
def test_in_place(agent: Agent, place: Place) -> None:
    original = put(agent, place, OLDER)
    exported = export(original, lowered(load("react-mini")), in_place=True)
    assert exported.file == original and exported.session_id == original.stem
    check(agent, place, exported)


@both
@pytest.mark.parametrize("then", ["summarised", "snipped", "cut"])
@pytest.mark.parametrize("first", ["summarised", "snipped"])
def test_an_export_of_an_export(agent: Agent, place: Place, first: str, then: str) -> None:
    name = OLDER if agent == OLD else LONG
    once = export(put(agent, place, name), EDITS[first]())
    check(agent, place, export(once.file, EDITS[then]()))


@both
def test_recovered_from_a_refusal(agent: Agent, place: Place) -> None:
    said = "prompt is too long: 9000 tokens > 4000 maximum"
    exported = export(put(agent, place, OLDER), lowered(pipeline_of("recover")), refusal=said)
    assert exported.changes
    check(agent, place, exported)


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
    exported = export(put(agent, place, OLDER), EDITS["placeholders"]())
    unlike = export(put(agent, place, OLDER))
    twin = exported.session_id[:8] + OTHER_ID[8:]
    rows = unlike.file.read_bytes().replace(unlike.session_id.encode(), twin.encode())
    unlike.file.with_stem(twin).write_bytes(rows)
    check(agent, place, exported)
    check(agent, place, replace(unlike, session_id=twin))
