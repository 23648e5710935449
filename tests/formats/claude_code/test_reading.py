"""What a Claude Code file says: blocks, who wrote them, and what is told of the session."""

from __future__ import annotations

import pytest

from app.errors import InputError
from app.model import (
    Author,
    Image,
    Opaque,
    SendStatus,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
    Usage,
    blocks_of,
    chars_of,
)
from tests.formats.claude_code.records import (
    assistant,
    boundary,
    lines,
    read,
    read_bytes,
    read_sample,
    record,
    request,
    result,
    said,
    summary,
    text,
    thinking,
    use,
    user,
    uuid,
)


def authors(*records: dict[str, object]) -> list[Author]:
    """The authors of all live texts."""
    return [block.author for _, block in blocks_of(read(*records).live) if isinstance(block, Text)]


def test_records_of_one_message_id_are_one_message() -> None:
    session = read(
        user(1, None, "Look."),
        assistant(2, 1, [thinking("Hm.")], ident="m", tokens=(10, 1)),
        assistant(3, 2, "Looking.", ident="m", tokens=(10, 1)),
        assistant(4, 3, [use("t1", file_path="/a.py")], ident="m", tokens=(10, 120)),
        user(5, 4, [result("t1", "x")]),
        assistant(6, 5, "Done.", tokens=(4, 30)),
    )
    assert [len(m.blocks) for m in session.live] == [1, 3, 1, 1]
    assert session.live[1].usage == Usage(10, 120)
    assert session.usage == Usage(14, 150)
    assert session.last_usage == Usage(4, 30)
    assert session.facts.conversation == 6
    assert session.facts.messages == 4


def test_blocks_know_their_keys_places_and_paths() -> None:
    session = read(user(1, None, "Hi"), assistant(2, 1, [text("a"), use("t1", "Edit", file_path="/a.py")]))
    call = session.live[1].blocks[1]
    assert isinstance(call, ToolUse)
    assert (call.key, call.path, call.input.value()) == (f"{uuid(2)}:1", "/a.py", {"file_path": "/a.py"})
    assert session.live[1].key == uuid(2)
    assert call.place is not None and call.place.path == ("message", "content", 1)


def test_results_keep_their_parts() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
    content = [text("See:"), image, {"type": "tool_reference", "tool_name": "X"}]
    session = read(
        user(1, None, "Go"),
        assistant(2, 1, [use("t1"), use("t2"), use("t3")]),
        user(
            3,
            2,
            [
                result("t1", content),
                {"type": "tool_result", "tool_use_id": "t2"},
                result("t3", "", is_error=True),
            ],
        ),
        assistant(4, 3, "Ok"),
    )
    first, second, third = session.live[2].blocks
    assert isinstance(first, ToolResult) and isinstance(second, ToolResult) and isinstance(third, ToolResult)
    assert [type(part) for part in first.parts] == [Text, Image, Opaque]
    assert second.parts == ()
    assert third.is_error and chars_of(third) == 0 and len(third.parts) == 1


@pytest.mark.parametrize(
    ("content", "author"),
    [
        ("Fix it.", Author.USER),
        ("<command-name>/clear</command-name>", Author.INJECTED),
        ("<local-command-stdout>ok</local-command-stdout>", Author.INJECTED),
        ("<system-reminder>\nToday.\n</system-reminder>", Author.INJECTED),
        ("<system-reminder>x</system-reminder> and do it", Author.USER),
        ("<teammate-message from='b'>hi</teammate-message>", Author.INJECTED),
        ("<task-notification>done</task-notification>", Author.INJECTED),
        ("[Request interrupted by user]", Author.INJECTED),
        ("<b>bold words</b>", Author.USER),
    ],
)
def test_user_records_are_not_always_the_users_words(content: str, author: Author) -> None:
    assert authors(user(1, None, content)) == [author]


def test_flags_tell_who_wrote() -> None:
    assert authors(user(1, None, "Caveat: ...", isMeta=True)) == [Author.INJECTED]
    found = authors(boundary(1), summary(2, 1, "The story so far."), user(3, 2, "Go on"))
    assert found == [Author.SUMMARY, Author.USER]


def test_answers_and_reasons_are_the_users_words() -> None:
    refused = (
        "The user doesn't want to proceed with this tool use. The tool use was rejected. "
        "To tell you how to proceed, the user said:\nuse the other branch"
    )
    plain = "The user doesn't want to proceed with this tool use. STOP what you are doing."
    session = read(
        user(1, None, "Go"),
        assistant(2, 1, [use("t1", "AskUserQuestion"), use("t2", "Bash"), use("t3", "Bash")]),
        user(3, 2, [result("t1", "A: yes"), result("t2", refused, is_error=True), result("t3", plain)]),
    )
    flags = [b.user_words for b in session.live[2].blocks if isinstance(b, ToolResult)]
    assert flags == [True, True, False]


def test_attachments_are_sent_as_text() -> None:
    rendered = [{"content": "<system-reminder>env</system-reminder>"}]
    session = read(
        user(1, None, "Hi"),
        record(
            2, 1, "attachment", attachment={"type": "environment"}, rendered=rendered, renderedRole="system"
        ),
        record(3, 2, "attachment", attachment={"type": "prompt_snapshot", "systemPrompt": ["x"]}),
        assistant(4, 3, "Yo"),
        record(
            5,
            4,
            "attachment",
            attachment={"type": "queued_command", "commandMode": "prompt", "prompt": "And tests"},
        ),
        record(6, 5, "attachment", attachment={"type": "nested_memory", "content": {"content": "Rules."}}),
        record(
            7,
            6,
            "attachment",
            attachment={"type": "hook_success", "content": "ok", "hookEvent": "PostToolUse"},
        ),
        assistant(8, 7, "Yes"),
    )
    assert said(session.live) == [
        ["<system-reminder>env</system-reminder>", "Hi"],
        ["Yo"],
        ["And tests", "Rules."],
        ["Yes"],
    ]
    texts = [block for block in session.live[2].blocks if isinstance(block, Text)]
    assert [block.author for block in texts] == [Author.USER, Author.INJECTED]
    assert session.facts.messages == 2 + 1  # a strict reader joins no attachments: user, assistant, assistant


