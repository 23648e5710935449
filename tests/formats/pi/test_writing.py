"""Exports: what is written, what keeps its bytes, and that it reads back as it was planned."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from app.model import Author, Held, HeldValue, Message, Role, Text, ToolResult, ToolUse, text_of, with_text
from app.validity import check, errors
from tests.formats.claude_code.records import said as words
from tests.formats.edits import cleared, compaction, marker, rows, without_pair, written
from tests.formats.pi.records import (
    FORMAT,
    NEW_ID,
    OLD_ID,
    Value,
    assistant,
    by_id,
    call,
    compacted,
    edit,
    entry,
    header,
    ident,
    image,
    lines,
    read,
    read_bytes,
    read_sample,
    request,
    result,
    rewrite,
    said,
    text,
    thinking,
    user,
)


def two_pairs() -> list[Value]:
    return [
        entry(1, None, "model_change", provider="p", modelId="m"),
        user(2, 1, "Go"),
        assistant(3, 2, [thinking("Hm"), call("t1", path="/a"), call("t2", path="/b")]),
        result(4, 3, "t1", "one"),
        result(5, 4, "t2", "two"),
        assistant(6, 5, "Ok", tokens=(500, 7)),
    ]


def parents(data: bytes) -> dict[str, str | None]:
    return {key: row["parentId"] for key, row in by_id(data).items()}


def test_nothing_changed_is_the_same_file() -> None:
    session = read_sample()
    rewriting = rewrite(session)
    source = session.records.source  # type: ignore[attr-defined]
    assert written(rewriting) == source.read(0, source.size)
    assert (rewriting.changed, rewriting.added, rewriting.dropped) == (0, 0, 0)


def test_a_new_id_changes_only_its_value() -> None:
    session = read_sample()
    source = session.records.source  # type: ignore[attr-defined]
    known = (session.session_id or "").encode()
    old = source.read(0, source.size).replace(known, NEW_ID.encode(), 1)
    assert written(rewrite(session, session_id=NEW_ID)) == old
    spelled = '{ "type":"session", "cwd":"/\\u0061", "n":1.10, "x":{"id":"inner"},  "id" : "' + OLD_ID + '" }'
    session = read_bytes(f"{spelled}\n".encode() + lines(user(1, None, "Hi")))
    out = written(rewrite(session, session_id=NEW_ID))
    assert out.decode().splitlines()[0] == spelled.replace(OLD_ID, NEW_ID)


def test_a_title_is_given_as_the_agent_gives_it() -> None:
    session = read(*two_pairs())
    out = written(rewrite(session, session_id=NEW_ID, title="Half\n done"))
    last = rows(out)[-1]
    assert (last["type"], last["name"], last["parentId"]) == ("session_info", "Half done", ident(6))
    assert read_bytes(out).title == "Half done"


def test_a_cleared_result_is_cleared_in_its_details_too() -> None:
    old = "row\n" * 500
    details = {"truncation": {"content": old, "truncated": True}, "fullOutputPath": "/tmp/x"}
    session = read(
        user(1, None, "Log."),
        assistant(2, 1, [call("t1", "bash")]),
        result(3, 2, "t1", [text(old), image()], details=details, isError=False),
        assistant(4, 3, "Logged."),
    )
    rewriting = rewrite(session, cleared(session.live), session_id=NEW_ID)
    message = by_id(written(rewriting))[ident(3)]["message"]
    assert message["content"] == [text("[cleared]")]
    assert message["details"] == {
        "truncation": {"content": "[cleared]", "truncated": True},
        "fullOutputPath": "/tmp/x",
    }
    assert (rewriting.kept, rewriting.changed) == (4, 1)


def test_a_changed_entry_keeps_what_nobody_changed() -> None:
    row = (
        '{"type":"message","id":"' + ident(3) + '","parentId":"' + ident(2) + '","x":1.10,  "message":'
        '{"role":"toolResult","toolCallId":"t1","content":[{"type":"text","text":"long","y":1E2}],'
        '"isError":false}}'
    )
    session = read(user(1, None, "Hi"), assistant(2, 1, [call("t1")]), row, assistant(4, 3, "Ok"))
    out = written(rewrite(session, cleared(session.live), session_id=NEW_ID)).decode()
    assert row.replace('"long"', '"[cleared]"') in out


def test_in_place_cleared_results_are_entries_at_the_end() -> None:
    session = read(*two_pairs())
    before = session.records.source.read(0, 1 << 20)  # type: ignore[attr-defined]
    rewriting = rewrite(session, cleared(session.live, "[cleared]", "t1"))
    out = written(rewriting)
    assert out.startswith(before)
    (added,) = rows(out[len(before) :])
    assert added["type"] == "context_edit"
    assert (added["targetId"], added["parentId"]) == (ident(4), ident(6))
    assert added["replacement"] == {"content": [text("[cleared]")]}
    assert (rewriting.kept, rewriting.changed, rewriting.added) == (7, 0, 1)
    again = read_bytes(out)
    assert request(again) == request(session, cleared(session.live, "[cleared]", "t1"))
    # Once more: the newest edit counts.
    twice = written(rewrite(again, cleared(again.live, "[gone]")))
    assert [row["type"] for row in rows(twice)].count("context_edit") == 3
    assert [text_of(block) for block in read_bytes(twice).live[2].blocks] == ["[gone]", "[gone]"]


def test_in_place_a_file_without_a_final_line_end_gets_one() -> None:
    data = lines(header(), *two_pairs())[:-1]
    session = read_bytes(data)
    out = written(rewrite(session, cleared(session.live)))
    assert out.startswith(data + b"\n{")
    assert len(rows(out)) == 9


def test_in_place_everything_else_is_written_into_the_entries() -> None:
    session = read(*two_pairs())
    out = written(rewrite(session, without_pair(cleared(session.live), "t2")))
    assert "context_edit" not in [row["type"] for row in rows(out)]
    assert by_id(out)[ident(4)]["message"]["content"] == [text("[cleared]")]


def test_in_a_new_file_an_edited_message_is_changed_where_its_content_lies() -> None:
    session = read(*two_pairs(), edit(7, 6, 4, "edited"), user(8, 7, "More."))
    out = written(rewrite(session, cleared(session.live, "[cleared]", "t1"), session_id=NEW_ID))
    assert by_id(out)[ident(7)]["replacement"]["content"] == [text("[cleared]")]
    assert by_id(out)[ident(4)]["message"]["content"] == [text("one")]
    assert request(read_bytes(out)) == request(session, cleared(session.live, "[cleared]", "t1"))


def test_a_dropped_pair_leaves_no_trace_and_the_rest_is_linked() -> None:
    session = read(*two_pairs(), edit(7, 6, 4, "edited"), user(8, 7, "More."))
    kept = without_pair(session.live, "t1")
    rewriting = rewrite(session, kept, session_id=NEW_ID)
    out = written(rewriting)
    assert parents(out)[ident(5)] == ident(3)
    assert parents(out)[ident(8)] == ident(6)
    assert ident(4) not in by_id(out) and ident(7) not in by_id(out)
    assert "t1" not in out.decode()
    assert request(read_bytes(out)) == request(session, kept)
    assert rewriting.dropped == 2


def test_dropped_messages_take_their_entries_and_settings_stay() -> None:
    session = read(
        user(1, None, "Old."),
        entry(2, 1, "thinking_level_change", thinkingLevel="low"),
        assistant(3, 2, "Work."),
        entry(4, 3, "label", targetId=ident(3), label="x"),
        user(5, 4, "New."),
        user(6, 3, "Off."),
        entry(7, 5, "model_change", provider="p", modelId="m"),
    )
    out = written(rewrite(session, session.live[2:], session_id=NEW_ID))
    assert parents(out) == {
        ident(2): None,
        ident(4): ident(2),
        ident(5): ident(4),
        ident(6): ident(2),
        ident(7): ident(5),
    }
    assert words(read_bytes(out).live) == [["New."]]


def test_a_marker_stands_in_its_place_as_an_injected_message() -> None:
    session = read(user(1, None, "A"), assistant(2, 1, "B"), user(3, 2, "C"), assistant(4, 3, "D"))
    messages = (session.live[0], marker("[snipped 1 message]"), *session.live[2:])
    out = written(rewrite(session, messages, session_id=NEW_ID))
    again = read_bytes(out)
    assert words(again.live) == [["A"], ["[snipped 1 message]"], ["C"], ["D"]]
    block = again.live[1].blocks[0]
    assert isinstance(block, Text) and block.author is Author.MARKER
    assert (again.boundaries[0].removed, again.boundaries[0].hides) == (1, False)
    row = rows(out)[2]
    assert (row["type"], row["customType"], row["display"]) == ("custom_message", "handcompact", True)
    assert row["timestamp"] == "2026-01-02T03:00:02.000Z"


def test_a_compaction_hides_what_stands_above_it() -> None:
    session = read(
        said(1, None, "system", content="Be brief.", sections={"rules": "None."}),
        entry(2, 1, "model_change", provider="p", modelId="m"),
        user(3, 2, "Old."),
        assistant(4, 3, [call("t1")]),
        result(5, 4, "t1", "one"),
        assistant(6, 5, "Work."),
        user(7, 6, "New."),
        assistant(8, 7, "Done."),
    )
    mark, story = compaction()
    kept = (session.live[0], story, *session.live[-2:])
    rewriting = rewrite(session, kept, boundary=mark, session_id=NEW_ID)
    out = written(rewriting)
    made = rows(out)[7]
    assert (made["type"], made["parentId"], made["summary"]) == ("compaction", ident(6), "What was done.")
    assert made["firstKeptEntryId"] == made["id"] and len(made["id"]) == 8
    assert made["tokensBefore"] == 900
    prompt = made["systemMessage"]
    assert (prompt["content"], prompt["sections"]) == ("Be brief.", {"rules": "None."})
    assert parents(out)[ident(7)] == made["id"]
    again = read_bytes(out)
    assert request(again) == request(session, kept)
    found = again.boundaries[0]
    assert (found.strategy, found.trigger, found.removed) == ("structured", "manual", 4)
    assert (found.tokens_before, found.tokens_after) == (900, 90)
    assert (rewriting.kept, rewriting.changed, rewriting.added, rewriting.dropped) == (8, 1, 1, 0)


def test_a_request_kept_from_before_is_led_behind_the_compaction() -> None:
    session = read(
        user(1, None, "First."),
        assistant(2, 1, "Work."),
        user(3, 2, "More."),
        assistant(4, 3, "Done."),
        edit(5, 4, 1, "First, edited."),
    )
    mark, story = compaction()
    kept = (story, session.live[0], *session.live[-1:])
    out = written(rewrite(session, kept, boundary=mark, session_id=NEW_ID))
    assert words(read_bytes(out).live) == [["What was done."], ["First, edited."], ["Done."]]
    assert [row["type"] for row in rows(out)][-3:] == ["compaction", "message", "context_edit"]


def test_what_lies_before_the_compaction_can_be_left_out() -> None:
    session = read(
        entry(1, None, "model_change", provider="p", modelId="old"),
        entry(2, 1, "model_change", provider="p", modelId="m"),
        user(3, 2, "Old."),
        assistant(4, 3, "Off."),
        user(5, 3, "New."),
        assistant(6, 5, "Done."),
        user(7, 5, "Left."),
        user(8, 6, "Go on."),
    )
    mark, story = compaction()
    messages = (story, *session.live[1:])
    out = written(rewrite(session, messages, boundary=mark, drop_old=True, session_id=NEW_ID))
    made = next(row for row in rows(out) if row["type"] == "compaction")
    assert parents(out) == {
        ident(2): None,
        made["id"]: ident(2),
        ident(5): made["id"],
        ident(6): ident(5),
        ident(7): ident(5),
        ident(8): ident(6),
    }
    assert words(read_bytes(out).live) == [["What was done."], ["New."], ["Done."], ["Go on."]]


def test_a_compaction_in_force_keeps_what_is_left_of_its_tail() -> None:
    entries = (
        user(1, None, "Old."),
        user(2, 1, "Kept."),
        assistant(3, 2, "Kept too."),
        compacted(4, 3, 2),
        user(5, 4, "New."),
    )
    session = read(*entries)
    story, *tail = session.live
    out = written(rewrite(session, (story, *tail[1:]), session_id=NEW_ID))
    assert by_id(out)[ident(4)]["firstKeptEntryId"] == ident(3)
    assert words(read_bytes(out).live) == [["Story."], ["Kept too."], ["New."]]
    out = written(rewrite(session, (story, tail[-1]), session_id=NEW_ID))
    assert by_id(out)[ident(4)]["firstKeptEntryId"] == ident(4)
    assert words(read_bytes(out).live) == [["Story."], ["New."]]
    # A marker in front of the tail belongs to it.
    messages = (story, marker("[snipped 1 message]"), *tail[1:])
    out = written(rewrite(session, messages, session_id=NEW_ID))
    assert words(read_bytes(out).live) == [["Story."], ["[snipped 1 message]"], ["Kept too."], ["New."]]


def test_without_its_summary_a_compaction_goes_and_nothing_comes_back() -> None:
    session = read(user(1, None, "Old."), user(2, 1, "Kept."), compacted(3, 2, 2), user(4, 3, "New."))
    out = written(rewrite(session, session.live[1:], session_id=NEW_ID))
    assert words(read_bytes(out).live) == [["Kept."], ["New."]]


def test_a_summary_kept_behind_a_newer_one_is_written_out() -> None:
    session = read(user(1, None, "Old."), compacted(2, 1, 2), user(3, 2, "Mid."), user(4, 3, "New."))
    mark, story = compaction()
    messages = (story, session.live[0], session.live[-1])
    out = written(rewrite(session, messages, boundary=mark, session_id=NEW_ID))
    again = read_bytes(out)
    assert request(again) == request(session, messages)
    assert len(again.live) == 3 and "Story." in words(again.live)[1][0]


def test_a_changed_summary_keeps_what_is_sent_around_it() -> None:
    session = read(user(1, None, "Old."), compacted(2, 1, 2), user(3, 2, "New."))
    block = session.live[0].blocks[0]
    assert isinstance(block, Text)
    told = replace(session.live[0], blocks=(replace(block, content=Held("Other.")),))
    out = written(rewrite(session, (told, *session.live[1:]), session_id=NEW_ID))
    assert by_id(out)[ident(2)]["summary"] == "Other."
    assert request(read_bytes(out)) == request(session, (told, *session.live[1:]))


def test_parts_of_the_system_prompt_can_go() -> None:
    session = read(
        said(1, None, "system", content="Base.", sections={"a": "A", "b": "B"}, toolsAdded=[{"name": "x"}]),
        user(2, 1, "Hi"),
    )
    prompt, asked = session.live
    base = prompt.blocks[0]
    assert isinstance(base, Text)
    slim = replace(prompt, blocks=(replace(base, content=Held("New base.")), prompt.blocks[2]))
    message = by_id(written(rewrite(session, (slim, asked), session_id=NEW_ID)))[ident(1)]["message"]
    assert (message["content"], message["sections"]) == ("New base.", {"b": "B"})
    assert "toolsAdded" not in message
    out = written(rewrite(session, (asked,), session_id=NEW_ID))
    assert [row["type"] for row in rows(out)] == ["session", "message"]


def test_the_newest_usage_says_how_big_the_context_is_now() -> None:
    session = read(*two_pairs(), user(7, 6, "More."), assistant(8, 7, "No", stopReason="error"))
    out = written(rewrite(session, cleared(session.live), session_id=NEW_ID, context_tokens=123))
    usage = by_id(out)[ident(6)]["message"]["usage"]
    assert (usage["input"], usage["output"], usage["cacheRead"]) == (123, 7, 0)
    assert usage["totalTokens"] == 130
    assert '"total":0.1' in out.decode()
    assert by_id(out)[ident(3)]["message"]["usage"]["input"] == 10
    assert read_bytes(out).last_usage.context == 123  # type: ignore[union-attr]
    zero = written(rewrite(session, cleared(session.live), session_id=NEW_ID, context_tokens=0))
    assert by_id(zero)[ident(6)]["message"]["usage"]["input"] == 1


def test_changed_words_calls_and_commands_are_written_where_they_lie() -> None:
    session = read(
        user(1, None, "Long words."),
        assistant(2, 1, [thinking("Hm"), text(""), text("Well."), call("t1", path="/a", body="x" * 99)]),
        result(3, 2, "t1", "one"),
        said(4, 3, "bashExecution", command="ls", output="a" * 99, exitCode=0),
        assistant(5, 4, "Ok"),
    )
    asked, reply, results, ran, done = session.live
    text_block, use = reply.blocks[1], reply.blocks[2]
    assert isinstance(text_block, Text) and isinstance(use, ToolUse)
    new_reply = replace(
        reply,
        blocks=(
            reply.blocks[0],
            replace(text_block, content=Held("W.")),
            replace(use, input=HeldValue({"path": "/a"})),
        ),
    )
    told = ran.blocks[0]
    assert isinstance(told, Text)
    short = replace(ran, blocks=(replace(told, content=Held("Ran ls.")),))
    messages = (asked, new_reply, results, short, done)
    out = written(rewrite(session, messages, session_id=NEW_ID))
    assert by_id(out)[ident(2)]["message"]["content"] == [
        thinking("Hm"),
        text(""),
        text("W."),
        call("t1", path="/a"),
    ]
    assert by_id(out)[ident(4)]["message"]["content"] == [text("Ran ls.")]
    assert request(read_bytes(out)) == request(session, messages)


def test_thinking_that_another_provider_sealed_stays_or_goes() -> None:
    session = read(
        user(1, None, "Hi"),
        assistant(2, 1, [thinking("", "sealed"), text("Words."), call("a|1")], api="openai-responses"),
        result(3, 2, "a|1", "one"),
        assistant(4, 3, [thinking("", "more")], api="openai-responses"),
        user(5, 4, "Go."),
    )
    block = session.live[1].blocks[1]
    assert isinstance(block, Text)
    reply = session.live[1]
    shorter = (reply.blocks[0], replace(block, content=Held("W.")), reply.blocks[2])
    messages = (session.live[0], replace(reply, blocks=shorter), *session.live[2:])
    out = written(rewrite(session, messages, session_id=NEW_ID))
    assert by_id(out)[ident(2)]["message"]["content"] == [thinking("", "sealed"), text("W."), call("a|1")]
    assert by_id(out)[ident(4)]["message"]["content"] == [thinking("", "more")]
    without = (session.live[0], replace(reply, blocks=reply.blocks[1:]), session.live[2], session.live[-1])
    out = written(rewrite(session, without, session_id=NEW_ID))
    assert by_id(out)[ident(2)]["message"]["content"] == [text("Words."), call("a|1")]
    assert ident(4) not in by_id(out)


def test_a_chosen_branch_is_the_one_that_pi_would_take() -> None:
    entries = (user(1, None, "Ask."), user(2, 1, "Left."), assistant(3, 2, "Yes."), user(4, 1, "Now."))
    session = read(*entries, leaf=3)
    out = written(rewrite(session, session_id=NEW_ID))
    assert words(read_bytes(out).live) == [["Ask."], ["Left."], ["Yes."]]
    named = written(rewrite(session, title="T", session_id=NEW_ID))
    assert words(read_bytes(named).live) == words(session.live)


def test_version_1_stays_version_1() -> None:
    old = [*two_pairs(), compacted(7, 6, 4), user(8, 7, "New."), assistant(9, 8, "Done.")]
    for row in old:
        del row["id"], row["parentId"]
    del old[6]["firstKeptEntryId"]
    old[6]["firstKeptEntryIndex"] = 6
    first = header()
    del first["version"]
    session = read_bytes(lines(first, *old))
    assert words(session.live) == [["Story."], ["Ok"], ["New."], ["Done."]]
    assert written(rewrite(session)) == lines(first, *old)
    messages = (session.live[0], *session.live[2:])
    out = written(rewrite(session, messages, session_id=NEW_ID))
    assert request(read_bytes(out)) == request(session, messages)
    mark, story = compaction()
    messages = (story, session.live[1], session.live[3])
    out = written(rewrite(session, messages, boundary=mark, session_id=NEW_ID, title="T"))
    assert request(read_bytes(out)) == request(session, messages)
    assert all("id" not in row for row in rows(out)[1:])
    assert read_bytes(out).title == "T"


def test_a_reply_and_a_result_that_were_made_are_entries_of_their_own() -> None:
    session = read(user(1, None, "Hi"), assistant(2, 1, "Yo"))
    use = ToolUse("m1/0", "x1", "read", HeldValue({"path": "/a"}))
    answer = with_text(ToolResult("m2/0", "x1", ()), "made")
    made = (
        Message("m1", Role.ASSISTANT, (use,)),
        Message("m2", Role.USER, (answer,)),
        Message("m3", Role.ASSISTANT, (Text("m3/0", Held("Done."), Author.ASSISTANT),)),
    )
    out = written(rewrite(session, (*session.live, *made), session_id=NEW_ID))
    again = read_bytes(out)
    assert request(again) == request(session, (*session.live, *made))
    assert rows(out)[-2]["message"]["toolName"] == "read"
    assert errors(check("anthropic", FORMAT.request(again, again.live))) == []


@pytest.mark.parametrize("seed", range(3))
def test_made_ids_are_new_and_the_same_each_time(seed: int) -> None:
    session = read(*two_pairs())
    wish = (*session.live[:1], marker(f"[snipped {seed} messages]"), *session.live[-1:])
    first = written(rewrite(session, wish, session_id=NEW_ID))
    assert written(rewrite(session, wish, session_id=NEW_ID)) == first
    assert len(by_id(first)) == len(rows(first)) - 1
    assert json.loads(first.splitlines()[0])["id"] == NEW_ID
