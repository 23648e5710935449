"""A session is written so that the client resumes it, and nothing else is changed."""

from __future__ import annotations

import json
import re
from pathlib import Path, PurePath

import pytest
from msgspec.structs import replace

from app.model import (
    Author,
    Block,
    Held,
    HeldValue,
    Message,
    Role,
    SendStatus,
    Session,
    Text,
    ToolResult,
    ToolUse,
    with_text,
)
from tests.formats.gemini.records import (
    FORMAT,
    NEW_ID,
    OLD_ID,
    SAMPLES,
    answer,
    began,
    call,
    cleared,
    copy,
    edited,
    header,
    is_valid,
    lines,
    log,
    message,
    model,
    patch,
    planned,
    read,
    records_of,
    request,
    rewind,
    summary,
    texts,
    user,
    written,
)

FILES = sorted(SAMPLES.glob("gemini-cli-*.jsonl"))
LONG = "a line of the log\n" * 40


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_unedited_in_place_every_byte_stays(path: Path) -> None:
    data = path.read_bytes()
    session = read(data)
    assert written(session, session_id=None) == data
    assert planned(session, session_id=None).repairs == ()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_new_session_holds_each_result_once_and_asks_the_same(path: Path) -> None:
    session = read(path.read_bytes())
    plan = planned(session)
    again = read(b"".join(plan.pieces()))
    assert request(again) == request(session)
    assert again.session_id == NEW_ID
    assert "result-twice" in {notice.word for notice in plan.repairs}
    assert "result-twice" not in {notice.word for notice in again.notices}
    assert written(again, session_id=None) == b"".join(plan.pieces())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_kept_messages_keep_their_bytes(path: Path) -> None:
    data = path.read_bytes()
    session = read(data)
    ident = [b.tool_use_id for m in session.live for b in m.blocks if isinstance(b, ToolResult)][-1]
    old = set(data.splitlines())
    new = written(session, cleared(session, ident)).splitlines()
    assert len([line for line in new if line not in old and b'"sessionId"' not in line]) == 1


def test_of_a_cleared_result_no_copy_is_left() -> None:
    shown = [[{"text": "a line of the log", "bold": False}]]
    session = log(
        user("Read."),
        model("", call("a", LONG, resultDisplay=LONG), ident="g"),
        model("", call("a", LONG, resultDisplay=shown), call("b", "kept", resultDisplay="kept"), ident="g"),
        copy(answer("a", LONG), answer("b", "kept")),
        began(user("Read."), model("", call("a", LONG), call("b", "kept"), ident="g", note="new")),
    )
    data = written(session, cleared(session, "a"))
    assert b"a line of the log" not in data
    again = read(data)
    assert is_valid(again)
    assert texts_of_results(again) == ["[cleared]", "kept"]


def texts_of_results(session: Session) -> list[str]:
    return [
        "".join(part.content.read() for part in block.parts if isinstance(part, Text))
        for each in session.live
        for block in each.blocks
        if isinstance(block, ToolResult)
    ]


def test_a_changed_value_alone_is_spliced() -> None:
    raw = json.dumps(model("", call("a", "old text"), ident="g"), separators=(", ", " : ")).encode()
    raw = raw.replace(b'"total" : 109', b'"total" : 1.090e2')
    session = read(lines(header(), user("Read.")) + raw + b"\n")
    assert written(session, cleared(session, "a")).splitlines()[2] == raw.replace(b"old text", b"[cleared]")


def test_a_dropped_pair_leaves_the_other_pairs_of_its_batch() -> None:
    session = log(
        user("Read."),
        model("Both.", call("a", "text of a"), call("b", "text of b")),
        copy(answer("a", "text of a"), answer("b", "text of b")),
        model("Done."),
    )
    left = edited(session, lambda b: None if getattr(b, "id", getattr(b, "tool_use_id", "")) == "a" else b)
    again = read(written(session, left))
    assert is_valid(again)
    assert texts_of_results(again) == ["text of b"]
    assert b"text of a" not in written(session, left)


def test_a_shortened_argument_is_written_where_the_call_stands() -> None:
    session = log(user("Write."), model("", call("a", "ok")), model("Done."))

    def shorten(block: Block) -> Block:
        return replace(block, input=HeldValue({"file_path": "/w/x"})) if isinstance(block, ToolUse) else block

    again = read(written(session, edited(session, shorten)))
    assert request(again)[1]["parts"][0]["functionCall"]["args"] == {"file_path": "/w/x"}


def test_a_call_without_an_answer_gets_one_beside_it() -> None:
    session = log(user("Read."), model("", call("a", "ok"), call("b")))
    plan = planned(session)
    again = read(b"".join(plan.pieces()))
    assert is_valid(again)
    assert [notice.word for notice in plan.repairs] == ["open-call"]
    assert len(records_of(b"".join(plan.pieces()))) == 3