def test_blank_text_before_thinking_is_left_out() -> None:
    session = read(
        user(1, None, "Hi"),
        assistant(2, 1, "\n\n", ident="m"),
        assistant(3, 2, [thinking("Hm"), text("Yo")], ident="m"),
    )
    assert [type(block) for block in session.live[1].blocks] == [Thinking, Text]
    assert request(session)[1][1] == [thinking("Hm"), text("Yo")]


def test_results_come_before_words_in_a_joined_message() -> None:
    session = read(
        user(1, None, "Go"),
        assistant(2, 1, [use("t1")], ident="m"),
        assistant(3, 2, [use("t2")], ident="m"),
        user(4, 2, [result("t1", "a")]),
        user(5, 4, "<system-reminder>x</system-reminder>"),
        user(6, 5, [text("words"), result("t2", "b")]),
        assistant(7, 6, "Ok"),
    )
    assert said(session.live)[2] == [
        "result t1",
        "result t2",
        "<system-reminder>x</system-reminder>",
        "words",
    ]


def test_server_tools_are_marked() -> None:
    blocks = [
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"type": "web_search_result"}]},
        {"type": "fallback", "from": "a", "to": "b"},
        text("Found."),
    ]
    call, found, _ = read(user(1, None, "Hi"), assistant(2, 1, blocks)).live[1].blocks
    assert isinstance(call, ToolUse) and call.server
    assert isinstance(found, ToolResult) and found.server


def test_what_a_micro_compaction_hid_is_marked_and_sent_whole() -> None:
    hid = {"trigger": "auto", "compactedToolIds": ["t1"]}
    session = read(
        user(1, None, "Go"),
        assistant(2, 1, [use("t1"), use("t2")]),
        user(3, 2, [result("t1", "long"), result("t2", "short")]),
        record(4, 3, "system", subtype="microcompact_boundary", microcompactMetadata=hid),
        assistant(5, 4, "Ok"),
    )
    assert [b.cleared_live for b in session.live[2].blocks if isinstance(b, ToolResult)] == [True, False]
    assert request(session)[2][1][0]["content"] == "long"


def test_the_title_is_the_agents_choice() -> None:
    talk = user(1, None, "Fix the login.\nSoon.")
    custom = {"type": "custom-title", "customTitle": "Mine"}
    ai = {"type": "ai-title", "aiTitle": "Theirs"}
    here = {"type": "summary", "summary": "Login fixed", "leafUuid": uuid(1)}
    elsewhere = {"type": "summary", "summary": "Another day", "leafUuid": uuid(99)}
    assert read(custom, talk, ai, here).title == "Mine"
    assert read(talk, ai, here).title == "Theirs"
    assert read(here, talk).title == "Login fixed"
    session = read(elsewhere, talk)
    assert session.title == "Fix the login."
    assert "summary-elsewhere" in {notice.word for notice in session.notices}


def test_errors_of_the_client_are_never_sent() -> None:
    failed = assistant(3, 2, "API Error: 400", isApiErrorMessage=True)
    failed["message"]["model"] = "<synthetic>"
    failed["message"]["usage"] = {"input_tokens": 0, "output_tokens": 0}
    session = read(user(1, None, "Hi"), assistant(2, 1, "Yo"), failed)
    assert said(session.live) == [["Hi"], ["Yo"]]
    assert session.messages[-1].standing is SendStatus.NEVER_SENT
    assert session.model == "claude-x"
    assert "synthetic-record" in {notice.word for notice in session.notices}


def test_a_subagents_own_file_is_a_conversation() -> None:
    session = read(
        user(1, None, "List docs.", isSidechain=True, agentId="a1"),
        assistant(2, 1, "Three files.", isSidechain=True, agentId="a1"),
    )
    assert said(session.live) == [["List docs."], ["Three files."]]


def test_an_unknown_leaf_is_refused() -> None:
    with pytest.raises(InputError, match="has no message"):
        read(user(1, None, "Hi"), leaf=7)


@pytest.mark.parametrize("data", [b"", b"\n\n", b"[]\n42\n", b'{"type":"mode","mode":"normal"}\n', b"\0\0\0"])
def test_files_without_a_conversation_are_read(data: bytes) -> None:
    session = read_bytes(data)
    assert session.live == ()
    assert session.live_leaf is None
    assert session.notices or data == b""


def test_a_real_compacted_session_is_sent_as_its_client_sends_it() -> None:
    session = read_sample("claude-code-compacted.jsonl")
    assert [message.role for message in session.live] == ["user", "assistant"] * 4
    assert session.boundaries[0].tokens_before == 23933
    assert session.live[0].boundary is session.boundaries[0]
    # The preserved message stands before the boundary in the file and behind the summary in the request.
    assert said(session.live)[1] == ["The price list is already in order; I changed nothing."]
    before = [m for m in session.messages if m.standing is SendStatus.BEFORE_BOUNDARY]
    assert len(before) == 25
    assert session.facts.branches == 1


def test_texts_are_not_kept_in_memory() -> None:
    big = "x" * 3_000_000
    session = read_bytes(lines(user(1, None, "Hi"), assistant(2, 1, big)))
    block = session.live[1].blocks[0]
    assert isinstance(block, Text)
    assert (block.content.chars, len(block.content.preview)) == (3_000_000, 160)
    assert block.content.read() == big
