"""Exports of Codex's sessions resume in Codex itself, which sends what was planned."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from app.pipeline import load
from tests.clients.agents import Agent, Place, resume
from tests.clients.checks import accepted, check, put
from tests.clients.comparison import compacted_first, differences, main_request
from tests.clients.edits import EDITS
from tests.clients.exports import Exported, export, lowered
from tests.clients.mock import size_tokens
from tests.clients.pinned import CODEX as NEW
from tests.clients.pinned import OLDER_CODEX as OLD

pytestmark = pytest.mark.clients

THREE: Final = "codex-three-turns"

OTHER_ID: Final = "0f0e0d0c-0b0a-4908-8706-050403020100"

FOLDER: Final = b'"cwd":"/home/dev/project",'

both = pytest.mark.parametrize("agent", [NEW, OLD], indirect=True, ids=str)


@both
def test_the_context_that_was_freed_is_believed(agent: Agent, place: Place) -> None:
    """The client takes the context's size from the newest usage in the file, and compacts by that."""
    original = put(agent, place, THREE)
    exported = export(original, lowered(load("react-mini")))
    between = (exported.context_before + exported.context_after) // 2
    untouched = resume(agent, place, original.stem[-36:], compact_at=between)
    assert compacted_first(untouched, [message for _, message in exported.original])
    accepted(resume(agent, place, exported.session_id, compact_at=between), exported)


@both
def test_it_fits_into_a_window_that_was_too_small(agent: Agent, place: Place) -> None:
    original = put(agent, place, THREE)
    exported = export(original, lowered(load("react-mini")))
    before, after = (size_tokens({"input": dict(pairs)}) for pairs in (exported.original, exported.planned))
    alone = accepted(resume(agent, place, exported.session_id), exported)
    window = alone.tokens + (before - after) // 2
    untouched = main_request(resume(agent, place, original.stem[-36:], window=window))
    assert untouched is not None
    assert untouched.refused is not None and "exceeds the context window" in untouched.refused
    accepted(resume(agent, place, exported.session_id, window=window), exported)


@both
def test_the_head_must_name_a_folder(agent: Agent, place: Place) -> None:
    """It need not be there, as in all samples; but without one no session is seen in the file."""
    exported = export(put(agent, place, THREE))
    rows = exported.file.read_bytes()
    assert rows.index(FOLDER) < rows.index(b"\n")
    exported.file.write_bytes(rows.replace(FOLDER, b"", 1))
    resumed = resume(agent, place, exported.session_id)
    assert main_request(resumed) is None
    assert resumed.ended.exit_code == 1


@both
def test_the_name_of_the_file_must_have_the_id(agent: Agent, place: Place) -> None:
    """The newer client refuses another one; for the older one it is the name that counts."""
    exported = export(put(agent, place, THREE))
    exported.file.rename(_with_id(exported, OTHER_ID))
    if agent == OLD:
        check(agent, place, replace(exported, session_id=OTHER_ID))
        return
    resumed = resume(agent, place, OTHER_ID)
    assert main_request(resumed) is None
    assert "thread source changed" in resumed.ended.stderr


@both
def test_an_id_that_is_not_there(agent: Agent, place: Place) -> None:
    """The older client begins an empty session and says nothing of it."""
    exported = export(put(agent, place, THREE))
    main = main_request(resume(agent, place, OTHER_ID))
    assert (main is None) == (agent == NEW)
    assert main is None or differences(exported.messages, main)


@both
def test_the_day_of_the_folder_is_no_matter(agent: Agent, place: Place) -> None:
    exported = export(put(agent, place, THREE))
    another_day = exported.file.parent.with_name("01")
    another_day.mkdir()
    exported.file.rename(another_day / exported.file.name)
    check(agent, place, exported)


@both
def test_two_sessions_whose_ids_begin_alike(agent: Agent, place: Place) -> None:
    """Each is found by its whole id."""
    exported = EDITS["placeholders"].make(put(agent, place, THREE))
    unlike = export(put(agent, place, THREE))
    twin = exported.session_id[:8] + OTHER_ID[8:]
    rows = unlike.file.read_bytes().replace(unlike.session_id.encode(), twin.encode())
    _with_id(unlike, twin).write_bytes(rows)
    check(agent, place, exported)
    check(agent, place, replace(unlike, session_id=twin))


def _with_id(exported: Exported, session_id: str) -> Path:
    """The file's path with another id in its name."""
    return exported.file.with_name(exported.file.name.replace(exported.session_id, session_id))
