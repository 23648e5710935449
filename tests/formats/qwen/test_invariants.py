"""Whatever is edited: the export reads back as planned, breaks no rule, and is stable."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.model import Session
from app.validity import check, errors
from tests.formats.claude_code.records import uuid
from tests.formats.edits import edited, rows, wish, written
from tests.formats.qwen.records import (
    FORMAT,
    NEW_ID,
    answer,
    by_uuid,
    call,
    compressed,
    content,
    model,
    read,
    read_bytes,
    read_sample,
    request,
    result,
    rewrite,
    system,
    thought,
    user,
)


def tangled() -> Session:
    """A compression with a tail inside, fragments, a branch, links of other records, a command."""
    shown = {"phase": "result", "rawCommand": "/x", "outputHistoryItems": [{"type": "assistant"}]}
    return read(
        user(1, None, "Old."),
        model(2, 1, "Work."),
        compressed(
            3,
            2,
            content("user", "Story."),
            content("model", "Got it."),
            content("user", "Kept words."),
            content("model", thought("Hm"), call("k1"), call("k2")),
            content("user", answer("k1", "one"), answer("k2", "two")),
        ),
        model(4, 3, "Kept too."),
        user(5, 4, "Go on."),
        system(6, 5, "ui_telemetry", uiEvent={}),
        model(7, 6, thought("Hm"), "First, ", call("a1")),
        model(7, 6, call("a2")),
        system(8, 7, "ui_telemetry", uiEvent={"call_id": "a1"}),
        result(9, 8, answer("a1", "three " * 99), shown={"output": "three " * 99}),
        result(10, 9, answer("a2", "four")),
        user(11, 10, "Also this.", subtype="mid_turn_user_message"),
        user(12, 10, "Left."),
        model(13, 11, "Noted."),
        user(14, 13, "/x"),
        system(15, 14, "slash_command", **shown),
        user(16, 15, "Now."),
        model(17, 16, call("b1")),
        result(18, 17, answer("b1", "five")),
        model(19, 18, "Done.", tokens=(300, 3)),
        user(20, 19, "Thanks."),
        system(21, 20, "custom_title", customTitle="T"),
    )


SESSIONS = {"tangled": tangled(), "compressed": read_sample()}


@pytest.mark.parametrize("name", SESSIONS)
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_an_export_holds_what_was_planned(name: str, seed: int) -> None:
    session, random = SESSIONS[name], Random(seed)
    messages, mark = edited(session.live, random)
    asked = wish(messages, mark, random, NEW_ID)
    rewriting = FORMAT.rewrite(session, asked)
    out = written(rewriting)
    again = read_bytes(out)
    if not rewriting.repairs:
        assert request(again) == request(session, messages)
    assert errors(check("gemini", FORMAT.request(again, again.live))) == []
    known = by_uuid(out)
    assert all(row["parentUuid"] is None or row["parentUuid"] in known for row in known.values())
    assert rewriting.kept + rewriting.changed + rewriting.added == len(rows(out))
    assert written(rewrite(again)) == out
    assert {row["sessionId"] for row in rows(out)} == {asked.session_id or session.session_id}


def test_no_record_names_itself_as_parent() -> None:
    session = SESSIONS["tangled"]
    out = written(rewrite(session, session.live[2:], session_id=NEW_ID))
    assert all(row["uuid"] != row["parentUuid"] for row in rows(out))
    assert uuid(7) in by_uuid(out)
