"""Chat Completions messages as blocks, and written back."""

from __future__ import annotations

import json
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
    Opaque,
    Role,
    SendStatus,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
    Usage,
    text_of,
    with_text,
)
from tests.formats.plain_files import DATA, load, made, plan, requested, saying, words, write

DOCUMENT = DATA / "plain" / "chat-messages.json"
LINES = DATA / "plain" / "chat-messages.jsonl"
TRAJECTORY = DATA / "plain" / "trajectory.traj.json"


def changed(message: Message, number: int, block: Block) -> Message:
    blocks = list(message.blocks)
    blocks[number] = block
    return replace(message, blocks=tuple(blocks))


def result_of(message: Message) -> ToolResult:
    block = message.blocks[0]
    assert isinstance(block, ToolResult)
    return block


def call_of(message: Message, number: int) -> ToolUse:
    block = message.blocks[number]
    assert isinstance(block, ToolUse)
    return block


def test_every_part_of_a_message_is_a_block() -> None:
    session = load(DOCUMENT)
    roles = [Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.TOOL, Role.TOOL, Role.ASSISTANT, Role.USER]
    assert [message.role for message in session.live] == roles
    system, asked = session.live[0].blocks[0], session.live[1].blocks
    assert isinstance(system, Text) and system.author is Author.SYSTEM
    assert isinstance(asked[0], Text) and asked[0].author is Author.USER
    assert isinstance(asked[1], Image) and asked[1].media_type == "image/png"
    reasoning = session.live[2].blocks[0]
    assert isinstance(reasoning, Thinking) and text_of(reasoning) == "A square?"
    assert result_of(session.live[3]).tool_use_id == "call_1"
    assert text_of(session.live[4].blocks[0]) == "no such file"
    assert words(session) == set()


