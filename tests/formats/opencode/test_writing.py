"""A new opencode session has new ids throughout, and says nothing else but what was asked for."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import Any

import pytest
from msgspec.structs import replace

from app.model import (
    Author,
    Block,
    Held,
    HeldValue,
    Image,
    Message,
    Role,
    SendStatus,
    Session,
    Text,
    ToolResult,
    ToolUse,
)
from tests.formats.opencode.records import (
    FORMAT,
    NEW_ID,
    OLD_ID,
    PICTURE,
    SAMPLES,
    assistant,
    cleared,
    compaction,
    document,
    edited,
    export,
    is_valid,
    made_summary,
    planned,
    read,
    reasoning,
    request,
    summary,
    texts,
    tool,
    user,
    value_of,
    written,
)

SAMPLE = SAMPLES / "opencode-compacted.json"
LONG = "a line of the log\n" * 40
THIRD = f"msg_{0x3000:012x}{2:014d}"


def talk() -> Session:
    return export(user("One."), assistant("1", tool("a", LONG)), user("Two."), assistant("2"))


def ids_of(value: Any) -> list[str]:
    return [m["info"]["id"] for m in value["messages"]] + [
        p["id"] for m in value["messages"] for p in m["parts"]
    ]


def test_unedited_in_place_every_byte_stays() -> None:
    data = SAMPLE.read_bytes()
    session = read(data)
    assert written(session, session_id=None) == data


def test_a_new_session_has_new_ids_of_the_same_length_and_order_and_else_the_same_bytes() -> None:
    data = SAMPLE.read_bytes()
    session = read(data)
    new = written(session)
    old_ids, new_ids = ids_of(value_of(data)), ids_of(value_of(new))
    assert not set(old_ids) & set(new_ids)
    assert [len(ident) for ident in old_ids] == [len(ident) for ident in new_ids]
    order = sorted(range(len(old_ids)), key=old_ids.__getitem__)
    assert order == sorted(range(len(new_ids)), key=new_ids.__getitem__)
    back = new.replace(NEW_ID.encode(), str(session.session_id).encode())
    for old, other in zip(old_ids, new_ids, strict=True):
        back = back.replace(other.encode(), old.encode())
    assert back == data
    assert request(read(new)) == request(session)
    assert written(session) == new, "the same each time"


def test_an_id_that_the_person_wrote_stays() -> None:
    session = export(user(f'see "{THIRD}"'), assistant(f"{THIRD}?"), user("On."))
    data = written(session)
    assert texts(read(data))[:2] == [f'see "{THIRD}"', f"{THIRD}?"]


def test_of_a_cleared_result_no_copy_is_left() -> None:
    file = {"type": "file", "mime": "image/png", "url": PICTURE}
    session = export(user("Read."), assistant(tool("a", LONG, attachments=[file]), tool("b", "kept")))
    data = written(session, cleared(session, "a"))
    part = value_of(data)["messages"][1]["parts"][1]
    assert b"a line of the log" not in data and PICTURE.encode() not in data
    assert part["state"]["output"] == "[cleared]" and part["state"]["metadata"]["exit"] == 0
    assert is_valid(read(data))


def test_a_hidden_result_that_is_cleared_is_hidden_no_more() -> None:
    session = export(user("Read."), assistant(tool("a", LONG, time={"start": 1, "end": 2, "compacted": 3})))
    state = value_of(written(session, cleared(session, "a")))["messages"][1]["parts"][1]["state"]
    assert (state["output"], state["time"]) == ("[cleared]", {"start": 1, "end": 2})


def test_a_changed_value_alone_is_spliced() -> None:
    data = json.dumps(document(user("Read."), assistant(tool("a", "old text"))), indent=2)
    data = data.replace('"cost": 0', '"cost": 0.00')
    session = read(data.encode())
    new = written(session, cleared(session, "a"), session_id=None)
    assert new.decode() == data.replace("old text", "[cleared]")


def test_a_dropped_pair_leaves_the_rest_of_its_message() -> None:
    session = export(user("Read."), assistant("Both.", tool("a", "text of a"), tool("b", "text of b")))
    left = edited(session, lambda b: None if getattr(b, "id", getattr(b, "tool_use_id", "")) == "a" else b)
    data = written(session, left)
    assert b"text of a" not in data
    assert [part["type"] for part in value_of(data)["messages"][1]["parts"]] == [
        "step-start", "text", "tool", "step-finish",
    ]  # fmt: skip
    assert request(read(data)) == request(session, left)


def test_an_answer_to_a_message_that_went_is_given_another_parent() -> None:
    session = export(user("One."), assistant("1"), user("Two."), assistant("2"), assistant("3"))
    left = tuple(message for message in session.live if message.key != THIRD)
    infos = [message["info"] for message in value_of(written(session, left))["messages"]]
    assert {info["parentID"] for info in infos[1:]} == {infos[0]["id"]}


def test_a_boundary_is_a_question_and_a_summary_in_front_of_what_is_kept() -> None:
    session = talk()
    first, boundary = made_summary()
    messages = (first, *session.live[3:])
    data = written(session, messages, boundary=boundary, context_tokens=55, title="Short")
    value, again = value_of(data), read(data)
    assert request(again) == request(session, messages)
    kinds = [[part["type"] for part in message["parts"]] for message in value["messages"]]
    assert kinds[2:4] == [["compaction"], ["text"]]
    question, told = (message["info"] for message in value["messages"][2:4])
    assert (told["summary"], told["parentID"], told["mode"]) == (True, question["id"], "compaction")
    order = [(message["info"]["time"]["created"], message["info"]["id"]) for message in value["messages"]]
    assert order == sorted(order)
    found = again.boundaries[0]
    assert (found.trigger, found.strategy, found.removed, found.tokens_before) == ("auto", "full", 4, 900)
    assert (again.title, again.last_usage and again.last_usage.context) == ("Short", 55)
    assert [m.standing for m in again.messages[:2]] == [SendStatus.BEFORE_BOUNDARY] * 2


def test_without_the_old_part_the_question_stands_first() -> None:
    session = talk()
    first, boundary = made_summary()
    data = written(session, (first, *session.live[3:]), boundary=boundary, drop_old=True)
    assert b"One." not in data
    assert texts(read(data)) == ["What did we do so far?", "What was done.", "Two.", "2"]


def test_a_first_prompt_that_is_kept_stands_behind_the_summary() -> None:
    session = talk()
    first, boundary = made_summary()
    messages = (session.live[0], first, *session.live[3:])
    again = read(written(session, messages, boundary=boundary))
    assert texts(again) == ["What did we do so far?", "What was done.", "One.", "Two.", "2"]
    assert request(again) == request(session, messages)


def test_an_earlier_compaction_behind_a_new_one_hides_nothing_more() -> None:
    session = export(
        user("Old."), assistant("1"), compaction(), summary("Before."), user("Two."), assistant("2")
    )
    first, boundary = made_summary("Now.")
    messages = (first, *session.live[:2], *session.live[3:])
    again = read(written(session, messages, boundary=boundary))
    assert texts(again) == [
        "What did we do so far?", "Now.", "What did we do so far?", "Before.", "2",
    ]  # fmt: skip


def test_a_compaction_whose_summary_went_takes_what_it_hid_along() -> None:
    session = export(
        user("Old."), assistant("1"), compaction(), summary("Before."), user("Two."), assistant("2")
    )
    again = read(written(session, session.live[2:]))
    assert texts(again) == ["Two.", "2"]


def test_a_compaction_whose_question_says_something_else_takes_what_it_hid_along() -> None:
    session = export(
        user("Old."), assistant("1"), compaction(), summary("Before."), user("Two."), assistant("2")
    )
    question, asked = session.live[0], session.live[0].blocks[0]
    assert isinstance(asked, Text)
    other = replace(question, blocks=(replace(asked, content=Held("And so far?")),))
    messages = (other, *session.live[1:])
    again = read(written(session, messages))
    assert texts(again) == ["And so far?", "Before.", "Two.", "2"]
    assert request(again) == request(session, messages)


def test_a_tail_that_lost_its_first_message_begins_with_the_next() -> None:
    session = export(
        user("Old."), assistant("1"), user("Kept."), assistant("2"),
        compaction(tail_start_id=THIRD), summary("All of it."), user("New."),
    )  # fmt: skip
    left = tuple(message for message in session.live if message.key != THIRD)
    again = read(written(session, left))
    assert texts(again) == ["What did we do so far?", "All of it.", "2", "New."]
    none = tuple(message for message in left if message.records != (3,))
    assert texts(read(written(session, none))) == ["What did we do so far?", "All of it.", "New."]


def test_a_marker_is_known_when_it_is_read_again() -> None:
    session = talk()
    marker = Message("m", Role.USER, (Text("m:0", Held("[snipped 2 messages]"), Author.MARKER),))
    messages = (session.live[0], marker, *session.live[3:])
    again = read(written(session, messages))
    assert request(again) == request(session, messages)
    assert again.live[1].blocks[0].author is Author.MARKER  # type: ignore[union-attr]
    assert not again.boundaries[0].hides


def test_words_behind_a_call_of_the_same_step_move_in_front_of_it() -> None:
    said = assistant("I look.", tool("a", LONG), "So it", tool("b", LONG), "is.")
    session = export(user("Go on."), said, user("Thanks."))
    assert not is_valid(session)
    plan = planned(session)
    assert [notice.word for notice in plan.repairs] == ["block-order"]
    out = b"".join(plan.pieces())
    back = read(out)
    assert is_valid(back) and texts(back) == ["Go on.", "I look.", "So it", "is.", "Thanks."]
    (parts,) = (message["parts"] for message in value_of(out)["messages"][1:2])
    assert [part["type"] for part in parts] == [
        "step-start", "text", "text", "text", "tool", "tool", "step-finish",
    ]  # fmt: skip
    idents = [part["id"] for part in parts]
    assert idents == sorted(set(idents)), "the client orders parts by their ids"
    assert [part["state"]["output"] for part in parts if part["type"] == "tool"] == [LONG, LONG]


def test_a_session_that_would_begin_with_the_model_is_mended() -> None:
    session = talk()
    plan = planned(session, session.live[1:])
    assert is_valid(read(b"".join(plan.pieces())))
    assert [notice.word for notice in plan.repairs] == ["first-role"]


def test_a_call_that_lost_its_result_says_so() -> None:
    session = export(user("Read."), assistant(tool("a", LONG)), user("On."))
    left = edited(session, lambda block: None if isinstance(block, ToolResult) else block)
    data = written(session, left)
    assert value_of(data)["messages"][1]["parts"][1]["state"]["status"] == "error"
    assert b"a line of the log" not in data
    assert is_valid(read(data))


def test_a_result_that_lost_its_call_becomes_words() -> None:
    session = export(user("Read."), assistant("Yes.", tool("a", "the only copy")), user("On."))
    left = edited(session, lambda block: None if isinstance(block, ToolUse) else block)
    again = read(written(session, left))
    assert any("the only copy" in text for text in texts(again))
    assert is_valid(again)


def test_a_shortened_argument_and_a_picture_that_became_words_are_written() -> None:
    file = {"type": "file", "mime": "image/png", "url": PICTURE}
    session = export(user("Look.", file), assistant(tool("a")))

    def change(block: Block) -> Block:
        if isinstance(block, ToolUse):
            return replace(block, input=HeldValue({"filePath": "/x"}))
        if isinstance(block, Image):
            return Text(block.key, Held("[Image]"), Author.INJECTED, block.place)
        return block

    left = edited(session, change)
    again = read(written(session, left))
    assert request(again) == request(session, left)


def test_a_picture_of_a_result_that_became_words_is_a_line_of_its_output() -> None:
    picture = {"type": "file", "mime": "image/png", "url": PICTURE}
    session = export(user("Look."), assistant(tool("a", "Read.", attachments=[picture])), user("On."))

    def change(block: Block) -> Block:
        if not isinstance(block, ToolResult):
            return block
        words = [
            Text(part.key, Held("[Image]"), Author.INJECTED, part.place) if isinstance(part, Image) else part
            for part in block.parts
        ]
        return replace(block, parts=tuple(words))

    left = edited(session, change)
    again = read(written(session, left))
    assert request(again) == request(session, left)
    parts = value_of(written(session, left))["messages"][1]["parts"]
    assert [part["state"]["output"] for part in parts if part["type"] == "tool"] == ["Read.\n[Image]"]


@pytest.mark.parametrize(
    "metadata", [{"anthropic": {"signature": "c2VhbA=="}}, {"openai": {"itemId": "rs_1"}}, {}]
)
def test_thinking_stays_with_its_message_or_goes_whole(metadata: Any) -> None:
    session = export(
        user("Hi."), assistant(reasoning("Hm.", **metadata)), assistant(reasoning("Ah.", **metadata), "Yes.")
    )
    parts = [part for message in value_of(written(session))["messages"] for part in message["parts"]]
    assert [part["text"] for part in parts if part["type"] == "reasoning"] == ["Hm.", "Ah."]
    left = edited(session, lambda block: None if block.kind == "thinking" else block)
    assert b'"reasoning", ' not in written(session, left)
    assert texts(read(written(session, left))) == ["Hi.", "Yes."]


def test_the_newest_usage_says_how_big_the_context_is() -> None:
    session = export(user("One."), assistant("1", tokens=90_000), user("Two."), assistant("2", tokens=95_000))
    infos = [m["info"] for m in value_of(written(session, context_tokens=1234))["messages"]]
    assert infos[3]["tokens"] == {
        "total": 1241, "input": 1234, "output": 5, "reasoning": 2, "cache": {"read": 0, "write": 0},
    }  # fmt: skip
    assert infos[1]["tokens"]["total"] == 90_007


def test_damage_is_not_copied() -> None:
    data = b"\xef\xbb\xbf" + json.dumps(document(user("Hi."), assistant("Hello."), user("On."))).encode()
    session = read(data[: data.index(b"On.")])
    plan = planned(session)
    assert texts(read(b"".join(plan.pieces()))) == ["Hi.", "Hello."]
    json.loads(b"".join(plan.pieces()))
    assert {"bom", "torn-tail"} <= {notice.word for notice in plan.repairs}


def test_names_and_commands() -> None:
    assert FORMAT.new_name(PurePath("/x/talk.json"), NEW_ID) == f"{NEW_ID}.json"
    assert FORMAT.new_name(PurePath("/x/talk.json"), None) == "talk.json"
    assert FORMAT.resume_command(NEW_ID) == f"opencode import {NEW_ID}.json && opencode --session {NEW_ID}"
    assert OLD_ID.encode() not in written(talk())
