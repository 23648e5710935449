"""Exports: what is written, what keeps its bytes, and that it reads back as it was planned."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from msgspec import structs

from app.model import Author, Held, HeldValue, Message, Role, Text, ToolUse
from tests.formats.claude_code.records import (
    NEW_ID,
    OLD_ID,
    Value,
    assistant,
    boundary,
    by_uuid,
    lines,
    read,
    read_bytes,
    read_sample,
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
from tests.formats.edits import cleared, marker, rows, without_pair, written

SOUND = ["claude-code-tools.jsonl", "claude-code-compacted.jsonl", "claude-code-v2-0.jsonl"]


def session_of_two_pairs() -> list[Value]:
    return [
        user(1, None, "Go"),
        assistant(2, 1, [thinking("Hm"), use("t1")], ident="m"),
        assistant(3, 2, [use("t2")], ident="m"),
        user(4, 2, [result("t1", "one")], sourceToolAssistantUUID=uuid(2)),
        user(5, 3, [result("t2", "two")], sourceToolAssistantUUID=uuid(3)),
        record(6, 5, "progress", data={"type": "hook_progress"}),
        assistant(7, 6, "Ok"),
        {"type": "last-prompt", "lastPrompt": "Go", "leafUuid": uuid(5), "sessionId": OLD_ID},
    ]


@pytest.mark.parametrize("name", SOUND)
def test_nothing_changed_is_the_same_file(name: str) -> None:
    session = read_sample(name)
    rewriting = rewrite(session)
    source = session.records.source  # type: ignore[attr-defined]
    assert written(rewriting) == source.read(0, source.size)
    assert (rewriting.changed, rewriting.added, rewriting.dropped) == (0, 0, 0)


@pytest.mark.parametrize("name", SOUND)
def test_a_new_id_changes_only_its_value(name: str) -> None:
    session = read_sample(name)
    old = [session.records.raw(number) for number in range(len(session.records))]
    old = [row for row in old if b'"type":"api-request' not in row]
    new = written(rewrite(session, session_id=NEW_ID)).splitlines()
    known = session.session_id or ""
    assert [
        row.replace(b'"sessionId":"' + known.encode(), b'"sessionId":"' + NEW_ID.encode()) for row in old
    ] == new


def test_spelling_and_nested_session_ids_stay() -> None:
    row = (
        '{ "type":"system" , "uuid":"' + uuid(9) + '","parentUuid":null, "n":1.10, "e":1E2,'
        ' "data":{"sessionId":"inner"},  "sessionId" : "' + OLD_ID + '", "text":"\\u00e9\\/" }'
    )
    out = written(rewrite(read(user(1, None, "Hi"), row), session_id=NEW_ID)).decode()
    assert row.replace(OLD_ID, NEW_ID) in out
    assert '"inner"' in out


def test_a_title_and_an_id_are_added() -> None:
    session = read(user(1, None, "Hi"), assistant(2, 1, "Yo"))
    rewriting = rewrite(session, session_id=NEW_ID, title='Half "done"')
    last = rows(written(rewriting))[-1]
    assert last == {"type": "custom-title", "customTitle": 'Half "done"', "sessionId": NEW_ID}
    assert read_bytes(written(rewriting)).title == 'Half "done"'
    assert rewriting.added == 1


def test_a_cleared_result_is_cleared_in_both_copies() -> None:
    old = "row\n" * 5000
    records = [
        user(1, None, "Log."),
        assistant(2, 1, [use("t1", "Bash")]),
        user(3, 2, [result("t1", old, is_error=False)], toolUseResult={"stdout": old, "interrupted": False}),
        assistant(4, 3, [use("t2", "Read")]),
        user(
            5,
            4,
            [result("t2", "1\t" + old)],
            toolUseResult={"type": "text", "file": {"filePath": "/a", "content": old, "numLines": 9}},
        ),
        assistant(6, 5, "Logged."),
    ]
    session = read(*records)
    rewriting = rewrite(session, cleared(session.live))
    first, second = (row for row in rows(written(rewriting)) if "toolUseResult" in row)
    assert first["message"]["content"] == [result("t1", "[cleared]", is_error=False)]
    assert first["toolUseResult"] == {"stdout": "[cleared]", "interrupted": False}
    assert second["toolUseResult"]["file"] == {"filePath": "/a", "content": "[cleared]", "numLines": 9}
    assert len(written(rewriting)) < 4000
    assert (rewriting.kept, rewriting.changed) == (4, 2)


@pytest.mark.parametrize(
    ("content", "twin", "expected"),
    [
        ("Error: no such file", "Error: no such file", "[cleared]"),
        ([text("a" * 300)], [text("a" * 300)], [text("[cleared]")]),
        (
            [text("b" * 300)],
            {"content": [text("b" * 300)], "agent": "x"},
            {"content": [text("[cleared]")], "agent": "x"},
        ),
        ("Updated.", {"oldString": "c" * 300, "filePath": "/a"}, {"oldString": "c" * 300, "filePath": "/a"}),
        (
            [
                {
                    "type": "image",
                    "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="},
                }
            ],
            {"type": "image", "file": {"base64": "iVBORw0KGgo=", "type": "image/png"}},
            {"type": "image", "file": {"base64": "", "type": "image/png"}},
        ),
    ],
)
def test_only_what_repeats_the_result_is_cleared_beside_it(content: Any, twin: Any, expected: Any) -> None:
    session = read(
        user(1, None, "Go"),
        assistant(2, 1, [use("t1")]),
        user(3, 2, [result("t1", content)], toolUseResult=twin),
        assistant(4, 3, "Ok"),
    )
    assert by_uuid(written(rewrite(session, cleared(session.live))))[uuid(3)]["toolUseResult"] == expected


def test_a_dropped_pair_leaves_the_rest_reachable() -> None:
    session = read(*session_of_two_pairs())
    kept = without_pair(session.live, "t2")
    rewriting = rewrite(session, kept)
    out = by_uuid(written(rewriting))
    assert uuid(3) not in out and uuid(5) not in out
    assert out[uuid(4)]["sourceToolAssistantUUID"] == uuid(2)
    again = read_bytes(written(rewriting))
    assert request(again) == request(session, kept)
    assert again.facts.missing_parents == ()
    # The reference of the metadata row moved to a record that is still there.
    assert rows(written(rewriting))[-1]["leafUuid"] in out
    assert rewriting.dropped == 2


def test_the_first_pair_of_a_fan_can_go_too() -> None:
    session = read(*session_of_two_pairs())
    kept = without_pair(session.live, "t1")
    out = written(rewrite(session, kept))
    assert request(read_bytes(out)) == request(session, kept)
    # Its record holds thinking too: it stays, and only the call leaves it.
    assert by_uuid(out)[uuid(2)]["message"]["content"] == [thinking("Hm")]


def test_a_call_of_the_way_can_go_while_its_siblings_stay() -> None:
    session = read(
        user(1, None, "Go"),
        assistant(2, 1, [use("t1")], ident="m"),
        assistant(3, 2, [use("t2")], ident="m"),
        user(4, 3, [result("t2", "two")]),
        user(5, 2, [result("t1", "one")]),
        assistant(6, 5, "Ok"),
    )
    kept = without_pair(session.live, "t1")
    assert request(read_bytes(written(rewrite(session, kept)))) == request(session, kept)


def test_a_dropped_turn_is_bridged() -> None:
    session = read(
        user(1, None, "A"), assistant(2, 1, "B"), user(3, 2, "C"), assistant(4, 3, "D"), user(5, 4, "E")
    )
    kept = (*session.live[:2], session.live[4])
    out = written(rewrite(session, kept))
    assert by_uuid(out)[uuid(5)]["parentUuid"] == uuid(2)
    assert said(read_bytes(out).live) == [["A"], ["B"], ["E"]]


def test_a_marker_stands_in_the_place_of_what_went() -> None:
    session = read(
        user(1, None, "A"), assistant(2, 1, "B"), user(3, 2, "C"), assistant(4, 3, "D"), user(5, 4, "E")
    )
    kept = (*session.live[:2], marker("[snipped 2 messages]"), session.live[4])
    out = written(rewrite(session, kept, session_id=NEW_ID))
    made = rows(out)[2]
    assert made["isMeta"] is True and made["type"] == "user" and made["sessionId"] == NEW_ID
    assert made["parentUuid"] == uuid(2)
    assert rows(out)[1]["timestamp"] < made["timestamp"] < rows(out)[3]["timestamp"]
    again = read_bytes(out)
    assert request(again) == request(session, kept)
    block = again.live[2].blocks[0]
    assert isinstance(block, Text) and block.author is Author.MARKER
    assert again.live[2].boundary is not None and not again.live[2].boundary.hides
    assert written(rewrite(session, kept, session_id=NEW_ID)) == out


def test_changed_calls_and_texts_are_written() -> None:
    session = read(
        user(1, None, "Do it"),
        assistant(2, 1, [use("t1", "Write", content="x" * 50)]),
        user(3, 2, [result("t1", "ok")]),
    )
    words, call = session.live[0].blocks[0], session.live[1].blocks[0]
    assert isinstance(words, Text) and isinstance(call, ToolUse)
    kept = (
        structs.replace(session.live[0], blocks=(structs.replace(words, content=Held("Do this")),)),
        structs.replace(session.live[1], blocks=(structs.replace(call, input=HeldValue({"content": "…"})),)),
        session.live[2],
    )
    out = by_uuid(written(rewrite(session, kept)))
    assert out[uuid(1)]["message"]["content"] == "Do this"
    assert out[uuid(2)]["message"]["content"][0]["input"] == {"content": "…"}
    assert out[uuid(2)]["message"]["usage"] == {"input_tokens": 10, "output_tokens": 5}


def test_a_chosen_branch_is_named_as_the_leaf() -> None:
    """The client goes by the newest `last-prompt` before it goes by the order of the file."""
    records = [
        user(1, None, "Go"),
        assistant(2, 1, "Ok"),
        user(3, 2, "Left"),
        assistant(4, 3, "To the left."),
        user(5, 2, "Right"),
        assistant(6, 5, "To the right."),
        {"type": "last-prompt", "leafUuid": uuid(6), "sessionId": OLD_ID},
    ]
    for chosen in (4, 6):
        session = read(*records, leaf=chosen)
        out = written(rewrite(session, session_id=NEW_ID))
        named = next(row["leafUuid"] for row in rows(out) if row["type"] == "last-prompt")
        assert named == uuid(chosen)
        assert request(read_bytes(out)) == request(session)


def test_an_attachment_is_changed_where_it_says_what_is_sent() -> None:
    attachment = record(
        2, 1, "attachment", attachment={"type": "file"}, rendered=[{"content": "one"}, {"content": "two"}]
    )
    session = read(user(1, None, "Hi"), attachment, assistant(3, 2, "Yo"))
    first = session.live[0]
    texts = {block.content.read(): block for block in first.blocks if isinstance(block, Text)}
    blocks = tuple(
        structs.replace(block, content=Held("[gone]")) if block is texts["two"] else block
        for block in first.blocks
    )
    kept = (structs.replace(first, blocks=blocks), session.live[1])
    out = written(rewrite(session, kept))
    assert by_uuid(out)[uuid(2)]["rendered"] == [{"content": "one"}, {"content": "[gone]"}]
    assert request(read_bytes(out)) == request(session, kept)


@pytest.mark.parametrize(
    ("rendered", "left"),
    [
        ([{"content": "one"}, {"content": "two"}, {"content": "six"}], [{"content": "one"}]),
        (
            [{"content": [{"type": "text", "text": t} for t in ("one", "two", "six")]}],
            [{"content": [{"type": "text", "text": "one"}]}],
        ),
    ],
)
def test_texts_of_an_attachment_go_without_the_others(rendered: list[Value], left: list[Value]) -> None:
    attachment = record(2, 1, "attachment", attachment={"type": "file"}, rendered=rendered)
    session = read(user(1, None, "Hi"), attachment, assistant(3, 2, "Yo"))
    first = session.live[0]
    texts = {block.content.read(): block for block in first.blocks if isinstance(block, Text)}
    kept = (structs.replace(first, blocks=(texts["one"], texts["Hi"])), session.live[1])
    out = written(rewrite(session, kept))
    assert by_uuid(out)[uuid(2)]["rendered"] == left
    assert request(read_bytes(out)) == request(session, kept)


def test_the_newest_usage_says_how_big_the_context_is() -> None:
    session = read(
        user(1, None, "Hi"),
        assistant(2, 1, "Yo", tokens=(150_000, 5)),
        user(3, 2, "More"),
        assistant(4, 3, [thinking("Hm")], ident="m", tokens=(170_000, 1)),
        assistant(5, 4, "End", ident="m", tokens=(170_000, 9)),
        user(6, 5, "Last"),
    )
    out = by_uuid(written(rewrite(session, context_tokens=4321)))
    usages = [out[uuid(n)]["message"]["usage"]["input_tokens"] for n in (2, 4, 5)]
    assert usages == [150_000, 4321, 4321]
    assert read_bytes(written(rewrite(session, context_tokens=0))).last_usage is not None


def test_no_usage_is_written_where_there_is_none() -> None:
    session = read(user(1, None, "Hi"))
    assert "usage" not in written(rewrite(session, context_tokens=77)).decode()


def test_another_branch_is_moved_behind_the_rest() -> None:
    session = read(
        user(1, None, "Name?"),
        assistant(2, 1, "Falcon"),
        user(3, 2, "No birds"),
        assistant(4, 3, "Otter"),
        user(5, 2, "Shorter"),
        assistant(6, 5, "Kite"),
        {"type": "mode", "mode": "normal", "sessionId": OLD_ID},
        leaf=4,
    )
    rewriting = rewrite(session)
    again = read_bytes(written(rewriting))
    assert said(again.live) == [["Name?"], ["Falcon"], ["No birds"], ["Otter"]]
    assert [row.get("uuid") for row in rows(written(rewriting))] == [
        uuid(1), uuid(2), uuid(5), uuid(6), None, uuid(3), uuid(4)
    ]  # fmt: skip


def test_an_earlier_end_of_the_same_branch_can_be_chosen() -> None:
    session = read(user(1, None, "A"), assistant(2, 1, "B"), user(3, 2, "C"), assistant(4, 3, "D"), leaf=2)
    assert said(read_bytes(written(rewrite(session))).live) == [["A"], ["B"]]


def test_dropping_the_end_leaves_the_client_on_this_branch() -> None:
    session = read(
        user(1, None, "A"),
        assistant(2, 1, "B"),
        user(8, 1, "left"),
        assistant(9, 8, "behind"),
        user(3, 2, "C"),
        assistant(4, 3, "D"),
    )
    out = written(rewrite(session, session.live[:2]))
    assert said(read_bytes(out).live) == [["A"], ["B"]]


def test_the_request_log_goes_with_an_export() -> None:
    log = {"type": "api-request-blob", "hash": "x", "message": {"content": "Hi"}}
    session = read(user(1, None, "Hi"), log, assistant(2, 1, "Yo"))
    assert "api-request" not in written(rewrite(session, session_id=NEW_ID)).decode()
    assert "api-request" in written(rewrite(session)).decode()


def test_metadata_and_unknown_records_stay() -> None:
    extra: list[Value] = [
        {"type": "permission-mode", "permissionMode": "default", "sessionId": OLD_ID},
        {"type": "brand-new-thing", "payload": [1, 2]},
        {"type": "file-history-snapshot", "messageId": uuid(1), "snapshot": {}},
    ]
    session = read(extra[0], user(1, None, "Hi"), *extra[1:], assistant(2, 1, "Yo"))
    out = rows(written(rewrite(session, session.live[:1])))
    assert [row["type"] for row in out] == [
        "permission-mode", "user", "brand-new-thing", "file-history-snapshot"
    ]  # fmt: skip


def test_made_words_of_a_person_are_not_marked_as_the_clients() -> None:
    session = read(user(1, None, "A"), assistant(2, 1, "B"))
    more = Message("h1/0", Role.USER, (Text("h1/0/b", Held("And C."), Author.USER),))
    out = rows(written(rewrite(session, (*session.live, more))))
    assert "isMeta" not in out[-1]
    assert out[-1]["parentUuid"] == uuid(2)


def test_made_uuids_do_not_repeat() -> None:
    session = read(user(1, None, "A"), assistant(2, 1, "B"), user(3, 2, "C"))
    once = (*session.live[:2], marker("[snipped 1 message]"), session.live[2])
    again = read_bytes(written(rewrite(session, once)))
    twice = (*again.live[:3], marker("[snipped 2 messages]"))
    uuids = [row["uuid"] for row in rows(written(rewrite(again, twice)))]
    assert len(uuids) == len(set(uuids))


def test_a_rewrite_of_a_rewrite_changes_nothing() -> None:
    session = read_sample("claude-code-tools.jsonl")
    out = written(rewrite(session, cleared(session.live), session_id=NEW_ID, title="x", context_tokens=99))
    assert written(rewrite(read_bytes(out))) == out


def test_sidechains_progress_and_errors_are_neither_sent_nor_lost() -> None:
    records = [
        *session_of_two_pairs(),
        user(20, None, "Task.", isSidechain=True),
        assistant(21, 7, "API Error", isApiErrorMessage=True),
    ]
    session = read(*records)
    out = written(rewrite(session, cleared(session.live), session_id=NEW_ID))
    assert [row.get("uuid") for row in rows(out)] == [row.get("uuid") for row in records]
    assert "API Error" not in json.dumps(request(read_bytes(out)))


def test_a_foreign_session_cannot_be_written() -> None:
    session = replace(read(user(1, None, "A")), records=())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="Claude Code"):
        rewrite(session)


def test_only_the_preserved_segment_is_rebuilt_when_it_loses_a_part() -> None:
    segment = {"headUuid": uuid(1), "tailUuid": uuid(2), "anchorUuid": uuid(4)}
    session = read(
        user(1, None, "Keep."),
        assistant(2, 1, "Kept."),
        boundary(3, preservedSegment=segment, preservedMessages={"uuids": []}),
        summary(4, 3, "Story."),
        user(5, 4, "Go on."),
        assistant(6, 5, "Ok."),
    )
    assert written(rewrite(session)) == lines(*(session.records.raw(n).decode() for n in range(6)))
    kept = (session.live[0], *session.live[2:])
    out = written(rewrite(session, kept))
    assert by_uuid(out)[uuid(3)]["compactMetadata"] == {"trigger": "auto"}
    assert request(read_bytes(out)) == request(session, kept)


def test_a_preserved_segment_stays_when_only_texts_change() -> None:
    session = read_sample("claude-code-compacted.jsonl")
    kept = cleared(session.live)
    rewriting = rewrite(session, kept, session_id=NEW_ID)
    assert rewriting.changed == 2
    assert request(read_bytes(written(rewriting))) == request(session, kept)
