"""An opencode export is read as the client would send it after an import."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.model import Author, Image, SendStatus, Text, Thinking, ToolResult, ToolUse
from tests.formats.opencode.records import (
    OLD_ID,
    PICTURE,
    SAMPLES,
    assistant,
    compaction,
    document,
    export,
    failed,
    is_valid,
    read,
    reasoning,
    request,
    summary,
    texts,
    tool,
    user,
)

FIRST = f"msg_{0x1000:012x}{0:014d}"
THIRD = f"msg_{0x3000:012x}{2:014d}"


def test_a_part_with_a_tool_is_a_call_and_its_result() -> None:
    session = export(user("Read."), assistant("Yes.", tool("a", "text of a"), failed("b", "no such file")))
    asked, said, results = session.live
    assert [block.id for block in said.blocks if isinstance(block, ToolUse)] == ["a", "b"]
    first, second = (block for block in results.blocks if isinstance(block, ToolResult))
    assert (first.tool_use_id, first.is_error, second.is_error) == ("a", False, True)
    assert said.blocks[1].path == "/w/a"  # type: ignore[union-attr]
    assert asked.records != said.records == results.records
    assert is_valid(session)


def test_steps_of_one_message_are_messages_of_their_own() -> None:
    session = export(user("Go."), assistant("One.", tool("a"), {"type": "step-start"}, "Two.", tool("b")))
    assert [message.key.rpartition("/")[2] for message in session.live[2:]] == ["results", "1", "results"]
    assert is_valid(session)


def test_messages_and_parts_are_ordered_by_time_and_id() -> None:
    value = document(user("One."), assistant("1"), user("Two."), assistant("2", "3"))
    value["messages"].reverse()
    for message in value["messages"]:
        message["parts"].reverse()
    assert texts(read(value)) == ["One.", "1", "Two.", "2", "3"]


def test_a_second_message_of_an_id_is_passed_over() -> None:
    value = document(user("One."), assistant("1"))
    value["messages"].append(value["messages"][0])
    assert texts(read(value)) == ["One.", "1"]


def test_a_result_that_the_client_hid_is_not_sent() -> None:
    hidden = tool("a", "all of it", time={"start": 1, "end": 2, "compacted": 3})
    session = export(user("Read."), assistant(hidden), assistant("Done."))
    assert request(session)[2]["content"][0]["content"] == "[Old tool result content cleared]"


def test_a_call_without_a_result_is_told_and_sent_as_interrupted() -> None:
    running = tool("a", status="running")
    del running["state"]["output"]
    session = export(user("Read."), assistant(running))
    assert request(session)[2]["content"][0] == {
        "type": "tool_result", "tool_use_id": "a", "content": "[Tool execution was interrupted]",
        "is_error": True,
    }  # fmt: skip
    assert "open-call" in {notice.word for notice in session.notices}


def test_what_an_interrupted_call_gave_is_sent() -> None:
    cut = failed("a", "aborted")
    cut["state"]["metadata"] = {"interrupted": True, "output": "half of it"}
    session = export(user("Run."), assistant(cut))
    assert request(session)[2]["content"][0]["content"] == "half of it"


def test_pictures_are_read_where_they_are_attached() -> None:
    file = {"type": "file", "mime": "image/png", "url": PICTURE, "filename": "x.png"}
    session = export(
        user("Look.", file, {**file, "mime": "text/plain"}), assistant(tool("a", attachments=[file]))
    )
    assert isinstance(session.live[0].blocks[1], Image) and len(session.live[0].blocks) == 2
    result = session.live[2].blocks[0]
    assert isinstance(result, ToolResult) and [part.kind for part in result.parts] == ["text", "image"]
    assert request(session)[0]["content"][1]["source"]["media_type"] == "image/png"


def test_what_the_person_did_not_type_is_not_hers() -> None:
    made = {"type": "text", "text": "Called the Read tool", "synthetic": True}
    ignored = {"type": "text", "text": "for the screen", "ignored": True}
    session = export(user("Look at @a", made, ignored), assistant("Ok."))
    assert [block.author for block in session.live[0].blocks if isinstance(block, Text)] == [
        Author.USER,
        Author.INJECTED,
    ]
    assert "for the screen" not in texts(session)
    assert [m.standing for m in session.messages if m.key.endswith("/unsent")] == [SendStatus.NEVER_SENT]


def test_thinking_is_read_with_its_seal() -> None:
    session = export(user("Hi."), assistant(reasoning("Hm.", anthropic={"signature": "c2VhbA=="}), "Yes."))
    thought = session.live[1].blocks[0]
    assert isinstance(thought, Thinking) and (thought.content.read(), thought.signature_chars) == ("Hm.", 8)


@pytest.mark.parametrize(
    ("error", "sent"),
    [({"name": "APIError"}, False), ({"name": "MessageAbortedError"}, True), (None, True)],
)
def test_a_reply_that_failed_is_not_sent_unless_it_was_cut_off(error: Any, sent: bool) -> None:
    session = export(user("Hi."), assistant("Half of", error=error))
    assert ("Half of" in texts(session)) is sent


def test_a_compaction_hides_what_came_before_and_keeps_its_tail_behind_the_summary() -> None:
    session = export(
        user("Old."), assistant("1"), user("Kept."), assistant("2"),
        compaction(tail_start_id=THIRD), summary("All of it."), user("New."),
    )  # fmt: skip
    assert texts(session) == ["What did we do so far?", "All of it.", "Kept.", "2", "New."]
    assert [m.standing for m in session.messages[:2]] == [SendStatus.BEFORE_BOUNDARY] * 2
    boundary = session.boundaries[0]
    assert (boundary.trigger, boundary.hides) == ("auto", True)
    assert session.live[0].boundary is boundary
    assert session.live[1].blocks[0].author is Author.SUMMARY  # type: ignore[union-attr]


def test_a_compaction_without_a_summary_hides_nothing() -> None:
    failed_summary = summary("", error={"name": "APIError"}, finish=None)
    session = export(user("Old."), assistant("1"), compaction(), failed_summary, user("On."))
    assert texts(session)[0] == "Old."
    assert session.boundaries == ()


def test_what_was_taken_back_is_off_the_branch() -> None:
    session = export(user("One."), assistant("1"), user("Two."), assistant("2"), revert={"messageID": THIRD})
    assert texts(session) == ["One.", "1"]
    assert [m.standing for m in session.messages[2:]] == [SendStatus.OFF_BRANCH] * 2


def test_what_is_told_of_the_session() -> None:
    session = export(user("Hi."), assistant("Hello.", tokens=500), title="A talk")
    assert (session.session_id, session.title, session.model, session.cwd) == (OLD_ID, "A talk", "m", "/w")
    assert session.last_usage is not None
    assert (session.last_usage.context, session.last_usage.output_tokens) == (500, 7)
    assert session.messages[0].key == FIRST


@pytest.mark.parametrize(
    "change",
    [
        {"info": 7}, {"parts": None}, {"parts": [None, 7, {}]}, {"info": {"role": "narrator"}},
        {"parts": [{"type": "tool", "state": 7}, {"type": "file", "mime": {}}, {"type": "text", "text": 3}]},
    ],
)  # fmt: skip
def test_odd_messages_raise_nothing(change: dict[str, Any]) -> None:
    value = document(user("Hi."), assistant("Hello."), user("On."), assistant("End."))
    for at in (1, 2):
        value["messages"][at] = {**value["messages"][at], **change}
    session = read(value)
    assert texts(session)[0] == "Hi." and texts(session)[-1] == "End."


def test_a_torn_document_keeps_what_is_whole() -> None:
    data = json.dumps(document(user("Hi."), assistant("Hello."), user("On.")), indent=2).encode()
    session = read(data[: data.index(b"On.")])
    assert texts(session) == ["Hi.", "Hello."]
    assert "torn-tail" in {notice.word for notice in session.notices}


def test_the_sample_is_read_as_the_client_sends_it() -> None:
    session = read((SAMPLES / "opencode-compacted.json").read_bytes())
    assert [message["role"] for message in request(session)] == [
        "user", "assistant", "assistant", "user", "assistant",
    ]  # fmt: skip
    assert is_valid(session)
    assert (len(session.boundaries), session.facts.records) == (1, 23)
