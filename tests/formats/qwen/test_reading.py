"""What a Qwen Code file says: blocks, who wrote them, what is sent of it, and what is told of the session."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import Any

import pytest

from app.errors import InputError
from app.formats import detect
from app.formats.source import BytesSource
from app.model import Author, Session, Text, Thinking, ToolResult, ToolUse, Usage, text_of
from tests.formats.claude_code.records import said, uuid
from tests.formats.claude_code.records import user as claude_user
from tests.formats.edits import written
from tests.formats.qwen.records import (
    FORMAT,
    NEW_ID,
    OLD_ID,
    answer,
    call,
    compressed,
    content,
    lines,
    model,
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


def standings(session: Session) -> dict[str, list[list[str]]]:
    found: dict[str, list[list[str]]] = {}
    for message in session.messages:
        found.setdefault(str(message.standing), []).append(said([message])[0])
    return found


def test_the_sample_is_read_as_the_client_sends_it() -> None:
    session = read_sample()
    assert (session.session_id, session.cwd) == ("046aa847-dd11-4aac-ae8d-5bfb3f56db78", "/home/dev/project")
    assert (session.model, session.title) == (
        "qwen3-coder-plus",
        "Find out why the cart test fails and fix it.",
    )
    assert (session.facts.records, session.facts.messages, session.notices) == (82, 10, ())
    assert session.last_usage == Usage(0, 8, 29723)
    (mark,) = session.boundaries
    assert (mark.tokens_before, mark.tokens_after, mark.trigger) == (31168, 20602, "manual")
    summary, ack, third, *_ = session.live
    assert summary.boundary == mark
    authors = [block.author for block in (*summary.blocks, *third.blocks) if isinstance(block, Text)]
    assert authors == [Author.SUMMARY, Author.INJECTED, Author.INJECTED, Author.INJECTED, Author.USER]
    assert said([ack]) == [["Got it. Thanks for the additional context!"]]
    assert len(request(session)) == 10
    assert len(standings(session)["before-boundary"]) == 26


def test_parts_of_every_kind_are_read_where_they_lie() -> None:
    picture = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}
    session = read(
        user(1, None, "Look.", picture),
        model(2, 1, thought("Hm"), "Reading.", call("a", file_path="/a"), call("b", "run_shell_command")),
        result(3, 2, answer("a", "one")),
        result(4, 3, answer("b", "bad", member="error"), picture),
        user(5, 4, "And?", subtype="mid_turn_user_message"),
        model(6, 5, "Done.", tokens=(100, 7)),
    )
    asked, reply, results, _ = session.live
    assert [block.kind for block in asked.blocks] == ["text", "image"]
    assert [block.kind for block in reply.blocks] == ["thinking", "text", "tool_use", "tool_use"]
    assert said([results]) == [["result a", "result b", "And?"]]
    use, bad = reply.blocks[2], results.blocks[1]
    assert isinstance(use, ToolUse) and isinstance(bad, ToolResult)
    assert (use.path, use.name) == ("/a", "read_file")
    assert (bad.is_error, [part.kind for part in bad.parts]) == (True, ["text", "image"])
    assert results.records == (2, 3, 4)
    assert isinstance(reply.blocks[0], Thinking)
    assert (session.usage, session.last_usage) == (Usage(110, 12), Usage(100, 7))
    assert [role for role, _ in request(session)] == ["user", "model", "user", "model"]


def test_who_wrote_a_text_is_told_from_the_record() -> None:
    session = read(
        user(1, None, "Mine."),
        user(2, 1, "<task-notification>x</task-notification>", subtype="notification", provenance="system"),
        user(3, 2, "Each hour.", subtype="cron", provenance="system"),
        user(4, 3, "[snipped 4 messages]", subtype="notification", provenance="system"),
        user(5, 4, "<system-reminder>Today.</system-reminder>"),
        user(6, 5, "Now.", "<qwen:user-prompt-submit-context>\nhook\n</qwen:user-prompt-submit-context>"),
        model(7, 6, "Hello."),
    )
    blocks = [block for message in session.live for block in message.blocks]
    assert [(text_of(block)[:8], block.author) for block in blocks if isinstance(block, Text)] == [
        ("Mine.", Author.USER),
        ("<task-no", Author.INJECTED),
        ("Each hou", Author.INJECTED),
        ("[snipped", Author.MARKER),
        ("<system-", Author.INJECTED),
        ("Now.", Author.USER),
        ("<qwen:us", Author.INJECTED),
        ("Hello.", Author.ASSISTANT),
    ]


def test_links_of_other_records_lead_through_and_the_last_compression_governs() -> None:
    session = read(
        user(1, None, "Old."),
        system(2, 1, "ui_telemetry", uiEvent={}),
        model(3, 2, "Work."),
        compressed(4, 3, content("user", "First story."), content("user", "Kept.")),
        user(5, 4, "Mid."),
        compressed(6, 5, content("user", "Second story.")),
        user(7, 6, "Go on."),
        model(8, 7, "Done."),
    )
    assert said(session.live) == [["Second story.", "Go on."], ["Done."]]
    assert [mark.key for mark in session.boundaries] == [uuid(4), uuid(6)]
    assert session.live[0].boundary == session.boundaries[1]
    assert standings(session)["before-boundary"] == [
        ["Old."],
        ["Work."],
        ["First story.", "Kept.", "Mid."],
    ]
    kept = next(m for m in session.messages if said([m])[0][0] == "First story.").blocks[1]
    assert isinstance(kept, Text) and kept.author is Author.USER


def test_a_command_that_the_client_ran_itself_is_not_sent() -> None:
    shown = {"phase": "result", "rawCommand": "/about", "outputHistoryItems": [{"type": "assistant"}]}
    session = read(
        user(1, None, "Hi"),
        model(2, 1, "Yo"),
        user(3, 2, "/about"),
        system(4, 3, "slash_command", **shown),
        user(5, 4, "Go."),
    )
    assert said(session.live) == [["Hi"], ["Yo"], ["Go."]]
    assert standings(session)["never-sent"] == [["/about"]]
    sent = {**shown, "sentToModel": True}
    session = read(user(1, None, "/about"), system(2, 1, "slash_command", **sent), user(3, 2, "Go."))
    assert said(session.live) == [["/about", "Go."]]


def test_a_run_of_replies_with_an_empty_part_is_not_sent() -> None:
    session = read(
        user(1, None, "Hi"),
        model(2, 1, ""),
        model(3, 2, "Yes."),
        user(4, 3, "Well?"),
        model(5, 4, "(request timeout)"),
        user(6, 5, "Hello?"),
        model(7, 6, thought(""), "Here."),
    )
    assert said(session.live)[:1] == [["Hi", "Well?", "Hello?"]]
    assert standings(session)["never-sent"] == [[""], ["Yes."], ["(request timeout)"], ["thinking", "Here."]]
    spoken = read(user(1, None, "Hi"), user(2, 1, "Aloud.", subtype="realtime_message"), user(3, 2, "Go."))
    assert said(spoken.live) == [["Hi", "Go."]]


def test_records_of_one_uuid_are_one_message() -> None:
    session = read(
        user(1, None, "Hi"),
        model(2, 1, "One. "),
        model(2, 1, "Two.", call("a")),
        result(3, 2, answer("a", "x")),
    )
    assert said(session.live) == [["Hi"], ["One. ", "Two.", "use a"], ["result a"]]
    assert session.live[1].records == (1, 2)
    keys = [block.key for message in session.live for block in message.blocks]
    assert len(set(keys)) == len(keys)


def test_a_rewind_leaves_a_branch() -> None:
    rows = (
        user(1, None, "Ask."),
        model(2, 1, "One."),
        user(3, 2, "Left."),
        model(4, 3, "Left too."),
        system(5, 2, "rewind", turn=1),
        user(6, 5, "Now."),
        system(7, 6, "session_artifact_event", x=1),
    )
    session = read(*rows)
    assert said(session.live) == [["Ask."], ["One."], ["Now."]]
    assert [(leaf.key, leaf.messages) for leaf in session.leaves] == [(uuid(6), 3), (uuid(4), 2)]
    assert [notice.word for notice in session.notices] == ["forked"]
    other = read(*rows, leaf=4)
    assert said(other.live) == [["Ask."], ["One."], ["Left."], ["Left too."]]
    with pytest.raises(InputError, match="no message"):
        read(*rows, leaf=77)


def test_the_title_is_the_newest_that_was_given() -> None:
    session = read(
        user(1, None, "Hi"),
        system(2, 1, "custom_title", customTitle="First"),
        system(3, 2, "custom_title", customTitle="Second"),
    )
    assert session.title == "Second"


def test_files_are_told_from_those_of_other_agents() -> None:
    assert detect(BytesSource(lines(user(1, None, "Hi")))).name == "qwen-code"
    assert FORMAT.sniff(BytesSource(lines(system(1, None, "ui_telemetry", uiEvent={}))))
    assert not FORMAT.sniff(BytesSource(lines(claude_user(1, None, "Hi"))))
    assert not FORMAT.sniff(BytesSource(b'{"role":"user","parts":[{"text":"Hi"}]}\n'))


def test_names_and_commands_are_those_of_the_client() -> None:
    assert FORMAT.new_name(PurePath("/c/a.jsonl"), NEW_ID) == f"{NEW_ID}.jsonl"
    assert FORMAT.new_name(PurePath("/c/a.jsonl"), None) == "a.jsonl"
    assert FORMAT.resume_command(NEW_ID) == f"qwen --resume {NEW_ID}"


@pytest.mark.parametrize(
    ("records", "word"),
    [
        ((user(1, 9, "Hi"),), "missing-parent"),
        ((user(1, 2, "Hi"), model(2, 1, "Yo")), "cycle"),
        ((user(1, None, "Hi"), system(2, 1, "hologram")), "unknown-record-type"),
        ((user(1, None, "Hi"), {"type": "hologram", "uuid": uuid(2)}), "unknown-record-type"),
        ((user(1, None, "Hi"), model(2, 1, call("a"))), "open-call"),
        ((user(1, None, "Hi"), model(2, 1, "Yo"), result(3, 2, answer("z", "x"))), "orphan-result"),
        ((user(1, None, "Hi"), user(2, 1, "Hi", sessionId="other")), "several-sessions"),
        ((record(1, None, "user", message={"role": "me", "parts": [{"text": "Hi"}]}),), "bad-role"),
        ((system(1, None, "ui_telemetry", uiEvent={}),), "no-conversation"),
    ],
)
def test_what_is_wrong_is_told(records: tuple[Any, ...], word: str) -> None:
    assert word in [notice.word for notice in read(*records).notices]


def test_a_break_is_bridged_and_the_strict_count_says_what_the_client_would_send() -> None:
    session = read(user(1, None, "Hi"), model(2, 1, "Yo"), user(4, 3, "There"), model(5, 4, "Now"))
    assert said(session.live) == [["Hi"], ["Yo"], ["There"], ["Now"]]
    assert (session.facts.messages, session.facts.missing_parents) == (2, (uuid(3),))


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"type": "user"},
        {"type": "user", "uuid": "a", "parentUuid": 5, "message": {"parts": 5}},
        {
            "type": "user",
            "uuid": "a",
            "parentUuid": None,
            "message": {"role": "user", "parts": [None, 1, "x"]},
        },
        {"type": "assistant", "uuid": "a", "message": {"role": "model", "parts": [{"functionCall": 5}]}},
        {"type": "assistant", "uuid": "a", "message": {"parts": [{"functionCall": {}}]}, "usageMetadata": 7},
        {"type": "tool_result", "uuid": "a", "message": {"parts": [{"functionResponse": {"response": [1]}}]}},
        {
            "type": "system",
            "uuid": "a",
            "subtype": "chat_compression",
            "systemPayload": {"compressedHistory": 7},
        },
        {"type": "system", "uuid": "a", "subtype": "slash_command", "systemPayload": {"phase": "result"}},
        {"type": "system", "uuid": "a", "subtype": ["x"], "systemPayload": []},
        {"type": ["x"], "uuid": ["a"]},
    ],
)
def test_no_value_is_too_strange_to_read_and_to_write_again(value: Any) -> None:
    strange = (json.dumps(value), "[1]", "null")
    session = read(user(1, None, "Hi"), model(2, 1, "Yo"), *strange, user(3, 2, "Go"))
    assert said(session.live) == [["Hi"], ["Yo"], ["Go"]]
    data = written(rewrite(session, session_id=NEW_ID, title="T"))
    assert said(read_bytes(data).live) == [["Hi"], ["Yo"], ["Go"]]
    assert OLD_ID not in data.decode()


@pytest.mark.parametrize(("value", "hides"), [([], True), (7, True), (None, False), (0, False), ("", False)])
def test_a_compression_that_left_nothing_hides_what_stands_above_it(value: Any, hides: bool) -> None:
    row = compressed(2, 1)
    row["systemPayload"]["compressedHistory"] = value
    session = read(user(1, None, "Old."), row, user(3, 2, "Go."))
    assert said(session.live) == ([["Go."]] if hides else [["Old.", "Go."]])
    assert [message.boundary is not None for message in session.live] == [hides]


def test_a_compression_of_strange_contents_is_read() -> None:
    row = compressed(2, 1, content("user", "Story."), {"role": "model"}, {"parts": [7]})
    row["systemPayload"]["compressedHistory"].append("bare")
    session = read(user(1, None, "Old."), row, user(3, 2, "Go."))
    assert said(session.live)[0][0] == "Story."
    data = written(rewrite(session, session_id=NEW_ID))
    assert said(read_bytes(data).live)[0][0] == "Story."


def test_a_session_of_an_older_client_is_told_from_claude_code() -> None:
    rows = [user(1, None, "Ask."), system(2, 1, "custom_title", customTitle="T")]
    bare = [{name: row[name] for name in row if name != "provenance"} for row in rows]
    assert detect(BytesSource(lines(*bare))).name == "qwen-code"
