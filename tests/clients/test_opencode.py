"""What is particular to opencode: what its import takes in, and what its database then holds."""

from __future__ import annotations

import pytest

from app.formats import format_named, open_session
from app.pipeline import load
from tests.clients.agents import Agent, Place, resume
from tests.clients.checks import accepted, check, put
from tests.clients.comparison import compacted_first, differences, main_request
from tests.clients.edits import EDITS
from tests.clients.exports import export, lowered
from tests.clients.mock import ANSWER, Request
from tests.clients.pinned import OPENCODE, PINNED

pytestmark = [
    pytest.mark.clients,
    pytest.mark.parametrize("agent", [OPENCODE], indirect=True, ids=str),
]

(WHOLE,) = (one.sample for one in PINNED if one.agent == OPENCODE)


def test_the_context_that_was_freed_is_believed(agent: Agent, place: Place) -> None:
    """It takes the context's size from the newest tokens in the file, and compacts by that."""
    original = put(agent, place, WHOLE)
    exported = export(original, lowered(load("react-mini")))
    between = (exported.context_before + exported.context_after) // 2
    untouched = resume(agent, place, original.stem, compact_at=between)
    assert compacted_first(untouched, [message for _, message in exported.original])
    accepted(resume(agent, place, exported.session_id, compact_at=between), exported)


def test_an_export_lies_beside_its_original(agent: Agent, place: Place) -> None:
    """New ids throughout: an import passes over every message whose id is there already."""
    original = put(agent, place, WHOLE)
    exported = export(original, lowered(load("react-mini")))
    main = main_request(resume(agent, place, original.stem))
    assert main is not None and differences([message for _, message in exported.original], main) == []
    check(agent, place, exported)


def test_a_session_that_is_there_is_not_changed_by_an_import(agent: Agent, place: Place) -> None:
    """So an export that is written in place must not be imported where the original is known."""
    original = put(agent, place, WHOLE)
    assert main_request(resume(agent, place, original.stem)) is not None
    exported = EDITS["in-place"].make(original)
    main = main_request(resume(agent, place, original.stem))
    assert main is not None
    assert differences(exported.messages, main)


def test_its_database_is_read_as_what_it_sends(
    agent: Agent, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    exported = EDITS["placeholders"].make(put(agent, place, WHOLE))
    check(agent, place, exported)
    monkeypatch.setenv("XDG_DATA_HOME", place.env()["XDG_DATA_HOME"])
    session, _ = open_session(f"opencode:{exported.session_id}")
    *told, answer = (message for _, message in format_named(session.format).request(session, session.live))
    assert answer["content"] == [{"type": "text", "text": ANSWER}]
    assert differences(exported.messages, Request("messages", {}, tuple(told), 0, None)) == []
