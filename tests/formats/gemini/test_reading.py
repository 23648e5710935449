"""A log of patches is read as the client replays it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.model import Author, Image, Role, SendStatus, Text, Thinking, ToolResult, ToolUse
from tests.formats.gemini.records import (
    OLD_ID,
    SAMPLES,
    answer,
    began,
    call,
    copy,
    header,
    is_valid,
    lines,
    log,
    message,
    model,
    patch,
    read,
    request,
    rewind,
    texts,
    user,
    written,
)

PICTURE = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}


def test_the_last_record_of_an_id_wins_where_the_first_stood() -> None:
    session = log(model("Old", ident="g"), user("Then."), model("New", ident="g"))
    assert [each.key for each in session.live] == ["g", "u-Then."]
    assert texts(session) == ["New", "Then."]


def test_a_call_and_its_answer_are_two_messages_of_one_record() -> None:
    session = log(user("Read."), model("Yes.", call("a", "text of a"), call("b", answer("b", "no", "error"))))
    asked, said, answers = session.live
    assert (asked.role, said.role, answers.role) == (Role.USER, Role.ASSISTANT, Role.USER)
    assert [block.id for block in said.blocks if isinstance(block, ToolUse)] == ["a", "b"]
    assert [(b.tool_use_id, b.is_error) for b in answers.blocks if isinstance(b, ToolResult)] == [
        ("a", False),
        ("b", True),
    ]
    assert said.records == answers.records == (2,)
    assert said.blocks[1].path == "/w/a.py"  # type: ignore[union-attr]


def test_the_copy_of_an_answer_is_told_and_not_sent() -> None:
    session = log(user("Read."), model("", call("a", "text of a")), copy(answer("a", "text of a")))
    assert len(session.live) == 3
    assert is_valid(session)
    assert "result-twice" in {notice.word for notice in session.notices}


def test_an_answer_that_only_the_user_s_record_holds_is_sent() -> None:
    session = log(user("Read."), model("", call("a")), copy(answer("a", "text of a")))
    assert [each.key for each in session.live][2] == "copy"
    assert is_valid(session)


def test_of_the_answers_of_a_whole_batch_each_call_takes_its_own() -> None:
    batch = [answer("a", "text of a"), PICTURE, answer("b", "text of b")]
    session = log(user("Read."), model("", call("a", *batch), call("b", *batch)))
    first, second = (block for block in session.live[2].blocks if isinstance(block, ToolResult))
    assert [part.kind for part in first.parts] == ["text", "image"]
    assert [part.kind for part in second.parts] == ["text"]
    assert isinstance(first.parts[1], Image) and first.parts[1].media_type == "image/png"
    assert is_valid(session)


def test_calls_in_the_content_are_not_counted_twice() -> None:
    part = {"functionCall": {"id": "a", "name": "read_file", "args": {}}}
    session = log(user("Go."), model("", call("a", "ok"), ident="g", content=[{"text": "Yes."}, part]))
    assert [block.kind for block in session.live[1].blocks] == ["text", "tool_use"]
    assert request(session)[1] == {"role": "model", "parts": [{"text": "Yes."}, part]}


@pytest.mark.parametrize("result", ["bare text", [{"text": "bare text"}]])
def test_an_answer_of_an_older_form_is_sent_as_an_answer(result: object) -> None:
    session = log(user("Read."), model("", {**call("a"), "result": result}))
    assert request(session)[2]["parts"] == [answer("a", "bare text")]


def test_thoughts_are_shown_and_not_sent() -> None:
    thought = {"subject": "", "description": "Let me see.", "timestamp": "x"}
    session = log(user("Hi."), model("Hello.", thoughts=[thought]))
    shown = [m for m in session.messages if any(isinstance(b, Thinking) for b in m.blocks)]
    assert [each.standing for each in shown] == [SendStatus.NEVER_SENT]
    assert len(session.live) == 2


@pytest.mark.parametrize("text", ["/compress", "? help", "<session_context>x</session_context>", "  "])
def test_what_the_client_leaves_out_is_not_sent(text: str) -> None:
    session = log(user(text), user("Hi."), model("Hello."))
    assert [each.key for each in session.live] == ["u-Hi.", "g-Hello."]


def test_notes_to_the_person_are_not_sent() -> None:
    session = log(user("Hi."), message("i", "info", "Updated."), model("Hello."))
    assert [m.standing for m in session.messages if m.key == "i"] == [SendStatus.NEVER_SENT]


def test_files_that_the_client_put_into_a_prompt_are_not_the_person_s_words() -> None:
    parts = ["Look at @a.py", "\n--- Content from referenced files ---", "\nContent from @a.py:\n", "x = 1",
             "\n--- End of content ---", "and fix it"]  # fmt: skip
    session = log(message("u", "user", [{"text": part} for part in parts]), model("Done."))
    authors = [block.author for block in session.live[0].blocks if isinstance(block, Text)]
    assert authors == [Author.USER, *[Author.INJECTED] * 4, Author.USER]


def test_a_compression_hides_what_came_before_it() -> None:
    snapshot = user("<state_snapshot>all of it</state_snapshot>", "s")
    session = log(user("Old."), model("Done."), began(snapshot, model("Got it.")), user("New."))
    assert [each.key for each in session.live] == ["s", "g-Got it.", "u-New."]
    assert [m.standing for m in session.messages if m.key == "u-Old."] == [SendStatus.BEFORE_BOUNDARY]
    assert session.live[0].boundary is session.boundaries[0]
    assert session.live[0].blocks[0].author is Author.SUMMARY  # type: ignore[union-attr]


def test_a_summary_without_its_usual_words_is_known_by_the_thanks_behind_it() -> None:
    thanks = model("Got it. Thanks for the additional context!")
    session = log(user("Old."), model("Done."), began(user("All of it.", "s"), thanks))
    assert len(session.boundaries) == 1
    assert session.live[0].blocks[0].author is Author.SUMMARY  # type: ignore[union-attr]


def test_a_list_that_repeats_the_messages_is_no_compression() -> None:
    session = log(user("Hi.", "u"), model("Hello."), began(user("Hi.", "u"), model("Hello.")), user("On."))
    assert session.boundaries == ()
    assert texts(session) == ["Hi.", "Hello.", "On."]
    assert len(session.messages) == 3
    assert "superseded-history" in {notice.word for notice in log(began(user("Hi.", "u")),
                                    began(user("Hi.", "u"), model("Hello."))).notices}  # fmt: skip


def test_what_was_taken_back_is_shown_off_the_branch() -> None:
    session = log(user("One."), model("1"), user("Two."), model("2"), rewind("u-Two."), user("Three."))
    assert texts(session) == ["One.", "1", "Three."]
    gone = [each.key for each in session.messages if each.standing is SendStatus.OFF_BRANCH]
    assert gone == ["u-Two.", "g-2"]


def test_taking_back_to_a_message_that_is_not_there_takes_all() -> None:
    session = log(user("One."), model("1"), rewind("nobody"), user("Two."))
    assert texts(session) == ["Two."]


def test_what_is_told_of_the_session() -> None:
    session = log(
        user("Find it."), model("Found.", tokens=120), patch(summary="A search"), patch(kind="main")
    )
    assert (session.session_id, session.title, session.model) == (OLD_ID, "A search", "gemini-2.5-pro")
    assert session.last_usage is not None
    assert (session.last_usage.context, session.last_usage.output_tokens) == (120, 9)
    assert log(user("Find it."), model("x")).title == "Find it."


def test_the_older_document_is_read_like_a_log() -> None:
    messages = [user("Read."), model("Yes.", call("a", "text of a")), message("i", "info", "note")]
    document = json.dumps({**header(), "summary": "Old", "messages": messages}, indent=2).encode()
    session = read(document)
    assert texts(session)[:2] == ["Read.", "Yes."]
    assert session.facts.messages == 3
    assert (session.session_id, session.title) == (OLD_ID, "Old")
    assert is_valid(session)
    one_line = read(json.dumps({**header(), "messages": messages}).encode())
    assert texts(one_line) == texts(session)


@pytest.mark.parametrize(
    "tail",
    [
        b"",
        b'{"id":"torn","type":"us',
        b"\0\0\0\n",
        b'[1]\n"x"\n{}\n',
        b'{"$set":7}\n{"$set":{"messages":[3]}}\n',
    ],
)
def test_damage_is_told_and_raises_nothing(tail: bytes) -> None:
    data = lines(header(), user("Hi."), model("Hello.")) + tail
    session = read(data)
    assert session.facts.records >= 3


@pytest.mark.parametrize(
    "value", [{"type": 7}, {"content": 3}, {"content": [None, 7]}, {"toolCalls": [7, {}]}, {"tokens": []}]
)
def test_members_of_a_wrong_type_count_as_absent(value: dict[str, Any]) -> None:
    session = log(user("Hi."), {**model("x"), **value}, {**user("y"), **value}, model("End."))
    assert texts(session)[-1] == "End."
    assert is_valid(read(written(session)))


def test_the_samples_are_valid_but_for_their_copies() -> None:
    for path in sorted(SAMPLES.glob("gemini-cli-*.jsonl")):
        session = read(path.read_bytes())
        assert is_valid(session)
        assert len(session.boundaries) == ("compressed" in path.name)
