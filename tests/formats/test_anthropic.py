"""Anthropic's messages as blocks, and written back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from app.formats import FORMATS, detect
from app.formats.source import BytesSource
from app.model import (
    Author,
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

REQUEST = DATA / "plain" / "anthropic-request.json"
LINES = DATA / "plain" / "anthropic-messages.jsonl"


def dropped(message: Message, *numbers: int) -> Message:
    return replace(message, blocks=tuple(b for n, b in enumerate(message.blocks) if n not in numbers))


def changed(message: Message, number: int, block: Any) -> Message:
    blocks = list(message.blocks)
    blocks[number] = block
    return replace(message, blocks=tuple(blocks))


def test_a_request_is_read_with_its_system_prompt_in_front() -> None:
    session = load(REQUEST)
    assert [message.role for message in session.live] == [
        Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.USER, Role.ASSISTANT,
    ]  # fmt: skip
    assert session.facts.messages == 4
    assert session.model == "claude-test-1"
    assert text_of(session.live[0].blocks[0]) == "You are careful."
    assert len(requested(session, *session.live)) == 4
    assert session.last_usage == Usage(1500, 12)
    assert session.usage == Usage(2700, 52, 300)
    assert session.live[2].time == pytest.approx(1767323045.5)
    assert words(session) == set()


def test_every_kind_of_block_is_read() -> None:
    session = load(REQUEST)
    thinking, text, call = session.live[2].blocks
    assert isinstance(thinking, Thinking) and text_of(thinking) == "Look." and thinking.signature_chars == 4
    assert isinstance(text, Text) and text.author is Author.ASSISTANT
    assert isinstance(call, ToolUse) and (call.id, call.name, call.path) == ("toolu_1", "Read", "/w/a.py")
    assert call.input.value() == {"file_path": "/w/a.py", "limit": 1.5}
    result, words_of_user = session.live[3].blocks
    assert isinstance(result, ToolResult) and not result.is_error
    first, picture = result.parts
    assert isinstance(first, Text) and first.content.read() == "import time\n" * 3
    assert isinstance(picture, Image) and picture.media_type == "image/png"
    assert isinstance(words_of_user, Text) and words_of_user.author is Author.USER
    redacted = session.live[4].blocks[0]
    assert isinstance(redacted, Thinking) and redacted.redacted and redacted.signature_chars == 8


def test_keys_are_the_messages_own_ids_or_their_places() -> None:
    session = load(REQUEST)
    assert [message.key for message in session.live[2:5:2]] == ["msg_1", "msg_2"]
    assert [block.key for block in session.live[2].blocks] == ["msg_1:0", "msg_1:1", "msg_1:2"]
    offset = REQUEST.read_bytes().index(b'{\n      "role": "user"')
    assert session.live[1].key == f"@{offset}"
    twins = load([{"role": "user", "id": "x", "content": [{"type": "text", "text": "a"}]}] * 2)
    assert twins.live[0].key == "x" != twins.live[1].key


def test_both_shapes_of_a_file_hold_the_same_messages() -> None:
    document, lines = load(REQUEST), load(LINES)
    assert requested(document, *document.live) == requested(lines, *lines.live)


@pytest.mark.parametrize("path", [REQUEST, LINES], ids=["document", "lines"])
def test_an_unedited_file_keeps_every_byte(path: Any) -> None:
    session = load(path)
    assert write(session, *session.live) == path.read_bytes()
    assert write(session, *session.live[1:]) == path.read_bytes() or session.live[0].role is not Role.SYSTEM


@pytest.mark.parametrize("path", [REQUEST, LINES], ids=["document", "lines"])
def test_a_cleared_result_is_the_only_thing_that_changes(path: Any) -> None:
    session = load(path)
    place = next(n for n, m in enumerate(session.live) if any(isinstance(b, ToolResult) for b in m.blocks))
    result = session.live[place].blocks[0]
    assert isinstance(result, ToolResult)
    messages = list(session.live)
    messages[place] = changed(session.live[place], 0, with_text(result, "[cleared]"))
    rewriting = plan(session, *messages)
    assert (rewriting.kept, rewriting.changed, rewriting.dropped) == (3, 1, 0)
    out, before = b"".join(rewriting.pieces()), path.read_bytes()
    again = load(out)
    assert requested(again, *again.live) == requested(session, *messages)
    start = before.index(b"[", before.index(b'"tool_use_id"'))
    assert out.startswith(before[:start] + b'"[cleared]"')
    assert out.endswith(before[before.index(b'"Keep the API."') :])


def test_a_cut_text_keeps_the_pictures_of_its_result() -> None:
    session = load(REQUEST)
    result = session.live[3].blocks[0]
    assert isinstance(result, ToolResult)
    part = saying(result.parts[0], "cut")
    assert isinstance(part, Text)
    cut = replace(result, parts=(part, result.parts[1]))
    out = json.loads(write(session, *session.live[:3], changed(session.live[3], 0, cut), session.live[4]))
    texts = out["messages"][2]["content"][0]["content"]
    assert texts[0] == {"type": "text", "text": "cut"}
    assert texts[1] == json.loads(REQUEST.read_text())["messages"][2]["content"][0]["content"][1]


def test_a_picture_may_become_words() -> None:
    session = load(REQUEST)
    result = session.live[3].blocks[0]
    assert isinstance(result, ToolResult)
    picture = result.parts[1]
    swapped = replace(result, parts=(result.parts[0], Text(picture.key, Held("[image]"), Author.INJECTED)))
    out = requested(session, changed(session.live[3], 0, swapped))
    assert out[0]["content"][0]["content"][1] == {"type": "text", "text": "[image]"}


def test_an_edited_input_keeps_the_other_members_of_the_call() -> None:
    session = load([
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": [{"type": "tool_use", "caller": {"n": 1}, "id": "t", "name": "Write",
                                           "input": {"text": "long" * 50, "n": 1}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t"}]},
    ])  # fmt: skip
    call = session.live[1].blocks[0]
    assert isinstance(call, ToolUse)
    short = replace(call, input=HeldValue({"text": "s", "n": 1}))
    out = write(session, session.live[0], changed(session.live[1], 0, short), session.live[2])
    assert b'"caller": {"n": 1}, "id": "t", "name": "Write", "input": {"text": "s", "n": 1}' in out


def test_dropped_blocks_leave_the_others_in_place() -> None:
    session = load(REQUEST)
    out = json.loads(write(session, *session.live[:2], dropped(session.live[2], 0), *session.live[3:]))
    assert [block["type"] for block in out["messages"][1]["content"]] == ["text", "tool_use"]


def test_a_result_without_content_can_be_given_one() -> None:
    session = load([
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "n", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t"}]},
    ])  # fmt: skip
    result = session.live[2].blocks[0]
    assert isinstance(result, ToolResult) and result.parts == ()
    out = write(session, *session.live[:2], changed(session.live[2], 0, with_text(result, "x")))
    assert json.loads(out)[2]["content"] == [{"type": "tool_result", "tool_use_id": "t", "content": "x"}]


def test_a_string_message_may_be_edited_and_may_gain_blocks() -> None:
    session = load(REQUEST)
    first = session.live[1]
    edited = changed(first, 0, saying(first.blocks[0], "New."))
    assert requested(session, edited)[0]["content"] == "New."
    more = replace(first, blocks=(*first.blocks, Text("n", Held("More."), Author.INJECTED)))
    assert [block["text"] for block in requested(session, more)[0]["content"]] == [
        "Fix the café login. 登录", "More.",
    ]  # fmt: skip


def test_the_system_prompt_can_be_edited_and_is_never_dropped() -> None:
    session = load(REQUEST)
    system = session.live[0]
    edited = changed(system, 0, saying(system.blocks[0], "Be bold."))
    out = write(session, edited, *session.live[1:])
    assert out == REQUEST.read_bytes().replace(b"You are careful.", b"Be bold.")
    assert write(session, *session.live[1:]) == REQUEST.read_bytes()


def test_a_made_summary_stands_where_it_should_and_is_known_when_read_again() -> None:
    session = load(REQUEST)
    out = write(session, made("[Compacted]\n\nAll is well."), session.live[4])
    again = load(out)
    assert [message.role for message in again.live] == [Role.SYSTEM, Role.USER, Role.ASSISTANT]
    summary = again.live[1]
    assert isinstance(summary.blocks[0], Text) and summary.blocks[0].author is Author.SUMMARY
    assert summary.boundary is not None and summary.boundary.hides
    assert again.boundaries == (summary.boundary,)


def test_unknown_blocks_and_values_are_kept_as_they_are() -> None:
    content: list[Any] = [
        {"type": "hologram", "data": [1]},
        {"type": "image", "source": {"type": "file", "file_id": "f"}},
        {"type": "document", "source": {}},
        {"type": "text", "text": "a"},
    ]
    session = load([{"role": "user", "content": content}])
    kinds = [block.type for block in session.live[0].blocks if isinstance(block, Opaque)]
    assert kinds == ["hologram", "image", "document"]
    kept = dropped(session.live[0], 3)
    assert requested(session, kept)[0]["content"] == content[:3]


def test_messages_of_other_roles_are_not_sent_and_stay() -> None:
    talk = [{"role": "user", "content": [{"type": "text", "text": "a"}]}, {"role": "note", "content": "b"},
            {"role": "user", "content": [{"type": "text", "text": "c"}]}]  # fmt: skip
    session = load(talk)
    assert [message.standing for message in session.messages] == [
        SendStatus.LIVE, SendStatus.NEVER_SENT, SendStatus.LIVE,
    ]  # fmt: skip
    assert json.loads(write(session, session.live[1])) == talk[1:]


def test_answers_and_refusals_hold_the_users_words() -> None:
    session = load(DATA / "cases" / "110-users-words-inside-a-result.json")
    said = [
        b.tool_use_id for m in session.live for b in m.blocks if isinstance(b, ToolResult) and b.user_words
    ]
    assert said == ["toolu_q1", "toolu_q2"]


def test_a_thought_is_never_changed_only_kept_or_dropped() -> None:
    session = load(REQUEST)
    thought = session.live[2].blocks[0]
    forged = changed(session.live[2], 0, saying(thought, "Forged."))
    assert requested(session, forged)[0]["content"][0]["thinking"] == "Look."


def test_every_field_of_an_unchanged_message_is_given_to_a_checker() -> None:
    session = load(REQUEST)
    whole = json.loads(REQUEST.read_text())["messages"]
    assert requested(session, *session.live) == whole


def test_a_file_of_one_message_on_one_line_is_a_session() -> None:
    data = b'{"role":"assistant","content":[{"type":"text","text":"a"}]}\n'
    session = load(data)
    assert session.format == "anthropic"
    assert session.facts.messages == 1


def test_lines_are_written_clean_whatever_they_were() -> None:
    rows = LINES.read_bytes().splitlines()
    data = b"\xef\xbb\xbf" + b"\r\n".join([*rows[:2], b"oops", b"42", *rows[2:]])
    session = load(data)
    rewriting = plan(session, *session.live)
    assert b"".join(rewriting.pieces()) == LINES.read_bytes()
    assert {"bom", "crlf", "bad-line", "not-a-record"} <= {notice.word for notice in rewriting.repairs}
    assert rewriting.dropped == 2


def test_exactly_one_format_takes_each_file() -> None:
    for path in (DATA / "plain").iterdir():
        source = BytesSource(path.read_bytes())
        assert sum(known.sniff(source) for known in FORMATS) == 1, path
        assert detect(source).name == ("anthropic" if "anthropic" in path.name else "openai-chat")
