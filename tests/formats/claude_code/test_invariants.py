"""Whatever is edited: the export reads back as planned, breaks no rule, and is stable."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.formats.base import Rewrite
from app.model import Session
from app.validity import check, errors
from tests.formats.claude_code.records import (
    FORMAT,
    NEW_ID,
    assistant,
    boundary,
    by_uuid,
    read,
    read_bytes,
    read_sample,
    record,
    request,
    result,
    rewrite,
    summary,
    thinking,
    use,
    user,
    uuid,
)
from tests.formats.edits import edited, rows, wish, written
from tests.plain_session import SAMPLES


def tangled() -> Session:
    """Branches, a sidechain, progress in the chain, fans, notes below a result, a preserved segment."""
    segment = {"headUuid": uuid(3), "tailUuid": uuid(5), "anchorUuid": uuid(11)}
    return read(
        user(1, None, "Old."),
        assistant(2, 1, "Work."),
        user(3, 2, "Kept."),
        record(4, 3, "progress", data={}),
        assistant(5, 4, "Kept too."),
        boundary(10, preservedSegment=segment),
        summary(11, 10, "Story."),
        user(12, 11, "Go on."),
        assistant(13, 12, [thinking("Hm"), use("a1")], ident="m"),
        assistant(14, 13, [use("a2")], ident="m"),
        user(15, 13, [result("a1", "one")], toolUseResult="one"),
        user(31, 15, "Note.", isMeta=True),
        record(32, 15, "progress", data={}),
        record(33, 32, "attachment", attachment={"type": "hook"}, rendered=[{"content": "Hook."}]),
        user(30, None, "Task.", isSidechain=True, agentId="x"),
        user(16, 14, [result("a2", "two")]),
        assistant(17, 15, "Left."),
        user(18, 17, "Left too."),
        record(19, 16, "attachment", attachment={"type": "date"}, rendered=[{"content": "Today."}]),
        assistant(20, 19, [use("b1")]),
        user(21, 20, [result("b1", "three")]),
        user(34, 21, "Another note.", isMeta=True),
        assistant(22, 21, "Done."),
        user(23, 22, "Thanks."),
        {"type": "last-prompt", "leafUuid": uuid(16), "sessionId": "x"},
    )


def astray() -> bytes:
    """What was attached to a result stands before everything else."""
    *records, last = (SAMPLES / "awkward-escapes.jsonl").read_bytes().splitlines(keepends=True)
    place = next(n for n, line in enumerate(records) if b'"type":"attachment"' in line)
    return b"".join((records.pop(place), *records, last))


SESSIONS = {
    "tangled": tangled(),
    "astray": read_bytes(astray()),
    "tools": read_sample("claude-code-tools.jsonl"),
    "compacted": read_sample("claude-code-compacted.jsonl"),
}


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
    if not {notice.word for notice in rewriting.repairs} - {"result-order"}:
        assert request(again) == request(session, messages)
    assert errors(check("anthropic", FORMAT.request(again, again.live))) == []
    known = by_uuid(out)
    for row in rows(out):
        for field in ("parentUuid", "leafUuid", "sourceToolAssistantUUID"):
            assert row.get(field) is None or row[field] in known, field
    assert rewriting.kept + rewriting.changed + rewriting.added == len(rows(out))
    assert written(rewrite(again)) == out


def test_an_attachment_stays_where_it_is_wherever_that_is() -> None:
    assert written(rewrite(SESSIONS["astray"])) == astray()


@pytest.mark.parametrize(
    "name", ["awkward-escapes.jsonl", "claude-code-tools.jsonl", "claude-code-compacted.jsonl"]
)
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_records_in_another_order_stay_in_it_or_it_is_told(name: str, seed: int) -> None:
    records, chance = (SAMPLES / name).read_bytes().splitlines(keepends=True), Random(seed)
    for _ in range(chance.randint(1, 3)):
        records.insert(chance.randrange(len(records)), records.pop(chance.randrange(len(records))))
    data = b"".join(records)
    session = read_bytes(data)
    rewriting = FORMAT.rewrite(session, Rewrite(session.live))
    assert rewriting.repairs or written(rewriting) == data
