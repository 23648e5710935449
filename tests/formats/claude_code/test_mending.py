"""Damage and broken rules: what an export does about them, and that it says so."""

from __future__ import annotations

import json

import pytest

from app.formats.base import Rewriting
from app.model import Session
from app.validity import check, errors
from tests.formats.claude_code.records import (
    FORMAT,
    NEW_ID,
    Value,
    assistant,
    boundary,
    by_uuid,
    lines,
    read,
    read_bytes,
    record,
    request,
    result,
    rewrite,
    said,
    summary,
    text,
    thinking,
    use,
    user,
    uuid,
)
from tests.formats.edits import rows, written

TALK = [user(1, None, "One"), assistant(2, 1, "Two"), user(3, 2, "Three"), assistant(4, 3, "Four")]


def mended(*records: Value | str) -> tuple[Session, Rewriting]:
    """The session that an export of these records reads back as, and the export."""
    rewriting = rewrite(read(*records), session_id=NEW_ID)
    return read_bytes(written(rewriting)), rewriting


def word_list(rewriting: Rewriting) -> list[str]:
    return sorted({notice.word for notice in rewriting.repairs})


def row(number: int) -> str:
    return json.dumps(TALK[number], separators=(",", ":"))


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (lines(*TALK)[:-40], "torn-tail"),
        (lines(*TALK[:3]) + b'{"type":"user","broken\n' + lines(TALK[3]), "bad-line"),
        (f"{row(0)}\n{row(1)}{row(2)}\n{row(3)}\n".encode(), "glued-records"),
        (f"{row(0)}\n{row(1)}\0\0\0\n\0\0\n{row(2)}\n{row(3)}\n\0\0\0\0".encode(), "nul-bytes"),
        (b"\xef\xbb\xbf" + lines(*TALK), "bom"),
        (lines(*TALK).replace(b"\n", b"\r\n"), "crlf"),
        (lines(*TALK[:3]) + json.dumps(TALK[3], indent=2).encode() + b"\n", "bad-line"),
        (lines(*TALK).replace(b"Four", b"F\xffour"), "invalid-utf8"),
    ],
)  # fmt: skip
def test_damaged_files_come_out_sound(data: bytes, word: str) -> None:
    session = read_bytes(data)
    rewriting = rewrite(session)
    out = written(rewriting)
    assert word in word_list(rewriting)
    assert out.endswith(b"\n") and b"\r" not in out and b"\0" not in out and not out.startswith(b"\xef")
    assert [json.loads(line)["type"] for line in out.splitlines()][:3] == ["user", "assistant", "user"]
    again = read_bytes(out)
    assert again.facts.bad_lines == ()
    assert said(again.live)[:3] == [["One"], ["Two"], ["Three"]]
    assert written(rewrite(again)) == out


@pytest.mark.parametrize("split", [False, True], ids=["a record a reply", "a record a block"])
def test_a_lost_result_between_two_replies_with_thinking_leaves_a_session_that_is_taken(split: bool) -> None:
    replies = [
        [thinking("Hm."), text("I look."), use("a", file_path="a.py")],
        [thinking("So."), text("And there."), use("b", file_path="b.py")],
    ]
    records, number = [user(1, None, "Why?")], 1
    for place, blocks in enumerate(replies):
        for content in [[block] for block in blocks] if split else [blocks]:
            records.append(assistant(number + 1, number, content, ident=f"m{place}"))
            number += 1
        number += place == 0  # here the result of the first call stood
    records.append(user(number + 1, number, [result("b", "ok")]))
    session, plan = mended(*records)
    assert {"block-order", "open-call"} <= set(word_list(plan))
    assert errors(check("anthropic", FORMAT.request(session, session.live))) == []
    assert [list(map(str, kinds)) for kinds in kinds_of(session)] == [
        ["text"],
        ["thinking", "text", "text", "tool_use"],
        ["thinking", "tool_use"],
        ["tool_result", "tool_result"],
    ]


def kinds_of(session: Session) -> list[list[str]]:
    return [[block.kind for block in message.blocks] for message in session.live]


def test_a_missing_final_newline_is_added() -> None:
    session = read_bytes(lines(*TALK)[:-1])
    assert written(rewrite(session, session_id=NEW_ID)).endswith(b"}\n")


def test_raw_line_ends_in_a_string_are_escaped() -> None:
    raw = row(3).replace("Four", "Fo\nur")
    again, rewriting = mended(*TALK[:3], raw)
    assert said(again.live)[3] == ["Fo\nur"]
    assert len(written(rewriting).splitlines()) == 4


def test_a_bridged_gap_is_written_and_told() -> None:
    again, rewriting = mended(TALK[0], TALK[1], user(5, 99, "Later"), assistant(6, 5, "End"))
    assert again.facts.missing_parents == ()
    assert again.facts.messages == 4
    assert "missing-parent" in word_list(rewriting)


def test_equal_uuids_and_circles_do_not_come_out() -> None:
    hook = record(9, None, "saved_hook_context", content=["x"])
    again = record(9, 1, "saved_hook_context", content=["x"])
    loop = record(10, 10, "system", subtype="x")
    rewriting = rewrite(read(hook, user(1, 9, "Hello"), again, assistant(2, 1, "Hi"), loop))
    uuids = [found["uuid"] for found in rows(written(rewriting))]
    assert len(uuids) == len(set(uuids))
    reread = read_bytes(written(rewriting))
    assert {notice.word for notice in reread.notices}.isdisjoint({"cycle", "duplicate-uuid"})
    assert word_list(rewriting) == ["cycle", "duplicate-uuid"]


