"""Exports: what is written, what keeps its bytes, and that it reads back as it was planned."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import Any

import pytest
from msgspec.structs import replace

from app.model import Author, Held, Message, Role, Text, Thinking, ToolUse
from tests.formats.codex.records import (
    FORMAT,
    NEW_ID,
    OLD_ID,
    Value,
    assistant,
    broken,
    call,
    compacted,
    counted,
    event,
    item,
    lines,
    marker,
    meta,
    output,
    read,
    read_bytes,
    read_sample,
    reasoning,
    request,
    rewrite,
    rolled_back,
    said,
    summary,
    texts,
    turn,
    user,
)
from tests.formats.edits import changed, cleared, rows, written
from tests.formats.edits import without_pair as without

REAL = ["codex-three-turns.jsonl", "codex-compacted.jsonl"]


def talk() -> list[Value]:
    return [
        turn(),
        user("Go"),
        reasoning("Hm.", id="rs_1"),
        call("a", cmd="one"),
        call("b", cmd="two"),
        output("a", "1" * 50),
        output("b", "2" * 50),
        counted(100),
        assistant("Ok"),
        counted(200, total=300),
        event("task_complete"),
    ]


def planned(session: Any, messages: tuple[Message, ...], **options: Any) -> bytes:
    """The new file, which must read back as what was planned."""
    rewriting = rewrite(session, messages, **options)
    data = written(rewriting)
    again = read_bytes(data)
    assert request(again) == request(session, messages)
    assert rewriting.repairs == () and broken(again) == []
    assert len(rows(data)) == rewriting.kept + rewriting.changed + rewriting.added
    return data


@pytest.mark.parametrize("name", REAL)
def test_nothing_changed_is_the_same_file(name: str) -> None:
    session = read_sample(name)
    rewriting = rewrite(session)
    source = session.records.source  # type: ignore[attr-defined]
    assert written(rewriting) == source.read(0, source.size)
    assert (rewriting.changed, rewriting.added, rewriting.dropped) == (0, 0, 0)


@pytest.mark.parametrize("name", REAL)
def test_a_new_id_changes_only_its_value(name: str) -> None:
    session = read_sample(name)
    old = [session.records.raw(number) for number in range(len(session.records))]
    new = written(rewrite(session, session_id=NEW_ID)).splitlines()
    assert new[1:] == old[1:]
    known = (session.session_id or "").encode()
    assert new[0] == old[0].replace(b'id":"' + known, b'id":"' + NEW_ID.encode())
    assert read_bytes(b"\n".join(new)).session_id == NEW_ID


def test_only_the_sessions_own_id_is_a_new_one() -> None:
    parent = meta(
        id="5e550000-0000-4000-8000-00000000000b", session_id="5e550000-0000-4000-8000-00000000000b"
    )
    data = lines(meta(session_id=OLD_ID), parent, meta(session_id="root"), user("Hi"))
    new = rows(written(rewrite(read_bytes(data), session_id=NEW_ID)))
    assert [row["payload"]["id"] for row in new[:3]] == [NEW_ID, parent["payload"]["id"], NEW_ID]
    assert [row["payload"]["session_id"] for row in new[:3]] == [NEW_ID, parent["payload"]["id"], "root"]


def test_the_file_is_named_by_the_id() -> None:
    old = PurePath(f"/x/rollout-2026-11-30T08-18-08-{OLD_ID}.jsonl")
    assert FORMAT.new_name(old, NEW_ID) == f"rollout-2026-11-30T08-18-08-{NEW_ID}.jsonl"
    assert FORMAT.new_name(old, None) == old.name
    made = FORMAT.new_name(PurePath("copy.jsonl"), NEW_ID)
    assert made.startswith("rollout-20") and made.endswith(f"-{NEW_ID}.jsonl")
    assert FORMAT.resume_command(NEW_ID) == f"codex resume {NEW_ID}"


def test_a_cleared_output_is_cleared_in_every_copy() -> None:
    long = "row\n" * 5000
    ran = {"type": "CommandExecution", "id": "a", "aggregated_output": long, "exit_code": 0}
    session = read(
        user("Log."), call("a"), call("b"), event("item_completed", item=ran),
        event("exec_command_end", call_id="b", stdout=long, stderr="", aggregated_output=long, exit_code=0),
        output("a", "Output:\n" + long), output("b", "Output:\n" + long), assistant("Logged."),
    )  # fmt: skip
    data = planned(session, cleared(session.live))
    events = [row["payload"] for row in rows(data) if row["type"] == "event_msg"]
    assert events[0]["item"] == {
        "type": "CommandExecution", "id": "a", "aggregated_output": "[cleared]", "exit_code": 0,
    }  # fmt: skip
    assert (events[1]["aggregated_output"], events[1]["stdout"], events[1]["exit_code"]) == (
        "[cleared]",
        "",
        0,
    )
    assert len(data) < 2000


def test_copies_can_be_emptied_though_nothing_changed() -> None:
    long = "row\n" * 500
    session = read(
        user("Log."), call("a"), call("b"), call("c"),
        event("exec_command_end", call_id="a", aggregated_output=long, exit_code=0),
        event("exec_command_end", call_id="b", aggregated_output="short"),
        event("item_completed", item={"type": "Reasoning", "id": "c", "summary_text": [long]}),
        output("a", long), output("b"), output("c"), assistant("Logged."),
    )  # fmt: skip
    rewriting = rewrite(session, slim=True)
    events = [row["payload"] for row in rows(written(rewriting)) if row["type"] == "event_msg"]
    assert [e.get("aggregated_output") for e in events] == ["", "short", None]
    assert (rewriting.changed, rewriting.kept) == (1, 11)
    both = rows(written(rewrite(session, cleared(session.live), slim=True)))
    assert both[5]["payload"]["aggregated_output"] == "[cleared]"


def test_what_a_tool_of_a_server_gave_is_cleared_in_its_form() -> None:
    given = {"Ok": {"content": [{"type": "text", "text": "x" * 900}], "isError": False}}
    session = read(
        user("Ask."), call("a"),
        event("mcp_tool_call_end", call_id="a", invocation={"tool": "t"}, result=given),
        output("a", "x" * 900), assistant("Asked."),
    )  # fmt: skip
    row = next(row for row in rows(planned(session, cleared(session.live))) if row["type"] == "event_msg")
    assert row["payload"]["result"]["Ok"]["content"] == [{"type": "text", "text": "[cleared]"}]
    assert row["payload"]["invocation"] == {"tool": "t"}


@pytest.mark.parametrize(
    "content",
    [
        "plain",
        [{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}],
        [{"type": "input_image", "image_url": "data:image/png;base64,AAAA"}],
        {"content": "old form", "success": True},
    ],
)
def test_outputs_of_every_form_can_be_cleared(content: Any) -> None:
    session = read(user("Go"), call("a"), output("a", content, id="fco_1"), assistant("Ok"))
    row = rows(planned(session, cleared(session.live)))[3]
    wanted = {**content, "content": "[cleared]"} if isinstance(content, dict) else "[cleared]"
    assert row["payload"] == {"type": "function_call_output", "call_id": "a", "output": wanted, "id": "fco_1"}


def test_one_part_of_an_output_can_change_or_go() -> None:
    parts: list[Value] = [
        {"type": "input_text", "text": "a", "x": 1},
        {"type": "input_image", "image_url": "data:image/png;base64,AA"},
    ]
    session = read(user("Go"), call("a"), output("a", parts), assistant("Ok"))
    result: Any = session.live[2].blocks[0]
    new = replace(result, parts=(replace(result.parts[0], content=Held("b")), result.parts[1]))
    data = planned(session, changed(session.live, lambda b: new if b is result else b))
    assert rows(data)[3]["payload"]["output"] == [{**parts[0], "text": "b"}, parts[1]]
    less = replace(result, parts=result.parts[:1])
    data = planned(session, changed(session.live, lambda b: less if b is result else b))
    assert rows(data)[3]["payload"]["output"] == parts[:1]


def test_bytes_around_a_change_stay() -> None:
    row = (
        '{ "timestamp":"2026-01-02T03:00:09.000Z" , "type":"response_item","n":1.10, "payload":{ "call_id":'
        '"a", "output" : "old \\u00e9", "type":"function_call_output","e":1E2 }, "metadata":{"z":[1,2 ]} }'
    )
    session = read(user("Go"), call("a"), row, assistant("Ok"))
    data = planned(session, cleared(session.live)).decode()
    assert row.replace('"old \\u00e9"', '"[cleared]"') in data


def test_a_dropped_pair_takes_its_events_along() -> None:
    shown = event("item_completed", item={"type": "CommandExecution", "id": "a", "aggregated_output": "1"})
    other = event("item_completed", item={"type": "CommandExecution", "id": "b", "aggregated_output": "2"})
    session = read(*talk()[:6], shown, other, *talk()[6:], ordinals=True)
    data = planned(session, without(session.live, "a"))
    assert b'"call_id":"a"' not in data and b'"id":"a"' not in data and b'"id":"b"' in data
    assert [row["ordinal"] for row in rows(data)] == list(range(len(rows(data))))


def test_reasoning_goes_whole() -> None:
    session = read_sample(REAL[0])
    data = planned(
        session, changed(session.live, lambda b: None if isinstance(b, Thinking) else b), session_id=NEW_ID
    )
    assert b"encrypted_content" not in data
    assert b'"type":"Reasoning"' not in data


def test_numbers_follow_each_other_and_all_else_stays() -> None:
    session = read(*talk(), ordinals=True)
    old = lines(meta(), *talk(), ordinals=True).splitlines()
    new = written(rewrite(session, without(session.live, "b"))).splitlines()
    assert new[:5] == old[:5]
    assert new[5] == old[6].replace(b'"ordinal":6', b'"ordinal":5')
    assert [row["ordinal"] for row in rows(b"\n".join(new))] == list(range(len(old) - 2))
    spaced = (
        '{"timestamp":"2026-01-02T03:00:09.000Z", "payload":{"type":"x"}, "ordinal" : 12 ,"type":"event_msg"}'
    )
    session = read(*talk(), spaced, ordinals=True)
    assert spaced.replace("12", "10").encode() in written(rewrite(session, without(session.live, "b")))


def test_a_summary_becomes_a_compaction_in_front_of_the_tail() -> None:
    session = read(*talk(), user("On"), call("c"), output("c"), assistant("Done"), ordinals=True)
    story = summary()
    data = planned(session, (story, *session.live[4:]), boundary=story.boundary, session_id=NEW_ID)
    made = rows(data)[12]
    assert made["type"] == "compacted" and rows(data)[13]["payload"]["content"][0]["text"] == "On"
    assert made["payload"]["message"] == "The story so far."
    assert [i["role"] for i in made["payload"]["replacement_history"]] == ["user"]
    assert rows(data)[11]["timestamp"] < made["timestamp"] < rows(data)[13]["timestamp"]
    again = read_bytes(data)
    assert [(b.trigger, b.strategy, b.removed, b.tokens_before) for b in again.boundaries] == [
        ("manual", "summarize", 3, 9000)
    ]
    assert [b.author for b in again.live[0].blocks if isinstance(b, Text)] == [Author.SUMMARY]
    # All that is hidden is still there, byte for byte but for its number.
    assert [row["type"] for row in rows(data)[:12]] == [row["type"] for row in rows(lines(meta(), *talk()))]


def test_the_first_request_can_stay_behind_a_summary() -> None:
    session = read(*talk(), user("On"), assistant("Done"))
    story = summary()
    data = planned(session, (story, session.live[0], *session.live[4:]), boundary=story.boundary)
    history = next(row for row in rows(data) if row["type"] == "compacted")["payload"]["replacement_history"]
    assert [i["content"][0]["text"] for i in history] == ["The story so far.", "Go"]
    assert data.count(b'"text":"Go"') == 2


def test_a_summary_of_everything_stands_at_the_end() -> None:
    session = read(*talk(), ordinals=True)
    story = summary()
    data = planned(session, (story,), boundary=story.boundary)
    assert rows(data)[-1]["type"] == "compacted" and rows(data)[-1]["ordinal"] == 12


def test_a_second_summary_stands_on_the_first() -> None:
    first = read(*talk(), user("On"), assistant("Done"))
    story = summary("One.")
    session = read_bytes(planned(first, (story, *first.live[4:]), boundary=story.boundary))
    story = summary("Two.")
    data = planned(session, (story, session.live[-1]), boundary=story.boundary)
    again = read_bytes(data)
    assert texts(again.live) == [["Two."], ["Done"]] and len(again.boundaries) == 2
    assert [b.strategy for b in again.boundaries] == ["summarize", "summarize"]


def test_what_is_taken_out_of_the_tail_is_not_left_above() -> None:
    session = read(
        *talk(), user("On"), call("c"), call("d"), output("c", "gone"), output("d"), assistant("Done")
    )
    story = summary()
    kept = without((story, *session.live[4:]), "c")
    data = planned(session, kept, boundary=story.boundary)
    assert b'"gone"' not in data


def test_the_old_part_can_be_left_out() -> None:
    session = read(*talk(), user("On"), assistant("Done"), counted(500, total=800), ordinals=True)
    story = summary()
    data = planned(
        session, (story, *session.live[4:]), boundary=story.boundary, drop_old=True, context_tokens=70
    )
    assert [row["type"] for row in rows(data)] == [
        "session_meta", "turn_context", "compacted", "response_item", "response_item", "event_msg",
    ]  # fmt: skip
    assert [row["ordinal"] for row in rows(data)] == list(range(6))


def test_a_file_of_old_histories_shrinks_to_the_last() -> None:
    first = compacted("Sum 1", user("Go"), user("Sum 1"))
    session = read(
        *talk(), first, assistant("2"), compacted("Sum 2", user("Go"), user("Sum 2")), assistant("3")
    )
    data = planned(session, session.live, drop_old=True)
    assert b"Sum 1" not in data and [row["type"] for row in rows(data)][2:] == ["compacted", "response_item"]
    bare = read(*talk(), compacted("Sum"), assistant("3"))
    data = planned(bare, bare.live, drop_old=True)
    assert [i["content"][0]["text"] for i in rows(data)[2]["payload"]["replacement_history"]] == ["Go", "Sum"]


def test_what_a_compaction_left_can_change_and_go() -> None:
    parts = [user("Go", id="m1"), user("Off", id="m2"), call("a"), output("a", "long" * 9), user("Sum")]
    extra = {"replacement_history_metadata": [{"n": n} for n in range(5)]}
    retained = {
        "retained_context": {
            "user_messages": [{"message_id": "m1"}, {"message_id": "m2"}],
            "incomplete": False,
        }
    }
    session = read(*talk(), compacted("Sum", *parts, **extra, **retained), assistant("3"))
    data = planned(session, tuple(m for m in cleared(session.live) if m.key != session.live[1].key))
    payload = next(row for row in rows(data) if row["type"] == "compacted")["payload"]
    assert [i.get("output", i.get("call_id", "")) for i in payload["replacement_history"]] == [
        "",
        "a",
        "[cleared]",
        "",
    ]
    assert payload["replacement_history_metadata"] == [{"n": 0}, {"n": 2}, {"n": 3}, {"n": 4}]
    assert payload["retained_context"] == {"user_messages": [{"message_id": "m1"}], "incomplete": False}
    assert payload["message"] == "Sum"
    gone = planned(session, session.live[:-2] + session.live[-1:])
    assert next(row for row in rows(gone) if row["type"] == "compacted")["payload"]["message"] == ""


def test_a_bare_summary_can_be_written_anew() -> None:
    session = read(*talk(), compacted("Sum"), assistant("3"))
    block = session.live[1].blocks[0]
    assert isinstance(block, Text)
    new = replace(block, content=Held("Better sum"))
    data = planned(session, changed(session.live, lambda b: new if b is block else b))
    payload = next(row for row in rows(data) if row["type"] == "compacted")["payload"]
    assert payload["message"] == "Better sum" and len(payload["replacement_history"]) == 2


def test_what_was_taken_back_stays_taken_back() -> None:
    history = compacted("Sum", user("One"), user("Two"), said("developer", "Note."))
    session = read(user("Zero"), history, user("Three"), rolled_back(2), user("Four"), assistant("4"))
    assert texts(session.live) == [["One"], ["Four"], ["4"]]
    data = planned(session, session.live[1:])
    assert texts(read_bytes(data).live) == [["Four"], ["4"]]
    story = summary()
    for drop_old in (False, True):
        data = planned(session, (story, session.live[2]), boundary=story.boundary, drop_old=drop_old)
        assert texts(read_bytes(data).live) == [["The story so far."], ["4"]]


def test_a_marker_is_the_developers_word_in_its_place() -> None:
    session = read(*talk(), user("On"), assistant("Done"), ordinals=True)
    data = planned(session, (session.live[0], marker(3), *session.live[4:]))
    made = rows(data)[3]
    assert made["payload"]["role"] == "developer"
    assert read_bytes(data).boundaries[0].removed == 3
    inside = read(*talk(), compacted("Sum", user("Go"), user("Off"), user("Sum")), assistant("3"))
    data = planned(inside, (inside.live[0], marker(1), *inside.live[2:]))
    history = next(row for row in rows(data) if row["type"] == "compacted")["payload"]["replacement_history"]
    assert [i["role"] for i in history] == ["user", "developer", "user"]


def test_texts_and_arguments_can_be_changed() -> None:
    patch = item("custom_tool_call", call_id="p", name="apply_patch", input="*** long")
    shell = item(
        "local_shell_call", call_id="s", status="completed", action={"type": "exec", "command": ["ls"]}
    )
    answers = item("custom_tool_call_output", call_id="p", output="Ok"), output("s")
    session = read(
        user("One", "two"), call("a", cmd="x" * 99), patch, shell, output("a"), *answers, assistant("Ok")
    )

    def shorter(block: Any) -> Any:
        if isinstance(block, ToolUse):
            return replace(block, input=Held('{"command":["no"]}'))
        return (
            replace(block, content=Held("2"))
            if isinstance(block, Text) and block.content.read() == "two"
            else block
        )

    new = [row["payload"] for row in rows(planned(session, changed(session.live, shorter)))]
    assert [part["text"] for part in new[1]["content"]] == ["One", "2"]
    assert (new[2]["arguments"], new[3]["input"]) == ('{"command":["no"]}', '{"command":["no"]}')
    assert new[4]["action"] == {"command": ["no"]}


def test_one_part_of_a_message_can_go_and_one_can_come() -> None:
    session = read(user("One", "two", "three"), assistant("Ok"))
    first, second, third = session.live[0].blocks
    data = planned(session, (replace(session.live[0], blocks=(first, third)), session.live[1]))
    assert [part["text"] for part in rows(data)[1]["payload"]["content"]] == ["One", "three"]
    made = Text("step/3/0", Held("new"), Author.USER)
    data = planned(session, (replace(session.live[0], blocks=(first, made, second, third)), session.live[1]))
    assert [part["text"] for part in rows(data)[1]["payload"]["content"]] == ["One", "new", "two", "three"]


def test_made_messages_are_written_in_their_place() -> None:
    session = read(user("One"), assistant("Ok"), ordinals=True)
    blocks = (
        Text("m/0", Held("I look."), Author.ASSISTANT),
        ToolUse("m/1", "x", "exec_command", Held('{"cmd":"ls"}')),
    )
    made = Message("m", Role.ASSISTANT, blocks)
    rewriting = rewrite(session, (session.live[0], made, session.live[1]))
    kinds = [row["payload"].get("type") for row in rows(written(rewriting))]
    assert kinds == [None, "message", "message", "function_call", "function_call_output", "message"]
    assert [notice.word for notice in rewriting.repairs] == ["open-call"]


def test_the_newest_count_says_how_big_the_context_is_now() -> None:
    session = read(*talk(), event("token_count", info=None))
    data = written(rewrite(session, cleared(session.live), context_tokens=70))
    counts = [row["payload"]["info"] for row in rows(data) if row["payload"].get("type") == "token_count"]
    assert counts[1]["last_token_usage"] == {
        "input_tokens": 70, "cached_input_tokens": 0, "output_tokens": 5, "total_tokens": 75,
    }  # fmt: skip
    assert counts[0]["last_token_usage"]["input_tokens"] == 100 and counts[2] is None
    again = read_bytes(data)
    assert again.last_usage is not None and again.last_usage.context == 70
    assert b'"input_tokens":1,' in written(rewrite(session, context_tokens=0))


def test_an_export_can_be_made_twice() -> None:
    session = read_sample(REAL[0])
    story = summary()
    rewriting = rewrite(session, (story, *session.live[9:]), boundary=story.boundary, session_id=NEW_ID)
    assert written(rewriting) == written(rewriting)
    assert json.loads(written(rewriting).splitlines()[0])["payload"]["id"] == NEW_ID