def test_an_answer_whose_call_went_becomes_words() -> None:
    session = log(user("Read."), model("", call("a", "the only copy")), model("Done."))
    left = edited(session, lambda block: None if isinstance(block, ToolUse) else block)
    again = read(written(session, left))
    assert is_valid(again)
    assert any("the only copy" in text for text in texts(again))


def test_a_boundary_stands_between_what_is_hidden_and_what_is_kept() -> None:
    session = log(
        user("One."), model("1"), user("Two."), model("2", call("a", "ok")), copy(answer("a", "ok"))
    )
    first, boundary = summary()
    messages = (first, *session.live[2:])
    data = written(session, messages, boundary=boundary, context_tokens=55, title="Short")
    again = read(data)
    assert request(again) == request(session, messages)
    assert [m.key for m in again.messages if m.standing is SendStatus.BEFORE_BOUNDARY] == ["u-One.", "g-1"]
    found = again.boundaries[0]
    assert (found.trigger, found.strategy, found.removed, found.tokens_before) == ("auto", "full", 4, 900)
    assert again.live[0].boundary is found
    assert again.live[0].blocks[0].author is Author.SUMMARY  # type: ignore[union-attr]
    assert (again.title, again.last_usage and again.last_usage.context) == ("Short", 55)
    kept = [line for line in data.splitlines() if b'"u-Two."' in line]
    assert kept == [json.dumps(user("Two.")).encode()]


def test_without_the_old_part_nothing_stands_above_the_boundary() -> None:
    session = log(user("One."), model("1"), rewind("g-1"), model("2"), user("Three."), model("3"))
    first, boundary = summary()
    data = written(session, (first, *session.live[2:]), boundary=boundary, drop_old=True)
    kinds = [next(iter(record)) for record in records_of(data)]
    assert kinds == ["sessionId", "$set", "id", "id"]
    assert b"One." not in data
    assert texts(read(data)) == ["What was done.", "Three.", "3"]


def test_a_kept_first_prompt_stays_the_person_s_words() -> None:
    session = log(user("Task."), model("1"), user("Two."), model("2"))
    first, boundary = summary()
    again = read(written(session, (session.live[0], first, *session.live[2:]), boundary=boundary))
    assert texts(again) == ["Task.", "What was done.", "Two.", "2"]
    authors = [b.author for m in again.live for b in m.blocks if isinstance(b, Text)]
    assert authors[:2] == [Author.USER, Author.SUMMARY]


def test_a_second_compaction_hides_the_first() -> None:
    session = log(user("One."), model("1"), user("Two."), model("2"))
    first, boundary = summary("First.")
    once = read(written(session, (first, *session.live[2:]), boundary=boundary))
    second, other = summary("Second.")
    again = read(written(once, (second, *once.live[2:]), boundary=other))
    assert texts(again) == ["Second.", "2"]
    assert [each.strategy for each in again.boundaries] == ["full", "full"]


def test_a_marker_is_known_when_it_is_read_again() -> None:
    session = log(user("One."), model("1"), user("Two."), model("2"))
    marker = Message("m", Role.USER, (Text("m:0", Held("[snipped 1 message]"), Author.MARKER),))
    again = read(written(session, (session.live[0], marker, *session.live[2:])))
    assert texts(again) == ["One.", "[snipped 1 message]", "Two.", "2"]
    assert again.live[1].blocks[0].author is Author.MARKER  # type: ignore[union-attr]
    assert not again.boundaries[0].hides
    times = [record["timestamp"] for record in records_of(written(session, (marker, *session.live[2:])))[1:]]
    assert times == sorted(times)


def test_what_was_taken_back_stays_taken_back() -> None:
    session = log(user("One."), model("1"), user("Two."), rewind("u-Two."), user("Three."), model("3"))
    again = read(written(session))
    assert texts(again) == ["One.", "1", "Three.", "3"]
    assert [m.key for m in again.messages if m.standing is SendStatus.OFF_BRANCH] == ["u-Two."]


def test_of_changes_of_the_header_the_last_of_each_stays() -> None:
    session = log(
        patch(lastUpdated="1", memoryScratchpad={"version": 1}), user("Hi."), patch(lastUpdated="2"),
        patch(sessionId=OLD_ID), model("Hello."), patch(lastUpdated="3"), {"odd": "record"},
    )  # fmt: skip
    records = records_of(written(session))
    assert [record["$set"] for record in records if "$set" in record] == [
        {"lastUpdated": "1", "memoryScratchpad": {"version": 1}},
        {"sessionId": NEW_ID},
        {"lastUpdated": "3"},
    ]
    assert records[-1] == {"odd": "record"}
    assert OLD_ID.encode() not in written(session)


