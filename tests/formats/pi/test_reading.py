"""What a pi file says: blocks, who wrote them, what is sent of it, and what is told of the session."""

from __future__ import annotations

import base64
import json
from pathlib import PurePath
from typing import Any

import pytest

from app.errors import InputError
from app.formats import detect
from app.formats.base import Rewrite
from app.formats.source import BytesSource
from app.model import Author, Message, Role, SendStatus, Session, Text, Thinking, ToolResult, Usage, text_of
from tests.formats.claude_code.records import said as words
from tests.formats.edits import written
from tests.formats.pi.records import (
    FORMAT,
    NEW_ID,
    OLD_ID,
    assistant,
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
from tests.validity.made import png


def standings(session: Session) -> dict[str, list[list[str]]]:
    found: dict[str, list[list[str]]] = {}
    for message in session.messages:
        found.setdefault(str(message.standing), []).append(words([message])[0])
    return found


def test_the_sample_is_read_as_pi_sends_it() -> None:
    session = read_sample()
    assert FORMAT.sniff(session.records.source)  # type: ignore[attr-defined]
    assert (session.session_id, session.cwd) == ("01a22b90-3810-74f1-9bbf-cfc473102811", "/home/dev/project")
    assert (session.model, session.title) == ("mock-s", "Find out why the cart test fails and fix it.")
    assert session.facts.records == 44
    assert session.facts.messages == len(request(session)) == 30
    assert session.last_usage == Usage(3, 8, 21076, 6192)
    assert session.notices == ()
    (mark,) = session.boundaries
    assert (mark.tokens_before, mark.hides, mark.trigger) == (32335, True, "auto")
    assert [m.standing for m in session.messages[:6]] == [SendStatus.BEFORE_BOUNDARY] * 6
    system, summary, first, *_ = session.live
    assert (system.role, summary.boundary, first.key) == (Role.SYSTEM, mark, "db131d76")
    sent = request(session)[0][1][0]["text"]
    assert sent.startswith("The conversation history before this point was compacted")
    assert sent.endswith("\n</summary>")


def test_blocks_of_every_kind_are_read_where_they_lie() -> None:
    session = read(
        user(1, None, [text("Look."), image()]),
        assistant(2, 1, [thinking("Hm"), text("Reading."), call("t1", path="/a"), call("t2", "bash")]),
        result(3, 2, "t1", "one"),
        result(4, 3, "t2", [text("bad"), image()], isError=True),
        assistant(5, 4, "Done."),
    )
    asked, reply, results, done = session.live
    assert [block.kind for block in asked.blocks] == ["text", "image"]
    assert [block.kind for block in reply.blocks] == ["thinking", "text", "tool_use", "tool_use"]
    assert words([results, done]) == [["result t1", "result t2"], ["Done."]]
    assert results.records == (3, 4)
    bad = results.blocks[1]
    assert isinstance(bad, ToolResult)
    assert (bad.is_error, [part.kind for part in bad.parts]) == (True, ["text", "image"])
    place = bad.parts[0].place
    assert place is not None
    assert (place.record, place.path) == (4, ("message", "content", 0))
    use = reply.blocks[2]
    assert use.path == "/a"  # type: ignore[union-attr]
    seal = reply.blocks[0]
    assert isinstance(seal, Thinking) and seal.signature_chars == 4
    assert (session.usage, reply.usage, reply.model) == (Usage(20, 10), Usage(10, 5), "m")


def test_a_result_of_pictures_alone_is_sent_behind_pis_own_words() -> None:
    picture = image(base64.b64encode(png(1, 1)).decode())
    session = read(user(1, None, "Look."), assistant(2, 1, [call("t1")]), result(3, 2, "t1", [picture]))
    (sent,) = request(session)[-1][1]
    assert [part["type"] for part in sent["content"]] == ["text", "image"]
    assert sent["content"][0]["text"] == "(see attached image)"
    again = read_bytes(written(rewrite(session, session_id=NEW_ID)))
    assert request(again) == request(session)


def test_who_wrote_a_text_is_told_from_the_entry() -> None:
    session = read(
        user(1, None, "Mine."),
        entry(2, 1, "custom_message", customType="ext", content="Injected.", display=True),
        said(3, 2, "bashExecution", command="ls", output="a\nb", exitCode=2, cancelled=False),
        said(4, 3, "bashExecution", command="x", output="", exitCode=0, excludeFromContext=True),
        entry(5, 4, "branch_summary", summary="Elsewhere.", fromId="x"),
        entry(6, 5, "custom", customType="ext", data={"content": "state"}),
        said(7, 6, "custom", customType="ext", content=[text("[snipped 4 messages]")], display=True),
        assistant(8, 7, "Hello."),
    )
    blocks = [block for message in session.live for block in message.blocks]
    assert [(text_of(block), block.author) for block in blocks if isinstance(block, Text)] == [
        ("Mine.", Author.USER),
        ("Injected.", Author.INJECTED),
        ("Ran `ls`\n```\na\nb\n```\n\nCommand exited with code 2", Author.INJECTED),
        ("Elsewhere.", Author.SUMMARY),
        ("[snipped 4 messages]", Author.MARKER),
        ("Hello.", Author.ASSISTANT),
    ]
    assert standings(session)["never-sent"] == [["Ran `x`\n(no output)"]]
    (mark,) = session.boundaries
    assert (mark.removed, mark.hides) == (4, False)
    assert request(session)[3][1][0]["text"] == (
        "The following is a summary of a branch that this conversation came back from:\n\n"
        "<summary>\nElsewhere.</summary>"
    )


def test_a_compaction_is_sent_before_what_it_keeps() -> None:
    session = read(
        user(1, None, "Old."),
        assistant(2, 1, "Work."),
        user(3, 2, "Kept."),
        assistant(4, 3, "Kept too."),
        compacted(5, 4, 3, "First story."),
        user(6, 5, "More."),
        assistant(7, 6, "Done."),
        compacted(8, 7, 6, "Second story."),
        user(9, 8, "Go on."),
    )
    assert words(session.live) == [["Second story."], ["More."], ["Done."], ["Go on."]]
    hidden = [["Old."], ["Work."], ["Kept."], ["Kept too."], ["First story."]]
    assert standings(session)["before-boundary"] == hidden
    assert [mark.key for mark in session.boundaries] == [ident(5), ident(8)]
    assert session.live[0].boundary == session.boundaries[1]


def test_a_compaction_that_keeps_nothing_names_itself() -> None:
    session = read(user(1, None, "Old."), compacted(2, 1, 2), user(3, 2, "New."))
    assert words(session.live) == [["Story."], ["New."]]


def test_the_newest_edit_of_a_message_counts_and_the_old_content_stays_in_the_file() -> None:
    session = read(
        user(1, None, "Read."),
        assistant(2, 1, [call("t1")]),
        result(3, 2, "t1", "long " * 99),
        assistant(4, 3, [thinking("Hm"), text("Wordy.")]),
        user(5, 4, "Never mind."),
        edit(6, 5, 3, "first"),
        edit(7, 6, 3, [text("short")]),
        edit(8, 7, 4, "Brief."),
        edit(9, 8, 5, None),
        user(10, 9, "Go on."),
    )
    assert [content for _, content in request(session)] == [
        [text("Read.")],
        [{"type": "tool_use", "id": "t1", "name": "read", "input": {}}],
        [{"type": "tool_result", "tool_use_id": "t1", "content": "short", "is_error": False}],
        [text("Brief.")],
        [text("Go on.")],
    ]
    assert standings(session)["never-sent"] == [["Never mind."]]
    assert [message.key for message in session.live] == [ident(n) for n in (1, 2, 3, 4, 10)]
    # A branch that left before the edit does not have it.
    earlier = read(user(1, None, "Hi"), user(2, 1, "There"), edit(3, 2, 1, "Edited"), user(4, 2, "Now"))
    assert words(earlier.live) == [["Hi"], ["There"], ["Now"]]


def test_replies_that_broke_off_and_another_models_thinking_are_not_sent() -> None:
    session = read(
        user(1, None, "Hi"),
        assistant(2, 1, [thinking("Old"), text("Yes.")], model="other"),
        assistant(3, 2, "Half a w", stopReason="aborted"),
        user(4, 3, "Go on."),
        assistant(5, 4, [thinking("New"), text(" "), text("Done.")]),
    )
    assert words(session.live) == [["Hi"], ["Yes."], ["Go on."], ["thinking", "Done."]]
    assert standings(session)["never-sent"] == [["Half a w"]]
    assert session.last_usage == Usage(10, 5)


def test_another_providers_replies_are_given_without_what_only_it_can_read() -> None:
    seal = json.dumps({"id": "rs_1", "encrypted_content": "x" * 40})
    session = read(
        user(1, None, "Hi"),
        assistant(2, 1, [thinking("", seal), call("call_1|fc_1", path="/a")], api="openai-responses"),
        result(3, 2, "call_1|fc_1", "one"),
        assistant(4, 3, [thinking("Bare", ""), text("Done.")], api="openai-completions"),
    )
    assert [block.kind for block in session.live[1].blocks] == ["thinking", "tool_use"]
    (_, [use]), (_, [answer]), (_, said_last) = request(session)[1:]
    assert use["id"] == answer["tool_use_id"] != "call_1|fc_1"
    assert said_last == [text("Bare"), text("Done.")]
    assert session.notices == ()


def test_the_branch_that_ends_last_is_live_and_others_can_be_chosen() -> None:
    entries = (
        user(1, None, "Ask."),
        assistant(2, 1, "One."),
        user(3, 2, "Left."),
        assistant(4, 3, "Left too."),
        user(5, 2, "Now."),
        entry(6, 5, "label", targetId=ident(1), label="here"),
    )
    session = read(*entries)
    assert words(session.live) == [["Ask."], ["One."], ["Now."]]
    assert [(leaf.key, leaf.messages, leaf.preview) for leaf in session.leaves] == [
        (ident(5), 3, "Now."),
        (ident(4), 2, "Left too."),
    ]
    assert [notice.word for notice in session.notices] == ["forked"]
    other = read(*entries, leaf=4)
    assert words(other.live) == [["Ask."], ["One."], ["Left."], ["Left too."]]
    assert other.live_leaf == ident(4)
    with pytest.raises(InputError, match="no message"):
        read(*entries, leaf=77)


def test_version_1_has_no_ids_and_keeps_by_number() -> None:
    old = [user(1, None, "Old."), user(2, 1, "Kept."), compacted(3, 2, 1), user(4, 3, "New.")]
    for row in old:
        del row["id"], row["parentId"]
    del old[2]["firstKeptEntryId"]
    old[2]["firstKeptEntryIndex"] = 2
    first = header()
    del first["version"]
    session = read_bytes(lines(first, *old))
    assert words(session.live) == [["Story."], ["Kept."], ["New."]]
    assert session.session_id == OLD_ID
    assert all(message.key.startswith("@") for message in session.messages)


def test_the_system_prompt_is_shown_in_its_sections_and_is_no_message_of_the_request() -> None:
    sections = {"rules": "Be brief.", "gone": None}
    session = read(
        said(1, None, "system", content="", sections=sections, toolsAdded=[{"name": "read"}]),
        user(2, 1, "Hi"),
    )
    prompt = session.live[0]
    assert (prompt.role, [block.kind for block in prompt.blocks]) == (Role.SYSTEM, ["text", "opaque"])
    assert text_of(prompt.blocks[0]) == "Be brief."
    assert request(session) == [("user", [text("Hi")])]


def test_the_name_given_in_the_agent_is_the_title() -> None:
    session = read(
        user(1, None, "Hi"),
        entry(2, 1, "session_info", name="First"),
        entry(3, 2, "session_info", name=" Second "),
    )
    assert session.title == "Second"
    assert read(user(1, None, "Hi"), entry(2, 1, "session_info", name="")).title == "Hi"


def test_files_are_told_by_their_header_or_their_entries() -> None:
    whole = lines(header(), user(1, None, "Hi"))
    assert detect(BytesSource(whole)).name == "pi"
    assert FORMAT.sniff(BytesSource(b"\xef\xbb\xbf\n" + whole))
    assert FORMAT.sniff(BytesSource(lines(user(1, None, "Hi"))))
    assert not FORMAT.sniff(BytesSource(lines({"type": "session", "id": "x", "payload": {}, "cwd": "/"})))
    assert not FORMAT.sniff(BytesSource(lines({"type": "message", "role": "user", "content": "x"})))


def test_names_and_commands_are_those_of_pi() -> None:
    old = PurePath("/s/2026-11-30T08-26-41-552Z_5e550000-0000-7000-8000-000000000001.jsonl")
    assert FORMAT.new_name(old, NEW_ID) == f"2026-11-30T08-26-41-552Z_{NEW_ID}.jsonl"
    assert FORMAT.new_name(PurePath("x.jsonl"), NEW_ID).endswith(f"Z_{NEW_ID}.jsonl")
    assert FORMAT.new_name(old, None) == old.name
    assert FORMAT.resume_command(NEW_ID) == f"pi --session {NEW_ID}"


@pytest.mark.parametrize(
    ("entries", "word"),
    [
        ((user(1, 9, "Hi"),), "missing-parent"),
        ((user(1, 2, "Hi"), assistant(2, 1, "Yo")), "cycle"),
        ((user(1, 1, "Hi"),), "cycle"),
        ((user(1, None, "Hi"), user(1, None, "Again")), "duplicate-uuid"),
        ((user(1, None, "Hi"), entry(2, 1, "hologram")), "unknown-record-type"),
        ((user(1, None, "Hi"), assistant(2, 1, [call("t1")])), "open-call"),
        ((user(1, None, "Hi"), result(2, 1, "t9", "x")), "orphan-result"),
        ((user(1, None, "Hi"), assistant(2, 1, [thinking("")])), "thinking-emptied"),
        ((entry(1, None, "label", targetId="x"),), "no-conversation"),
    ],
)
def test_what_is_wrong_is_told(entries: tuple[Any, ...], word: str) -> None:
    session = read(*entries)
    assert word in [notice.word for notice in session.notices]


def test_a_break_is_bridged_and_the_strict_count_says_what_pi_would_send() -> None:
    session = read(user(1, None, "Hi"), assistant(2, 1, "Yo"), user(4, 3, "There"), assistant(5, 4, "Now"))
    assert words(session.live) == [["Hi"], ["Yo"], ["There"], ["Now"]]
    assert session.facts.messages == 2
    assert session.facts.missing_parents == (ident(3),)


def test_a_file_without_its_header_is_read_and_said_to_be_so() -> None:
    session = read_bytes(lines(user(1, None, "Hi")))
    assert [notice.word for notice in session.notices] == ["no-session-header"]
    assert session.session_id is None
    assert words(session.live) == [["Hi"]]


def test_a_newer_version_is_read_as_far_as_it_is_known_and_kept_as_it_is() -> None:
    data = lines(header(version=4), user(1, None, "Hi"), assistant(2, 1, "Yo"))
    session = read_bytes(data)
    assert [notice.word for notice in session.notices] == ["unknown-version"]
    assert words(session.live) == [["Hi"], ["Yo"]]
    kept = b"".join(FORMAT.rewrite(session, Rewrite(session.live, session_id=NEW_ID)).pieces())
    assert kept.replace(NEW_ID.encode(), OLD_ID.encode()).startswith(data)


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"type": "message"},
        {"type": "message", "id": 7, "message": {"role": "user", "content": 5}},
        {"type": "message", "id": "a", "parentId": 5, "message": {"role": ["user"]}},
        {"type": "message", "id": "a", "message": {"role": "assistant", "content": [None, 1, "x", {}]}},
        {"type": "message", "id": "a", "message": {"role": "toolResult"}},
        {"type": "message", "id": "a", "message": {"role": "bashExecution"}},
        {"type": "message", "id": "a", "message": {"role": "system", "sections": [], "toolsAdded": 5}},
        {"type": "compaction", "id": "a", "summary": None, "firstKeptEntryId": 5, "details": []},
        {"type": "context_edit", "id": "a", "targetId": "00000001", "replacement": "bare"},
        {"type": "context_edit", "id": "a", "targetId": "00000001", "replacement": {}},
        {"type": "branch_summary", "id": "a"},
        {"type": ["x"]},
        {"type": "session"},
    ],
)
def test_no_value_is_too_strange_to_read_and_to_write_again(value: Any) -> None:
    strange = (json.dumps(value), "[1]", "null")
    session = read(user(1, None, "Hi"), assistant(2, 1, "Yo"), *strange, user(3, 2, "Go"))
    messages: tuple[Message, ...] = session.live
    assert words(messages)[-1] == ["Go"]
    data = written(rewrite(session, session_id=NEW_ID, title="T"))
    assert words(read_bytes(data).live)[-1] == ["Go"]
