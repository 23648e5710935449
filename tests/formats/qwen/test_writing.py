"""Exports: what is written, what keeps its bytes, and that it reads back as it was planned."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from app.model import Author, Held, HeldValue, Message, Role, Text, ToolResult, ToolUse, with_text
from app.validity import check, errors
from tests.formats.claude_code.records import said, uuid
from tests.formats.edits import cleared, compaction, marker, rows, without_pair, written
from tests.formats.qwen.records import (
    FORMAT,
    NEW_ID,
    OLD_ID,
    Value,
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
    read_sample,
    record,
    request,
    result,
    rewrite,
    system,
    thought,
    user,
)


def two_pairs() -> list[Value]:
    return [
        user(1, None, "Go"),
        model(2, 1, thought("Hm"), call("a", file_path="/a"), call("b", file_path="/b")),
        system(3, 2, "ui_telemetry", uiEvent={"event.name": "qwen-code.tool_call", "call_id": "a"}),
        system(4, 3, "ui_telemetry", uiEvent={"event.name": "qwen-code.tool_call", "call_id": "b"}),
        result(5, 4, answer("a", "one")),
        result(6, 5, answer("b", "two")),
        model(7, 6, "Ok", tokens=(500, 7)),
    ]


def history(row: Value) -> list[Any]:
    found: list[Any] = row["systemPayload"]["compressedHistory"]
    return found


def test_nothing_changed_is_the_same_file() -> None:
    session = read_sample()
    rewriting = rewrite(session)
    source = session.records.source  # type: ignore[attr-defined]
    assert written(rewriting) == source.read(0, source.size)
    assert (rewriting.changed, rewriting.added, rewriting.dropped) == (0, 0, 0)


def test_a_new_id_changes_only_its_value() -> None:
    session = read_sample()
    source = session.records.source  # type: ignore[attr-defined]
    old, new = (f'"sessionId":"{ident}"'.encode() for ident in (session.session_id, NEW_ID))
    assert written(rewrite(session, session_id=NEW_ID)) == source.read(0, source.size).replace(old, new)
    row = (
        '{ "uuid":"' + uuid(2) + '","parentUuid":"' + uuid(1) + '", "n":1.10, "type":"system","e":1E2,'
        ' "subtype":"attribution_snapshot","systemPayload":{"sessionId":"inner"},  "sessionId" : "'
        + OLD_ID
        + '" }'
    )
    out = written(rewrite(read(user(1, None, "Hi"), row), session_id=NEW_ID)).decode()
    assert row.replace(OLD_ID, NEW_ID) in out


def test_a_title_is_given_as_the_client_gives_it() -> None:
    session = read(*two_pairs())
    out = written(rewrite(session, session_id=NEW_ID, title="Half done"))
    last = rows(out)[-1]
    assert (last["subtype"], last["parentUuid"], last["cwd"]) == (
        "custom_title",
        uuid(7),
        "/home/dev/project",
    )
    assert (last["sessionId"], read_bytes(out).title) == (NEW_ID, "Half done")


def test_a_cleared_result_is_cleared_for_the_display_too() -> None:
    old = "row\n" * 500
    shown = {
        "type": "shell_result",
        "output": old,
        "text": f"Output: {old}",
        "exitCode": 0,
        "outputFiles": [],
    }
    session = read(
        user(1, None, "Log."),
        model(2, 1, call("a", "run_shell_command")),
        result(3, 2, answer("a", f"Output: {old}", "run_shell_command"), shown=shown),
        model(4, 3, "Logged."),
    )
    rewriting = rewrite(session, cleared(session.live), session_id=NEW_ID)
    row = by_uuid(written(rewriting))[uuid(3)]
    assert row["message"]["parts"] == [answer("a", "[cleared]", "run_shell_command")]
    assert row["toolCallResult"]["resultDisplay"] == {
        "type": "shell_result",
        "output": "[cleared]",
        "text": "",
        "exitCode": 0,
        "outputFiles": [],
    }
    assert (rewriting.kept, rewriting.changed) == (3, 1)


def test_a_cleared_error_stays_an_error_and_odd_spelling_stays() -> None:
    row = (
        '{"uuid":"' + uuid(3) + '","parentUuid":"' + uuid(2) + '","x":1.10,  "type":"tool_result","message":'
        '{"role":"user","parts":[{"functionResponse":{"id":"a","y":1E2,"name":"read_file",'
        '"response":{"error":"long"}}}]}}'
    )
    session = read(user(1, None, "Hi"), model(2, 1, call("a")), row, model(4, 3, "Ok"))
    out = written(rewrite(session, cleared(session.live), session_id=NEW_ID)).decode()
    assert row.replace('"long"', '"[cleared]"') in out


def test_a_dropped_pair_takes_its_telemetry_and_the_rest_is_linked() -> None:
    session = read(*two_pairs())
    kept = without_pair(session.live, "a")
    rewriting = rewrite(session, kept, session_id=NEW_ID)
    out = written(rewriting)
    assert parents(out) == {
        uuid(1): None,
        uuid(2): uuid(1),
        uuid(4): uuid(2),
        uuid(6): uuid(4),
        uuid(7): uuid(6),
    }
    assert request(read_bytes(out)) == request(session, kept)
    assert rewriting.dropped == 2


def test_dropped_messages_take_their_records_and_others_stay() -> None:
    session = read(
        user(1, None, "Old."),
        system(2, 1, "session_model", model="x"),
        model(3, 2, "Work."),
        user(4, 3, "New."),
        user(5, 3, "Off."),
        user(6, 4, "End."),
    )
    out = written(rewrite(session, session.live[2:], session_id=NEW_ID))
    assert parents(out) == {uuid(2): None, uuid(4): uuid(2), uuid(5): uuid(2), uuid(6): uuid(4)}
    assert said(read_bytes(out).live) == [["New.", "End."]]


def test_a_marker_stands_in_its_place_as_nobodys_words() -> None:
    session = read(user(1, None, "A"), model(2, 1, "B"), user(3, 2, "C"), model(4, 3, "D"))
    messages = (session.live[0], marker("[snipped 1 message]"), *session.live[2:])
    out = written(rewrite(session, messages, session_id=NEW_ID))
    again = read_bytes(out)
    assert said(again.live) == [["A", "[snipped 1 message]", "C"], ["D"]]
    block = again.live[0].blocks[1]
    assert isinstance(block, Text) and block.author is Author.MARKER
    row = rows(out)[1]
    assert (row["type"], row["subtype"], row["provenance"]) == ("user", "notification", "system")
    assert (row["timestamp"], row["sessionId"]) == ("2026-01-02T03:00:02.000Z", NEW_ID)
    assert request(again) == request(session, messages)


def test_a_compression_hides_what_stands_above_it() -> None:
    session = read(*two_pairs(), user(8, 7, "New."), model(9, 8, "Done."))
    mark, story = compaction()
    kept = (story, *session.live[-2:])
    rewriting = rewrite(session, kept, boundary=mark, session_id=NEW_ID, context_tokens=55)
    out = written(rewriting)
    made = rows(out)[7]
    assert (made["subtype"], made["parentUuid"]) == ("chat_compression", uuid(7))
    assert made["systemPayload"]["info"] == {
        "originalTokenCount": 900,
        "newTokenCount": 55,
        "newTokenCountIsEstimated": True,
        "compressionStatus": 1,
    }
    assert history(made) == [content("user", "What was done.")]
    assert parents(out)[uuid(8)] == made["uuid"]
    again = read_bytes(out)
    assert request(again) == request(session, kept)
    found = again.boundaries[0]
    assert (found.strategy, found.trigger, found.removed) == ("structured", "manual", 4)
    assert (rewriting.kept, rewriting.changed, rewriting.added, rewriting.dropped) == (7, 2, 1, 0)


def test_what_is_kept_from_before_lies_in_the_compression() -> None:
    session = read(
        user(1, None, "First."),
        model(2, 1, call("a")),
        result(3, 2, answer("a", "one")),
        model(4, 3, "Work."),
        user(5, 4, "More."),
        model(6, 5, "Done."),
    )
    mark, story = compaction()
    first, reply, results, _, *tail = session.live
    kept = (story, first, reply, *cleared((results,)), *tail)
    out = written(rewrite(session, kept, boundary=mark, session_id=NEW_ID))
    assert history(rows(out)[4]) == [
        content("user", "What was done."),
        content("user", "First."),
        content("model", call("a")),
        content("user", answer("a", "[cleared]")),
    ]
    again = read_bytes(out)
    assert request(again) == request(session, kept)
    authors = [block.author for block in again.live[0].blocks if isinstance(block, Text)]
    assert authors == [Author.SUMMARY, Author.USER]


def test_what_lies_before_the_compression_can_be_left_out() -> None:
    session = read(
        system(1, None, "session_model", model="old"),
        system(2, 1, "session_model", model="new"),
        user(3, 2, "Old."),
        model(4, 3, "Off."),
        user(5, 3, "New."),
        model(6, 5, "Done."),
        user(7, 5, "Left."),
        user(8, 6, "Go on."),
    )
    mark, story = compaction()
    first = replace(session.live[0], blocks=session.live[0].blocks[1:])
    messages = (story, first, *session.live[1:])
    out = written(rewrite(session, messages, boundary=mark, drop_old=True, session_id=NEW_ID))
    made = next(row for row in rows(out) if row.get("subtype") == "chat_compression")
    assert request(read_bytes(out)) == request(session, messages)
    assert uuid(1) not in by_uuid(out) and uuid(4) not in by_uuid(out)
    assert parents(out)[made["uuid"]] == uuid(2)
    assert parents(out)[uuid(7)] == uuid(5)


def compressed_session() -> list[Value]:
    return [
        user(1, None, "Old."),
        compressed(
            2,
            1,
            content("user", "Story."),
            content("model", "Got it."),
            content("user", "Recently accessed file (full current content embedded):\n\nx"),
            content("model", call("k")),
            content("user", answer("k", "kept")),
        ),
        user(3, 2, "New."),
        model(4, 3, "Done."),
    ]


def test_contents_of_a_compression_change_and_go_where_they_lie() -> None:
    session = read(*compressed_session())
    out = written(rewrite(session, cleared(session.live), session_id=NEW_ID))
    old = history(session.records.value(1))
    assert history(by_uuid(out)[uuid(2)]) == [*old[:4], content("user", answer("k", "[cleared]"))]
    kept = without_pair(session.live, "k")
    out = written(rewrite(session, kept, session_id=NEW_ID))
    assert history(by_uuid(out)[uuid(2)]) == old[:3]
    assert request(read_bytes(out)) == request(session, kept)
    out = written(rewrite(session, session.live[-1:], session_id=NEW_ID))
    assert history(by_uuid(out)[uuid(2)]) == []
    assert said(read_bytes(out).live) == [["[What came before is no longer here]"], ["Done."]]


def test_a_marker_inside_a_compression_lies_in_it() -> None:
    session = read(*compressed_session())
    first, _, _, *rest = session.live
    messages = (first, marker("[snipped 2 messages]"), *rest)
    out = written(rewrite(session, messages, session_id=NEW_ID))
    assert content("user", "[snipped 2 messages]") in history(by_uuid(out)[uuid(2)])
    assert request(read_bytes(out)) == request(session, messages)


def test_an_older_compression_is_taken_into_a_newer_one() -> None:
    session = read(*compressed_session())
    mark, story = compaction()
    rest = without_pair(session.live, "k")
    messages = (story, rest[2], *rest[-2:])
    out = written(rewrite(session, messages, boundary=mark, session_id=NEW_ID))
    assert request(read_bytes(out)) == request(session, messages)
    assert [row.get("subtype") for row in rows(out)].count("chat_compression") == 2


def test_the_newest_count_says_how_big_the_context_is_now() -> None:
    session = read(*two_pairs())
    out = written(rewrite(session, cleared(session.live), session_id=NEW_ID, context_tokens=123))
    usage = by_uuid(out)[uuid(7)]["usageMetadata"]
    assert (usage["promptTokenCount"], usage["totalTokenCount"], usage["candidatesTokenCount"]) == (
        123,
        130,
        7,
    )
    assert read_bytes(out).last_usage.context == 123  # type: ignore[union-attr]
    assert by_uuid(out)[uuid(2)]["usageMetadata"]["promptTokenCount"] == 10
    zero = written(rewrite(session, cleared(session.live), session_id=NEW_ID, context_tokens=0))
    assert by_uuid(zero)[uuid(7)]["usageMetadata"]["promptTokenCount"] == 1
    # Without a reply behind it the compression's own count is the newest.
    session = read(*compressed_session()[:3])
    out = written(rewrite(session, cleared(session.live), session_id=NEW_ID, context_tokens=77))
    assert by_uuid(out)[uuid(2)]["systemPayload"]["info"]["newTokenCount"] == 77


def test_records_of_one_uuid_stay_one_message() -> None:
    session = read(
        user(1, None, "Hi"),
        model(2, 1, "One."),
        model(2, 1, "Two.", call("a")),
        result(3, 2, answer("a", "x")),
        user(4, 3, "Go."),
    )
    out = written(rewrite(session, cleared(session.live), session_id=NEW_ID))
    assert said(read_bytes(out).live) == said(session.live)
    assert [row["uuid"] for row in rows(out)] == [uuid(n) for n in (1, 2, 2, 3, 4)]
    reply = session.live[1]
    less = (session.live[0], replace(reply, blocks=reply.blocks[1:]), *session.live[2:])
    out = written(rewrite(session, less, session_id=NEW_ID))
    assert request(read_bytes(out)) == request(session, less)
    assert rows(out)[1]["message"]["parts"] == []


def test_changed_words_and_calls_are_written_where_they_lie() -> None:
    session = read(
        user(1, None, "Long words."),
        model(
            2, 1, {**thought("Hm"), "thoughtSignature": "c2ln"}, "Well.", call("a", file_path="/a", body="x")
        ),
        result(3, 2, answer("a", "one")),
        model(4, 3, "Ok"),
    )
    asked, reply, *rest = session.live
    words, use = reply.blocks[1], reply.blocks[2]
    assert isinstance(words, Text) and isinstance(use, ToolUse)
    short = (
        reply.blocks[0],
        replace(words, content=Held("W.")),
        replace(use, input=HeldValue({"file_path": "/a"})),
    )
    messages = (asked, replace(reply, blocks=short), *rest)
    out = written(rewrite(session, messages, session_id=NEW_ID))
    assert by_uuid(out)[uuid(2)]["message"]["parts"] == [
        {**thought("Hm"), "thoughtSignature": "c2ln"},
        {"text": "W."},
        call("a", file_path="/a"),
    ]
    bare = (asked, replace(reply, blocks=reply.blocks[1:]), *rest)
    out = written(rewrite(session, bare, session_id=NEW_ID))
    assert "thought" not in out.decode()


def test_a_chosen_branch_is_the_one_that_the_client_would_take() -> None:
    records = (user(1, None, "Ask."), user(2, 1, "Left."), model(3, 2, "Yes."), user(4, 1, "Now."))
    session = read(*records, leaf=3)
    assert said(read_bytes(written(rewrite(session, session_id=NEW_ID))).live) == [
        ["Ask.", "Left."],
        ["Yes."],
    ]


def test_a_reply_and_a_result_that_were_made_are_records_of_their_own() -> None:
    session = read(user(1, None, "Hi"), model(2, 1, "Yo"))
    use = ToolUse("m1/0", "x1", "read_file", HeldValue({"file_path": "/a"}))
    result_block = with_text(ToolResult("m2/0", "x1", ()), "made")
    made = (
        Message("m0", Role.USER, (Text("m0/0", Held("Please."), Author.USER),)),
        Message("m1", Role.ASSISTANT, (use,)),
        Message("m2", Role.USER, (result_block,)),
        Message("m3", Role.ASSISTANT, (Text("m3/0", Held("Done."), Author.ASSISTANT),)),
    )
    out = written(rewrite(session, (*session.live, *made), session_id=NEW_ID))
    again = read_bytes(out)
    assert request(again) == request(session, (*session.live, *made))
    assert [row["type"] for row in rows(out)] == [
        "user",
        "assistant",
        "user",
        "assistant",
        "tool_result",
        "assistant",
    ]
    assert errors(check("gemini", FORMAT.request(again, again.live))) == []


@pytest.mark.parametrize(
    ("records", "word"),
    [
        ([user(1, None, "Hi"), model(2, 1, call("a")), user(3, 2, "Well?")], "open-call"),
        ([user(1, None, "Hi"), model(2, 1, call("a"))], "open-call"),
        ([user(1, None, "Hi"), model(2, 1, "Yo"), result(3, 2, answer("z", "x"))], "orphan-result"),
        ([model(1, None, "Yo"), user(2, 1, "Hi")], "first-role"),
        ([user(1, None, "Hi", ""), model(2, 1, "Yo")], "empty-text"),
        (
            [
                user(1, None, "Hi"),
                model(2, 1, call("a")),
                model(3, 2, "And so."),
                result(4, 3, answer("a", "x")),
            ],
            "block-order",
        ),
        ([user(1, None, "Hi \ud83d")], "lone-surrogate"),
        ([user(1, None, "Hi"), user(2, 7, "There")], "missing-parent"),
        ([user(1, 2, "Hi"), model(2, 1, "Yo")], "cycle"),
        ([record(1, None, "user", message={"role": "me", "parts": [{"text": "Hi"}]})], "bad-role"),
    ],
)
def test_what_breaks_a_rule_is_mended_and_named(records: list[Any], word: str) -> None:
    session = read(*records)
    rewriting = rewrite(session, session_id=NEW_ID)
    assert word in [notice.word for notice in rewriting.repairs]
    again = read_bytes(written(rewriting))
    assert errors(check("gemini", FORMAT.request(again, again.live))) == []
    assert word not in [notice.word for notice in again.notices]
    settled = rewrite(again)
    assert (settled.repairs, written(settled)) == ((), written(rewriting))


def test_damage_is_told_and_not_copied() -> None:
    good = lines(user(1, None, "Hi"), model(2, 1, "Yo"), user(3, 2, "Go"))
    first, second, third = good.splitlines()
    session = read_bytes(b"\xef\xbb\xbf" + first + b"\r\n" + second + third + b"\0" * 30 + b'\n{"uuid":"tor')
    assert said(session.live) == [["Hi"], ["Yo"], ["Go"]]
    rewriting = rewrite(session)
    assert written(rewriting) == good
    assert {notice.word for notice in rewriting.repairs} >= {
        "bom",
        "crlf",
        "glued-records",
        "nul-bytes",
        "torn-tail",
    }


@pytest.mark.parametrize("data", [b"", b"\n\n", lines(system(1, None, "ui_telemetry", uiEvent={}))])
def test_a_file_without_a_conversation_is_read_and_written(data: bytes) -> None:
    session = read_bytes(data)
    assert session.live == ()
    assert written(rewrite(session)) in (data, b"")
