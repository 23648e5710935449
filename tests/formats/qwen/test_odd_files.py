"""Files that are sound line by line and odd as a whole: what they were found to break once."""

from __future__ import annotations

from msgspec.structs import replace

from app.validity import check, errors
from tests.formats.claude_code.records import said, uuid
from tests.formats.edits import cleared, compaction, rows, written
from tests.formats.qwen.records import (
    FORMAT,
    NEW_ID,
    answer,
    by_uuid,
    call,
    compressed,
    content,
    lines,
    model,
    parents,
    read,
    read_bytes,
    record,
    request,
    result,
    rewrite,
    system,
    user,
)


def test_the_message_goes_on_of_which_the_last_record_is_more() -> None:
    records = (user(1, None, "Ask."), model(2, 1, "Yes."), user(3, 2, "Later."), model(2, 1, "More."))
    session = read(*records)
    assert said(session.live) == [["Ask."], ["Yes.", "More."]]
    assert written(rewrite(session)) == lines(*records)
    out = written(rewrite(session, session_id=NEW_ID))
    assert said(read_bytes(out).live) == said(session.live)


def test_a_message_in_several_records_stays_in_order_when_it_is_moved_to_the_end() -> None:
    records = (user(1, None, "Ask."), model(2, 1, "Yes."), model(2, 1, "More."), user(3, 1, "Later."))
    session = read(*records, leaf=2)
    out = written(rewrite(session, session_id=NEW_ID))
    assert said(read_bytes(out).live) == [["Ask."], ["Yes.", "More."]]


def test_every_role_that_is_set_right_is_told() -> None:
    odd = record(3, 2, "user", message={"role": "me", "parts": [{"text": "There"}]})
    session = read(user(1, None, "Hi"), user(2, 1, "Again"), odd)
    rewriting = rewrite(session, session_id=NEW_ID)
    assert [(notice.word, notice.line) for notice in rewriting.repairs] == [("bad-role", 3)]
    assert by_uuid(written(rewriting))[uuid(3)]["message"]["role"] == "user"


def test_a_broken_reply_takes_no_other_with_it() -> None:
    session = read(
        user(1, None, "Ask."),
        model(2, 1, "Yes."),
        user(3, 2, "And?"),
        model(4, 3),
        user(5, 4, "Well?"),
        model(6, 5, "Done."),
        user(7, 6, "Go."),
    )
    messages = (*session.live[:2], session.live[-1])
    assert said(messages) == [["Ask."], ["Yes."], ["Go."]]
    out = written(rewrite(session, messages, session_id=NEW_ID))
    assert request(read_bytes(out)) == request(session, messages)
    assert parents(out)[uuid(7)] == uuid(2)
    assert uuid(4) in by_uuid(out)


def test_a_broken_reply_behind_a_compression_takes_nothing_of_it() -> None:
    session = read(
        user(1, None, "Ask."),
        compressed(2, 1, content("user", "Story."), content("model", "Got it.")),
        user(3, 2, "And?"),
        model(4, 3),
        user(5, 4, "Go."),
    )
    messages = (*session.live[:2], replace(session.live[2], blocks=session.live[2].blocks[1:]))
    out = written(rewrite(session, messages, session_id=NEW_ID))
    assert request(read_bytes(out)) == request(session, messages)


def test_what_is_made_stands_before_the_first_record_of_a_message() -> None:
    session = read(model(1, None, "One."), model(1, None, "Two.", call("a")), result(2, 1, answer("a", "x")))
    reply = session.live[0]
    less = (replace(reply, blocks=reply.blocks[1:]), *session.live[1:])
    rewriting = rewrite(session, less, session_id=NEW_ID)
    assert [notice.word for notice in rewriting.repairs] == ["first-role"]
    again = read_bytes(written(rewriting))
    assert errors(check("gemini", FORMAT.request(again, again.live))) == []
    assert [row["type"] for row in rows(written(rewriting))] == [
        "user",
        "assistant",
        "assistant",
        "tool_result",
    ]


def test_more_of_a_message_may_name_any_parent() -> None:
    records = (user(1, None, "Ask."), model(2, 1, "Yes."), model(2, 99, "More."), user(3, 2, "Go."))
    session = read(*records)
    assert (session.notices, written(rewrite(session))) == ((), lines(*records))


def test_a_reply_in_several_records_is_one_content_of_a_compression() -> None:
    session = read(
        user(1, None, "Ask."),
        model(2, 1, "One."),
        model(2, 1, "Two."),
        user(3, 2, "Go."),
        model(4, 3, "Done."),
    )
    mark, story = compaction()
    messages = (story, *session.live[:2], session.live[-1])
    out = written(rewrite(session, messages, boundary=mark, session_id=NEW_ID))
    assert request(read_bytes(out)) == request(session, messages)


def test_a_compression_hides_a_message_whose_first_record_says_nothing() -> None:
    session = read(
        user(1, None, "Ask."),
        model(2, 1),
        model(2, 1, call("a")),
        result(3, 2, answer("a", "x")),
        model(4, 3, "Done."),
    )
    mark, story = compaction()
    messages = (story, session.live[0], session.live[-1])
    out = written(rewrite(session, messages, boundary=mark, session_id=NEW_ID))
    assert request(read_bytes(out)) == request(session, messages)


def test_replies_that_follow_each_other_in_a_compression_stay_two() -> None:
    session = read(
        user(1, None, "Ask."),
        compressed(2, 1, content("user", "Story."), content("model", "One."), content("model", "Two.")),
        user(3, 2, "Go."),
    )
    assert [role for role, _ in request(session)] == ["user", "model", "model", "user"]


def test_made_records_say_the_session_where_their_neighbour_does_not() -> None:
    nameless = user(2, 1, "There")
    del nameless["sessionId"]
    out = written(rewrite(read(user(1, None, "Hi"), nameless), title="T", session_id=NEW_ID))
    assert [row.get("sessionId") for row in rows(out)] == [NEW_ID, None, NEW_ID]


def test_a_command_in_two_records_is_words() -> None:
    ran = system(3, 2, "slash_command", phase="result", rawCommand="/x", outputHistoryItems=[])
    session = read(user(1, None, "Hi"), user(2, 1, "/x"), user(2, 1, "/x"), ran, user(4, 3, "Go."))
    assert said(session.live) == [["Hi", "/x", "/x", "Go."]]
    out = written(rewrite(session, cleared(session.live), session_id=NEW_ID))
    assert request(read_bytes(out)) == request(session)