def test_an_open_call_gets_a_result() -> None:
    again, rewriting = mended(
        user(1, None, "Go"),
        assistant(2, 1, [use("t1")], ident="m"),
        assistant(3, 2, [use("t2")], ident="m"),
        user(4, 2, [result("t1", "one")]),
    )
    assert said(again.live) == [["Go"], ["use t1", "use t2"], ["result t1", "result t2"]]
    assert word_list(rewriting) == ["open-call"]
    assert rewriting.added == 1


def test_an_open_call_amid_the_session_gets_one_too() -> None:
    again, _ = mended(
        user(1, None, "Go"), assistant(2, 1, [use("t1")]), user(3, 2, "Never mind"), assistant(4, 3, "Ok")
    )
    assert said(again.live) == [["Go"], ["use t1"], ["result t1", "Never mind"], ["Ok"]]


def test_an_orphaned_result_becomes_words() -> None:
    again, rewriting = mended(
        user(1, None, "Go"),
        assistant(2, 1, "Yes"),
        user(3, 2, [result("lost", "the answer")]),
        assistant(4, 3, "Ok"),
    )
    assert "the answer" in said(again.live)[2][0]
    assert word_list(rewriting) == ["orphan-result"]


def test_words_between_two_results_are_moved_behind_them() -> None:
    again, rewriting = mended(
        user(1, None, "Go"),
        assistant(2, 1, [use("t1")], ident="m"),
        assistant(3, 2, [use("t2")], ident="m"),
        user(4, 2, [result("t1", "a")]),
        user(5, 4, "<system-reminder>x</system-reminder>", isMeta=True),
        user(6, 5, [text("words"), result("t2", "b")]),
        assistant(7, 6, "Ok"),
    )
    order = [found["uuid"] for found in rows(written(rewriting))]
    assert order.index(uuid(6)) < order.index(uuid(5))
    assert by_uuid(written(rewriting))[uuid(6)]["message"]["content"] == [result("t2", "b"), text("words")]
    assert word_list(rewriting) == ["result-order"]
    assert said(again.live)[2][:2] == ["result t1", "result t2"]


def test_a_result_behind_its_answer_is_moved_up() -> None:
    _, rewriting = mended(
        user(1, None, "Go"),
        assistant(2, 1, [use("t1")], ident="m"),
        assistant(3, 2, [use("t2")], ident="m"),
        user(4, 2, [result("t1", "a")]),
        assistant(7, 4, "Ok"),
        user(6, 3, [result("t2", "b")]),
        user(8, 7, "Next"),
    )
    order = [found["uuid"] for found in rows(written(rewriting))]
    assert order.index(uuid(4)) < order.index(uuid(6)) < order.index(uuid(7))


def test_bad_ids_names_and_repeated_ids_are_mapped_on_both_sides() -> None:
    again, rewriting = mended(
        user(1, None, "Go"),
        assistant(2, 1, [use("call.1", "my tool"), use("call_1")]),
        user(3, 2, [result("call.1", "a"), result("call_1", "b")]),
        assistant(4, 3, [use("call_1")]),
        user(5, 4, [result("call_1", "c")]),
        assistant(6, 5, "Ok"),
    )
    sent = request(again)
    calls = [block["id"] for role, content in sent for block in content if block["type"] == "tool_use"]
    answers = [
        block["tool_use_id"] for role, content in sent for block in content if block["type"] == "tool_result"
    ]
    assert calls == answers and len(set(calls)) == 3
    assert calls[1] == "call_1"
    assert word_list(rewriting) == ["bad-tool-name", "duplicate-call-id", "unsafe-id"]


def test_what_no_request_may_hold_is_left_out() -> None:
    again, rewriting = mended(
        user(1, None, [text(""), text("Look")]),
        assistant(2, 1, [text("")], ident="a"),
        assistant(3, 2, [text("Yes")], ident="a"),
        user(4, 3, []),
        user(5, 4, "  "),
        assistant(6, 5, "End. \n"),
    )
    assert said(again.live)[0] == ["Look"]
    assert said(again.live)[-1] == ["End."]
    assert {"empty-content", "empty-text", "trailing-space"} <= set(word_list(rewriting))


def test_a_lone_thinking_block_at_the_end_leaves_whole() -> None:
    again, rewriting = mended(user(1, None, "Plan it."), assistant(2, 1, [thinking("Hm")]))
    assert said(again.live) == [["Plan it."]]
    assert word_list(rewriting) == ["thinking-last"]


def test_thinking_is_never_rewritten() -> None:
    odd = {"signature": "c2ln", "type": "thinking", "thinking": "", "extra": 1}
    session = read(user(1, None, "Hi"), assistant(2, 1, [odd, text("Yo ")]), user(3, 2, "More"))
    out = written(rewrite(session, session_id=NEW_ID))
    assert json.dumps(odd, separators=(",", ":")).encode() in out


def test_a_segment_that_the_provider_would_refuse_is_taken_out() -> None:
    segment = {"headUuid": uuid(2), "tailUuid": uuid(2), "anchorUuid": uuid(3)}
    again, rewriting = mended(
        user(1, None, "Old."),
        assistant(2, 1, "Work."),
        boundary(3, preTokens=9, preservedSegment=segment),
        summary(4, 3, "Story."),
        assistant(5, 4, "Ok."),
    )
    assert by_uuid(written(rewriting))[uuid(3)]["compactMetadata"] == {"trigger": "auto", "preTokens": 9}
    assert said(again.live) == [["Story."], ["Ok."]]
    assert rewriting.repairs


def test_a_conversation_that_begins_with_the_assistant_gets_a_beginning() -> None:
    again, rewriting = mended(assistant(2, 1, "Yes"), user(3, 2, "More"))
    assert [message.role for message in again.live] == ["user", "assistant", "user"]
    assert "first-role" in word_list(rewriting)
