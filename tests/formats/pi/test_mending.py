"""Damaged and invalid sessions: what an export mends, says, and leaves alone."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.validity import check, errors
from tests.formats.claude_code.records import said as words
from tests.formats.edits import rows, written
from tests.formats.pi.records import (
    FORMAT,
    NEW_ID,
    assistant,
    by_id,
    call,
    header,
    ident,
    image,
    lines,
    read,
    read_bytes,
    request,
    result,
    rewrite,
    text,
    user,
)


@pytest.mark.parametrize(
    ("entries", "word"),
    [
        ([user(1, None, "Hi"), assistant(2, 1, [call("t1")]), user(3, 2, "Well?")], "open-call"),
        ([user(1, None, "Hi"), assistant(2, 1, [call("t1")])], "open-call"),
        ([user(1, None, "Hi"), result(2, 1, "t9", [text("x"), image()])], "orphan-result"),
        ([assistant(1, None, "Yo"), user(2, 1, "Hi")], "first-role"),
        (
            [
                user(1, None, "Hi"),
                assistant(2, 1, [call("t1"), call("t2")]),
                result(3, 2, "t1", "one"),
                user(4, 3, "Wait."),
                result(5, 4, "t2", "two"),
                assistant(6, 5, "Ok"),
            ],
            "result-order",
        ),
        (
            [
                user(1, None, "Hi"),
                assistant(2, 1, [call("t")]),
                result(3, 2, "t", "x"),
                assistant(4, 3, [call("t")]),
                result(5, 4, "t", "y"),
            ],
            "duplicate-call-id",
        ),
        ([user(1, None, "Hi"), assistant(2, 1, [call("t.1")]), result(3, 2, "t.1", "x")], "unsafe-id"),
        ([user(1, None, "Hi"), assistant(2, 1, [call("t", "a b")]), result(3, 2, "t", "x")], "bad-tool-name"),
        ([user(1, None, "Hi \ud83d")], "lone-surrogate"),
        ([user(1, None, "Hi"), user(2, 7, "There")], "missing-parent"),
        ([user(1, 2, "Hi"), assistant(2, 1, "Yo")], "cycle"),
        ([user(1, None, "Hi"), assistant(2, 1, "Yo"), assistant(2, 1, "Yes")], "duplicate-uuid"),
    ],
)
def test_what_breaks_a_rule_is_mended_and_named(entries: list[Any], word: str) -> None:
    session = read(*entries)
    rewriting = rewrite(session, session_id=NEW_ID)
    assert word in [notice.word for notice in rewriting.repairs]
    again = read_bytes(written(rewriting))
    assert errors(check("anthropic", FORMAT.request(again, again.live))) == []
    assert word not in [notice.word for notice in again.notices]
    settled = rewrite(again)
    assert (settled.repairs, written(settled)) == ((), written(rewriting))


def test_a_late_result_is_led_to_its_call_and_keeps_its_entry() -> None:
    session = read(
        user(1, None, "Hi"),
        assistant(2, 1, [call("t1"), call("t2")]),
        result(3, 2, "t1", "one"),
        user(4, 3, "Wait."),
        result(5, 4, "t2", "two", toolName="bash"),
        assistant(6, 5, "Ok"),
    )
    out = written(rewrite(session, session_id=NEW_ID))
    assert words(read_bytes(out).live) == [
        ["Hi"],
        ["use t1", "use t2"],
        ["result t1", "result t2"],
        ["Wait."],
        ["Ok"],
    ]


def test_an_orphaned_result_becomes_words_that_nobody_typed() -> None:
    session = read(user(1, None, "Hi"), assistant(2, 1, "Yo"), result(3, 2, "t9", "found"), user(4, 3, "Go"))
    out = written(rewrite(session, session_id=NEW_ID))
    message = by_id(out)[ident(3)]["message"]
    assert (message["role"], message["customType"]) == ("custom", "handcompact")
    assert "found" in message["content"][0]["text"]
    block = read_bytes(out).live[2].blocks[0]
    assert block.author == "injected"  # type: ignore[union-attr]


def test_what_pi_mends_itself_is_left_alone() -> None:
    session = read(
        user(1, None, [text(" "), text("Hi")]),
        assistant(2, 1, [call("t1")]),
        result(3, 2, "t1", [text("bad"), image()], isError=True),
        assistant(4, 3, [text(""), text("Ok.\n")]),
        assistant(5, 4, "Half", stopReason="error"),
        user(6, 5, "Go."),
    )
    rewriting = rewrite(session)
    assert rewriting.repairs == ()
    assert rewriting.changed == 0


def test_an_unknown_entry_a_foreign_provider_and_odd_spelling_keep_their_bytes() -> None:
    rows_ = [
        '{ "type":"hologram", "id":"00000002","parentId":"00000001", "n":1.10, "e":1E2, "z":-0.0 }',
        '{"type":"note","text":"no id"}',
    ]
    session = read(user(1, None, "Hi"), *rows_, assistant(3, 2, "Yo"))
    out = written(rewrite(session, session_id=NEW_ID)).decode()
    assert all(row in out for row in rows_)


DAMAGED = {
    "torn tail": (b'{"type":"message","id":"0000000', ["torn-tail"]),
    "nul": (b"\0" * 300, ["nul-bytes"]),
    "no json": (b"garbage\n", ["bad-line"]),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damage_is_told_and_not_copied(name: str) -> None:
    tail, told = DAMAGED[name]
    session = read_bytes(lines(header(), user(1, None, "Hi"), assistant(2, 1, "Yo")) + tail)
    assert set(told) <= {notice.word for notice in session.notices}
    assert words(session.live) == [["Hi"], ["Yo"]]
    rewriting = rewrite(session, session_id=NEW_ID)
    assert set(told) <= {notice.word for notice in rewriting.repairs}
    assert len(rows(written(rewriting))) == 3


def test_glued_and_crlf_lines_come_apart() -> None:
    good = lines(header(), user(1, None, "Hi"), assistant(2, 1, "Yo"), user(3, 2, "Go"))
    first, second, third, fourth = good.splitlines()
    session = read_bytes(b"\xef\xbb\xbf" + first + b"\r\n" + second + third + b"\r\n" + fourth)
    assert words(session.live) == [["Hi"], ["Yo"], ["Go"]]
    out = written(rewrite(session))
    assert out == good


def test_a_raw_line_end_inside_a_string_is_mended() -> None:
    good = lines(header(), user(1, None, "one two"), assistant(2, 1, "Yo"))
    session = read_bytes(good.replace(b"one two", b"one\ntwo"))
    out = written(rewrite(session, session_id=NEW_ID))
    assert json.loads(out.splitlines()[1])["message"]["content"] == [text("one\ntwo")]
    assert words(read_bytes(out).live) == [["one\ntwo"], ["Yo"]]


@pytest.mark.parametrize("data", [b"", b"\n\n", lines(header()), b"\0" * 10])
def test_a_file_without_a_conversation_is_read_and_written(data: bytes) -> None:
    session = read_bytes(data)
    assert session.live == ()
    assert written(rewrite(session)) in (data, b"")
    assert request(session) == []