def test_arguments_are_read_as_their_text_and_valued_as_an_object() -> None:
    session = load(DOCUMENT)
    good, bad = call_of(session.live[2], 1), call_of(session.live[2], 2)
    assert good.input.read() == '{"path": "/w/x.png"}'
    assert good.input.value() == {"path": "/w/x.png"}
    assert good.path == "/w/x.png"
    assert (bad.input.read(), bad.input.value()) == ("not json", {})
    for arguments in ("[1]", "9" * 5000, "[" * 5000, "", None, {"path": "p"}):
        talk = [{"role": "assistant", "content": None, "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "f", "arguments": arguments}}]}]  # fmt: skip
        assert call_of(load(talk).live[0], 0).input.value() in ({}, {"path": "p"})


@pytest.mark.parametrize("path", [DOCUMENT, LINES, TRAJECTORY], ids=["document", "lines", "trajectory"])
def test_an_unedited_file_keeps_every_byte(path: Any) -> None:
    session = load(path)
    rewriting = plan(session, *session.live)
    assert b"".join(rewriting.pieces()) == path.read_bytes()
    assert (rewriting.changed, rewriting.added, rewriting.dropped, rewriting.repairs) == (0, 0, 0, ())


@pytest.mark.parametrize("end", [b"", b"\n", b"\n\n"])
def test_blank_lines_stay_whether_the_last_line_is_ended_or_not(end: bytes) -> None:
    data = LINES.read_bytes().strip().replace(b"\n", b"\n\n") + end
    rewriting = plan(load(data), *load(data).live)
    assert b"".join(rewriting.pieces()) == data + (b"" if end else b"\n")
    assert (rewriting.changed, rewriting.added, rewriting.dropped, rewriting.repairs) == (0, 0, 0, ())


@pytest.mark.parametrize("path", [DOCUMENT, LINES], ids=["document", "lines"])
def test_a_cleared_result_is_the_only_thing_that_changes(path: Any) -> None:
    session = load(path)
    messages = list(session.live)
    messages[3] = changed(session.live[3], 0, with_text(result_of(session.live[3]), "[cleared]"))
    rewriting = plan(session, *messages)
    assert (rewriting.kept, rewriting.changed) == (6, 1)
    out = b"".join(rewriting.pieces())
    assert out == path.read_bytes().replace(json.dumps("black\n" * 40).encode(), b'"[cleared]"')
    assert requested(load(out), *load(out).live) == requested(session, *messages)


def test_a_trajectory_is_a_chat_whose_last_word_is_not_sent() -> None:
    session = load(TRAJECTORY)
    assert session.format == "openai-chat"
    assert [message.standing for message in session.messages].count(SendStatus.NEVER_SENT) == 1
    assert session.facts.messages == 4
    assert session.model == "gpt-test"
    assert session.last_usage == Usage(500, 20, 400)
    assert [message.time for message in session.live] == [None, None, None, 1796028337.25]


def test_a_trajectory_loses_both_copies_of_a_cleared_output() -> None:
    session = load(TRAJECTORY)
    messages = list(session.live)
    messages[3] = changed(session.live[3], 0, with_text(result_of(session.live[3]), "[cleared]"))
    out = write(session, *messages)
    assert b"guide.md" not in out
    assert json.loads(out)["messages"][3]["extra"]["returncode"] == 0
    assert json.loads(out)["messages"][4]["role"] == "exit"
    assert out.startswith(TRAJECTORY.read_bytes()[: out.index(b"[cleared]") - 20])


def test_choices_are_branches_and_stay_in_the_file() -> None:
    path = DATA / "cases" / "038-several-choices.json"
    session = load(path)
    assert [message.standing for message in session.messages] == [
        SendStatus.LIVE, SendStatus.OFF_BRANCH, SendStatus.OFF_BRANCH,
    ]  # fmt: skip
    assert text_of(session.messages[1].blocks[0]) == "Mild, I guess."
    assert call_of(session.messages[2], 0).input.value() == {"city": "Paris"}
    assert "forked" in words(session)
    assert session.facts.branches == 2
    assert write(session, *session.live) == path.read_bytes()


def test_a_call_without_its_words_and_words_without_their_call() -> None:
    session = load(DOCUMENT)
    message = session.live[2]
    quiet = requested(session, replace(message, blocks=message.blocks[1:]))[0]
    assert "reasoning_content" not in quiet
    assert quiet["content"] is None
    halved = requested(session, replace(message, blocks=(message.blocks[0], message.blocks[2])))[0]
    assert [call["id"] for call in halved["tool_calls"]] == ["call_2"]
    silent = requested(session, replace(message, blocks=message.blocks[:1]))[0]
    assert "tool_calls" not in silent


def test_dropped_words_beside_a_call_leave_null() -> None:
    session = load([{"role": "assistant", "content": "words", "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "a", "content": "x"}])  # fmt: skip
    message = session.live[0]
    assert requested(session, replace(message, blocks=message.blocks[1:]))[0]["content"] is None


def test_edited_arguments_are_a_string_again() -> None:
    session = load(DOCUMENT)
    call = call_of(session.live[2], 1)
    edited = changed(session.live[2], 1, replace(call, input=HeldValue({"path": "short"})))
    function = requested(session, edited)[0]["tool_calls"][0]["function"]
    assert function == {"name": "look", "arguments": '{"path":"short"}'}
    out = write(session, *session.live[:2], edited, *session.live[3:])
    assert (
        b'"id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{\\"path\\":' in out
    )


def test_parts_may_be_dropped_changed_and_added() -> None:
    session = load(DOCUMENT)
    message = session.live[1]
    whole = json.loads(DOCUMENT.read_text())[1]["content"]
    assert requested(session, replace(message, blocks=message.blocks[1:]))[0]["content"] == whole[1:]
    asked = changed(message, 0, saying(message.blocks[0], "What?"))
    assert requested(session, asked)[0]["content"] == [{"type": "text", "text": "What?"}, whole[1]]
    more = replace(message, blocks=(*message.blocks, Text("n", Held("More."), Author.INJECTED)))
    assert requested(session, more)[0]["content"] == [*whole, {"type": "text", "text": "More."}]
    words_only = changed(message, 1, Text(message.blocks[1].key, Held("[image]"), Author.INJECTED))
    assert requested(session, words_only)[0]["content"][1] == {"type": "text", "text": "[image]"}


def test_a_string_message_may_gain_a_block() -> None:
    session = load(DOCUMENT)
    last = session.live[6]
    more = replace(last, blocks=(Text("n", Held("First."), Author.INJECTED), *last.blocks))
    assert [part["text"] for part in requested(session, more)[0]["content"]] == ["First.", "Name it."]


def test_the_old_form_of_calls_pairs_by_name() -> None:
    session = load([
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": '{"path": "p"}'}},
        {"role": "function", "name": "f", "content": "r" * 100},
        {"role": "function", "name": "f", "content": "second"},
    ])  # fmt: skip
    call, first, second = call_of(session.live[1], 0), result_of(session.live[2]), result_of(session.live[3])
    assert call.id == first.tool_use_id != second.tool_use_id
    assert call.path == "p"
    assert "orphan-result" in words(session)
    cleared = changed(session.live[2], 0, with_text(first, "[cleared]"))
    assert requested(session, cleared)[0] == {"role": "function", "name": "f", "content": "[cleared]"}
    edited = changed(session.live[1], 0, replace(call, input=HeldValue({})))
    assert requested(session, edited)[0]["function_call"] == {"name": "f", "arguments": "{}"}


def test_made_messages_are_written_in_the_providers_form() -> None:
    session = load(DOCUMENT)
    text = Text("t", Held("a"), Author.ASSISTANT)
    call = ToolUse("u", "id", "f", HeldValue({"x": 1}))
    picture = Image("i", Held("QUJD"), "image/png")
    assistant = Message("a", Role.ASSISTANT, (text, call))
    answer = Message("b", Role.TOOL, (ToolResult("r", "id", (text,)),))
    asked = Message("c", Role.USER, (text, picture, Opaque("o", "audio", HeldValue({"type": "input_audio"}))))
    forms = requested(session, assistant, answer, asked, replace(assistant, key="d", blocks=(call,)))
    arguments = {"id": "id", "type": "function", "function": {"name": "f", "arguments": '{"x":1}'}}
    assert forms[0] == {"role": "assistant", "content": "a", "tool_calls": [arguments]}
    assert forms[1] == {"role": "tool", "tool_call_id": "id", "content": "a"}
    assert [part["type"] for part in forms[2]["content"]] == ["text", "image_url", "input_audio"]
    assert forms[2]["content"][1]["image_url"]["url"] == "data:image/png;base64,QUJD"
    assert forms[3]["content"] is None


def test_a_made_summary_is_a_user_message_and_known_when_read_again() -> None:
    session = load(LINES)
    out = write(session, session.live[0], made("[snipped 5 messages]"), session.live[6])
    again = load(out)
    marker = again.live[1]
    assert isinstance(marker.blocks[0], Text) and marker.blocks[0].author is Author.MARKER
    assert marker.boundary is not None
    assert (marker.boundary.removed, marker.boundary.hides) == (5, False)
    assert out.decode().splitlines()[1] == '{"role": "user", "content": "[snipped 5 messages]"}'


def test_odd_values_are_read_without_a_complaint() -> None:
    talk: list[dict[str, Any]] = [
        {"role": "assistant", "content": 7, "tool_calls": [7, {"id": 1}, {"function": 3}], "refusal": "no"},
        {"role": "tool", "tool_call_id": {"x": 1}, "content": {"a": 1}},
        {"role": "user", "content": [None, "a", {"type": 4}, {"type": "image_url", "image_url": "u"}]},
        {"role": "assistant", "content": None, "timestamp": "yesterday", "usage": {"prompt_tokens": "x"}},
        {"role": "user", "content": "x", "timestamp": 1e400},
    ]  # fmt: skip
    session = load(talk)
    assert len(session.live) == 5
    assert session.live[0].blocks[-4].kind == "text"
    json.loads(write(session, *session.live))