def test_calls_that_thinking_in_the_content_would_hide_are_sent_again() -> None:
    content = [{"text": "Hm.", "thought": True}, {"text": "Yes."}]
    session = log(user("Read."), model("", call("a", "ok"), content=content), model("Done."))
    record = records_of(written(session))[2]
    assert record["content"] == [{"text": "Yes."}]


def test_the_newest_usage_says_how_big_the_context_is() -> None:
    session = log(user("One."), model("1", tokens=90_000), user("Two."), model("2", tokens=95_000))
    records = records_of(written(session, context_tokens=1234))
    assert records[4]["tokens"] == {
        "input": 1234,
        "output": 7,
        "cached": 0,
        "thoughts": 2,
        "tool": 0,
        "total": 1243,
    }
    assert records[2]["tokens"]["input"] == 90_000


def test_the_older_document_stays_one() -> None:
    messages = [
        user("One."),
        message("i", "info", "note"),
        model("1", call("a", LONG)),
        user("Two."),
        model("2"),
    ]
    document = json.dumps({**header(), "messages": messages, "later": 1.0}, indent=2).encode()
    session = read(document)
    assert written(session, session_id=None) == document
    first, boundary = summary("[Compacted]\n\nShort.")
    data = written(session, (first, *session.live[3:]), boundary=boundary, title="Short")
    value = json.loads(data)
    assert [each["id"] for each in value["messages"]][1:] == ["i", "u-Two.", "g-2"] or len(
        value["messages"]
    ) == 4
    assert (value["sessionId"], value["summary"], value["later"]) == (NEW_ID, "Short", 1.0)
    again = read(data)
    assert texts(again) == ["[Compacted]\n\nShort.", "Two.", "2"]
    only = written(session, cleared(session, "a"))
    assert only == document.replace(json.dumps(LONG).encode(), b'"[cleared]"').replace(
        OLD_ID.encode(), NEW_ID.encode()
    )


def test_a_header_that_holds_messages_is_split() -> None:
    session = read(lines({**header(), "messages": [user("One."), model("1")]}, user("Two."), model("2")))
    records = records_of(written(session))
    assert [record.get("id") for record in records] == [None, "u-One.", "g-1", "u-Two.", "g-2"]
    assert "messages" not in records[0]


def test_damage_is_not_copied() -> None:
    data = b"\xef\xbb\xbf" + lines(header(), user("Hi.")).replace(b"\n", b"\r\n")
    data += json.dumps(model("Hello.")).encode() + json.dumps(user("On.")).encode() + b'\n{"id":"torn'
    session = read(data)
    plan = planned(session)
    new = b"".join(plan.pieces())
    assert new.count(b"\n") == 4 and b"\r" not in new and not new.startswith(b"\xef")
    assert texts(read(new)) == ["Hi.", "Hello.", "On."]
    assert {"bom", "crlf", "torn-tail"} <= {notice.word for notice in plan.repairs}


def test_half_a_sign_does_not_reach_the_provider() -> None:
    session = read(
        lines(header()) + b'{"id":"u","type":"user","content":[{"text":"\\ud83d x"}],"timestamp":""}\n'
    )
    new = written(session)
    assert b"\\ud83d" not in new
    assert texts(read(new)) == ["\ufffd x"]


def test_numbers_of_records_add_up() -> None:
    session = log(user("One."), model("1", call("a", LONG)), copy(answer("a", LONG)), model("2"))
    plan = planned(session, cleared(session, "a"))
    assert (plan.kept, plan.changed, plan.added, plan.dropped) == (3, 1, 0, 1)


def test_names_and_commands() -> None:
    old = PurePath("/h/chats/session-2026-01-02T03-04-5e550000.jsonl")
    assert FORMAT.new_name(old, NEW_ID) == "session-2026-01-02T03-04-0ddba11a.jsonl"
    assert FORMAT.new_name(old.with_suffix(".json"), NEW_ID) == "session-2026-01-02T03-04-0ddba11a.json"
    named = FORMAT.new_name(PurePath("copy.jsonl"), NEW_ID)
    assert re.fullmatch(r"session-\d{4}-\d\d-\d\dT\d\d-\d\d-0ddba11a\.jsonl", named)
    assert FORMAT.resume_command(NEW_ID) == f"gemini --resume {NEW_ID}"
    assert FORMAT.side_folder(old) == PurePath("/h/chats/session-2026-01-02T03-04-5e550000")


def test_a_copy_of_a_message_with_the_same_words_is_no_edit() -> None:
    session = log(user("Hi."), model("", call("a", "ok")), model("Done."))
    same = edited(session, lambda b: with_text(b, "ok") if isinstance(b, ToolResult) else b)
    assert request(read(written(session, same))) == request(session)
