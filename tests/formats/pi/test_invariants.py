"""Whatever is edited: the export reads back as planned, breaks no rule, and is stable."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.formats.base import Rewrite
from app.model import Session
from app.validity import check, errors
from tests.formats.edits import edited, rows, wish, written
from tests.formats.pi.records import (
    FORMAT,
    NEW_ID,
    assistant,
    by_id,
    call,
    compacted,
    edit,
    entry,
    header,
    ident,
    lines,
    read,
    read_bytes,
    read_sample,
    request,
    result,
    rewrite,
    said,
    thinking,
    user,
)


def tangled() -> Session:
    """A compaction that keeps a tail, edits, a branch, settings between, a prompt that changes."""
    return read(
        said(1, None, "system", content="Be brief.", sections={"a": "A"}),
        user(2, 1, "Old."),
        assistant(3, 2, "Work."),
        user(4, 3, "Kept."),
        entry(5, 4, "model_change", provider="p", modelId="m"),
        assistant(6, 5, [thinking("Hm"), call("k1"), call("k2")]),
        result(7, 6, "k1", "one"),
        result(8, 7, "k2", "two " * 99, details={"truncation": {"content": "two " * 99}}),
        compacted(9, 8, 4, systemMessage={"role": "system", "content": "Be brief.", "timestamp": 1}),
        assistant(10, 9, "Kept too."),
        user(11, 10, "Go on."),
        said(12, 11, "bashExecution", command="ls", output="a", exitCode=0),
        assistant(13, 12, [call("a1")]),
        result(14, 13, "a1", "three"),
        edit(15, 14, 7, "edited"),
        user(16, 13, "Left."),
        assistant(17, 15, "Half", stopReason="aborted"),
        said(18, 17, "system", content="", sections={"a": "New A"}),
        assistant(19, 18, [call("b1")]),
        result(20, 19, "b1", "four"),
        assistant(21, 20, "Done."),
        user(22, 21, "Thanks."),
        entry(23, 22, "label", targetId=ident(22), label="end"),
    )


def version_1() -> Session:
    """The sample without ids."""
    session = read_sample()
    entries = []
    known = {}
    for number in range(len(session.records)):
        row = dict(session.records.value(number))
        if number:
            known[row.pop("id")] = number
            del row["parentId"]
        else:
            del row["version"]
        if row["type"] == "compaction":
            row["firstKeptEntryIndex"] = known[row.pop("firstKeptEntryId")]
        entries.append(row)
    return read_bytes(lines(*entries))


SESSIONS = {"tangled": tangled(), "compacted": read_sample(), "version 1": version_1()}


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
    assert errors(check("anthropic", FORMAT.request(again, again.live))) == []
    assert rewriting.kept + rewriting.changed + rewriting.added == len(rows(out))
    assert written(rewrite(again)) == out
    if name != "version 1":
        known = by_id(out)
        assert len(known) == len(rows(out)) - 1
        assert all(row["parentId"] is None or row["parentId"] in known for row in known.values())


def test_the_header_comes_first_whatever_is_written() -> None:
    for session in SESSIONS.values():
        for asked in (Rewrite(session.live[-1:]), Rewrite(session.live, session_id=NEW_ID, title="T")):
            first = rows(written(FORMAT.rewrite(session, asked)))[0]
            assert first["type"] == header()["type"]
