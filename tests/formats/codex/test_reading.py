"""What a rollout says: items put together to messages, who wrote them, what is told of the session."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.compactability import classify
from app.model import (
    Author,
    Image,
    Opaque,
    Role,
    SendStatus,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
    blocks_of,
    chars_of,
    text_of,
)
from app.pipeline import load
from app.work.workspace import Workspace
from tests.formats.codex.records import (
    OLD_ID,
    PREFIX,
    assistant,
    broken,
    call,
    compacted,
    counted,
    event,
    item,
    meta,
    output,
    read,
    read_bytes,
    read_sample,
    reasoning,
    request,
    said,
    texts,
    turn,
    user,
)


def authors(*records: dict[str, Any]) -> list[Author]:
    return [block.author for _, block in blocks_of(read(*records).live) if isinstance(block, Text)]


def words(*records: dict[str, Any] | str) -> set[str]:
    return {notice.word for notice in read(*records).notices}


def test_a_reply_is_one_message_and_so_are_its_outputs() -> None:
    session = read(
        user("Look."),
        reasoning("Two files."),
        assistant("I look."),
        call("a"),
        call("b"),
        output("b", "2"),
        output("a", "1"),
        reasoning("Done."),
        assistant("Seen."),
    )
    assert [message.role for message in session.live] == ["user", "assistant", "tool", "assistant"]
    assert texts(session.live)[1] == ["Two files.", "I look.", "{}", "{}"]
    assert session.facts.messages == 9
    assert session.live[1].records == (2, 3, 4, 5)


def test_the_items_are_sent_as_the_file_has_them() -> None:
    records = [user("Hi"), reasoning("Hm."), call("a", cmd="ls"), output("a"), assistant("Yo")]
    session = read(event("task_started"), *records, event("task_complete"))
    assert request(session) == [record["payload"] for record in records]


@pytest.mark.parametrize(
    ("text", "author"),
    [
        ("Fix it.", Author.USER),
        ("<environment_context>\n  <cwd>/w</cwd>\n</environment_context>", Author.INJECTED),
        ("# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nBe kind.\n</INSTRUCTIONS>", Author.INJECTED),
        ("# AGENTS.md instructions for /w are wrong, fix them", Author.USER),
        ("<user_instructions>\n\nBe kind.\n\n</user_instructions>", Author.INJECTED),
        ("<skill>\n<name>x</name>\n</skill>", Author.INJECTED),
        ("<turn_aborted>\n  <reason>interrupted</reason>\n</turn_aborted>", Author.INJECTED),
        ("<user_shell_command>\n<command>ls</command>\n</user_shell_command>", Author.INJECTED),
        ("<environment_context> is what?", Author.USER),
        (PREFIX + "\nAll is well.", Author.SUMMARY),
        ("[Compacted]\n\nAll is well.", Author.SUMMARY),
        ("<image name=[Image #1]>", Author.INJECTED),
    ],
)
def test_user_messages_are_not_always_the_users_words(text: str, author: Author) -> None:
    assert authors(user(text)) == [author]


def test_developer_messages_are_the_clients() -> None:
    session = read(said("developer", "<permissions instructions>x</permissions instructions>"), user("Hi"))
    assert [message.role for message in session.live] == [Role.SYSTEM, Role.USER]
    assert authors(said("developer", "Be brief.")) == [Author.INJECTED]
    assert authors(said("developer", "[snipped 3 messages]")) == [Author.MARKER]


def test_a_client_that_notes_down_who_wrote_is_believed() -> None:
    def noted(*kinds: str) -> dict[str, Any]:
        return {"internal_chat_message_metadata_passthrough": {"content_item_kinds": list(kinds)}}

    assert authors(user("<skill>mine</skill>", **noted("user.text"))) == [Author.USER]
    assert authors(user("Plain words", **noted("environments.environment_context"))) == [Author.INJECTED]
    assert authors(user("Plain words", **noted("compaction.summary"))) == [Author.SUMMARY]
    assert authors(user("a", "b", **noted("user.text"))) == [Author.USER, Author.USER]
    assert authors(user("Plain words", **noted("unknown"))) == [Author.USER]


def test_words_that_stand_in_an_event_too_count_once() -> None:
    session = read(
        event("user_message", message="again"),
        user("again"),
        assistant("ok"),
        event("agent_message", message="ok"),
        event("user_message", message="again"),
        user("again"),
    )
    assert texts(session.live) == [["again"], ["ok"], ["again"]]


def test_every_kind_of_call_is_paired_by_its_id() -> None:
    session = read(
        user("Go"),
        call("a", "view_image", path="/w/a.png"),
        item("custom_tool_call", call_id="b", name="apply_patch", input="*** Begin Patch\n*** End Patch"),
        item("local_shell_call", call_id="c", status="completed", action={"type": "exec", "command": ["ls"]}),
        item("tool_search_call", call_id="d", execution="client", arguments={"query": "x"}),
        output("a", [{"type": "input_image", "image_url": "data:image/png;base64,AAAA"}]),
        item("custom_tool_call_output", call_id="b", output="Success."),
        output("c", {"content": "no", "success": False}),
        item("tool_search_output", call_id="d", execution="client", tools=[{"name": "t"}]),
        assistant("Ok"),
    )
    calls = [block for block in session.live[1].blocks if isinstance(block, ToolUse)]
    assert [(c.id, c.name) for c in calls] == [
        ("a", "view_image"), ("b", "apply_patch"), ("c", "local_shell"), ("d", "tool_search"),
    ]  # fmt: skip
    assert calls[0].path == "/w/a.png" and calls[0].input.value() == {"path": "/w/a.png"}
    assert calls[1].input.read().startswith("*** Begin Patch")
    results = [block for block in session.live[2].blocks if isinstance(block, ToolResult)]
    assert [type(result.parts[0]) for result in results] == [Image, Text, Text, Opaque]
    assert (text_of(results[2]), results[2].is_error) == ("no", True)
    assert broken(session) == []


def test_what_the_provider_does_itself_needs_no_output() -> None:
    session = read(
        user("Find."),
        item("web_search_call", status="completed", action={"type": "search", "query": "x"}),
        item("tool_search_call", call_id=None, execution="server", arguments={}),
        item("tool_search_output", call_id=None, execution="server", tools=[]),
        item("image_generation_call", id="ig_1", status="completed", result="AAAA"),
        assistant("Found."),
    )
    assert not words(user("x"), item("web_search_call", status="completed")) & {"open-call"}
    assert broken(session) == []
    assert any(isinstance(block, Image) for _, block in blocks_of(session.live))


def test_a_server_of_tools_is_part_of_the_name() -> None:
    session = read(
        user("Go"), item("function_call", call_id="a", name="read", namespace="mcp__files__", arguments="{}")
    )
    block = session.live[1].blocks[0]
    assert isinstance(block, ToolUse) and block.name == "mcp__files__read"


def test_reasoning_is_sealed_and_shows_its_summary_only() -> None:
    session = read(user("Go"), reasoning("Why?", "s" * 200), call("a"), output("a"))
    block = session.live[1].blocks[0]
    assert isinstance(block, Thinking)
    assert (text_of(block), block.signature_chars) == ("Why?", 200)
    several = item(
        "reasoning",
        summary=[{"type": "summary_text", "text": "One."}, {"type": "summary_text", "text": "Two."}],
        encrypted_content="s",
    )
    block = read(user("Go"), several, assistant("Ok")).live[1].blocks[0]
    assert (text_of(block), chars_of(block)) == ("One.\n\nTwo.", len("One.\n\nTwo."))
    assert "sealed-content" in words(user("Go"), reasoning("Why?"), assistant("Ok"))


def test_a_sealed_summary_is_shown_as_such() -> None:
    history = (user("Go"), item("compaction", encrypted_content="s" * 5000))
    session = read(user("Go"), assistant("One."), compacted("", *history), assistant("Two."))
    block = session.live[1].blocks[0]
    assert isinstance(block, Text) and block.author is Author.SUMMARY
    assert "5,000" in text_of(block) and "sss" not in text_of(block)
    assert request(session)[1]["encrypted_content"] == "s" * 5000
    assert "sealed-content" in {notice.word for notice in session.notices}


def test_what_the_client_keeps_for_itself_is_not_sent() -> None:
    session = read(
        said("system", "never"),
        user("Hi"),
        item("ghost_snapshot", ghost_commit={"id": "c"}),
        assistant("Yo"),
    )
    assert texts(session.live) == [["Hi"], ["Yo"]]
    assert [m.standing for m in session.messages] == [SendStatus.NEVER_SENT, SendStatus.LIVE, SendStatus.LIVE]


def test_a_message_without_content_is_not_lost() -> None:
    session = read(user("Hi"), item("message", role="assistant", content=[]), user("Ho"))
    assert isinstance(session.live[1].blocks[0], Opaque)
    assert len(request(session)) == 3


def test_the_heading() -> None:
    session = read_bytes_of(
        meta(), turn("gpt-5"), user("Fix the login.\nSoon."), turn("gpt-5.5", cwd="/other"), assistant("Ok"),
        meta(id="5e550000-0000-4000-8000-00000000000b", cwd="/parent"),
    )  # fmt: skip
    assert (session.session_id, session.title, session.model, session.cwd) == (
        OLD_ID, "Fix the login.", "gpt-5.5", "/other",
    )  # fmt: skip
    named = read(event("thread_name_updated", thread_name="Mine"), user("Hi"))
    assert named.title == "Mine"


def read_bytes_of(*records: dict[str, Any]) -> Any:
    return read_bytes("".join(json.dumps(record) + "\n" for record in records).encode())


def test_notices_tell_what_is_wrong() -> None:
    assert {"open-call", "orphan-result"} <= words(user("Hi"), call("a"), user("Stop"), output("z"))
    assert "duplicate-call-id" in words(user("Hi"), call("a"), output("a"), call("a"), output("a"))
    assert "reasoning-alone" in words(user("Hi"), reasoning("Hm", id="rs_1"), user("Ho"))
    assert "reasoning-lost" in words(user("Hi"), reasoning("Hm", None, id="rs_1"), assistant("Ho"))
    assert "unknown-record-type" in words(user("Hi"), {"type": "hologram", "payload": {"a": 1}})
    assert "unknown-record-type" in words(user("Hi"), item("hologram"))
    assert "no-conversation" in words(event("task_started"))
    headless = read_bytes_of(user("Hi"))
    assert "no-session-meta" in {notice.word for notice in headless.notices}
    assert {notice.word for notice in read(turn(), user("Hi"), assistant("Yo")).notices} == set()


def test_a_codex_tool_is_known_to_be_regenerable() -> None:
    session = read(
        user("Go"), call("a", cmd="cat a.py"), output("a", "x" * 900), call("b", "update_plan"), output("b"),
        assistant("Ok"),
    )  # fmt: skip
    verdicts = classify(session.messages, session.cwd)
    first = session.live[2].blocks[0]
    assert verdicts[first.key].verdict == "regenerable"


@pytest.mark.parametrize(
    "row",
    [
        "42", '"x"', "null", "[]", "{}", '{"type":"response_item"}', '{"type":"response_item","payload":7}',
        '{"type":["response_item"],"payload":{"type":"message"}}',
        '{"type":"response_item","payload":{"type":["message"],"role":{},"content":3}}',
        '{"type":"response_item","payload":{"type":"message","role":"user","content":[3,null,{"type":[]}]}}',
        '{"type":"response_item","payload":{"type":"function_call","call_id":{},"name":[],"arguments":{}}}',
        '{"type":"response_item","payload":{"type":"function_call_output","call_id":1,"output":{"content":7}}}',
        '{"type":"response_item","payload":{"type":"reasoning","summary":"x","content":[{}],"id":1}}',
        '{"type":"compacted","payload":{"message":7,"replacement_history":{}}}',
        '{"type":"compacted","payload":{"replacement_history":[1,null,{"type":"message"}]}}',
        '{"type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"input_tokens":"9"}}}}',
        '{"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":"2"}}',
        '{"type":"event_msg","payload":{"type":["x"],"call_id":["y"],"item":{"id":{}}}}',
        '{"type":"session_meta","payload":{"id":["x"]}}', "{torn",
    ],
)  # fmt: skip
def test_nothing_in_a_record_makes_reading_fail(row: str) -> None:
    session = read(user("Hi"), row, assistant("Yo"))
    assert texts(session.live)[-1][-1] == "Yo"
    assert request(session)[-1]["role"] == "assistant"


def test_a_real_session_is_sent_as_its_client_sends_it() -> None:
    session = read_sample("codex-three-turns.jsonl")
    assert session.facts.messages == 41
    assert [item["type"] for item in request(session)[:6]] == [
        "message", "message", "message", "reasoning", "message", "function_call",
    ]  # fmt: skip
    assert (session.model, session.cwd) == ("gpt-5.5", "/home/dev/project")
    assert broken(session) == []
    assert session.last_usage is not None and session.last_usage.context == 30898


@pytest.mark.parametrize(
    ("records", "window"),
    [
        ((user("Hi"),), None),
        ((event("task_started", model_context_window=128_000), user("Hi")), 128_000),
        ((user("Hi"), counted(9), event("task_started", model_context_window=96_000)), 96_000),
        ((event("task_started", model_context_window=96_000), user("Hi"), counted(9)), 258_400),
        ((counted(9), event("task_started", model_context_window=None), user("Hi")), 258_400),
        ((event("task_started", model_context_window="9"), event("token_count", info=[9]), user("Hi")), None),
        ((event("task_started", model_context_window=True), user("Hi")), None),
        ((event("task_started", model_context_window=-1), user("Hi")), None),
    ],
)  # fmt: skip
def test_the_window_is_what_the_client_said_last(records: tuple[Any, ...], window: int | None) -> None:
    assert read(*records).window == window


def test_the_recorded_window_is_the_one_that_is_filled() -> None:
    session = read_sample("codex-three-turns.jsonl")
    assert Workspace(session, load("gentle"), exact=False).window_tokens == 258_400
    assert Workspace(session, load("gentle"), exact=False, window_tokens=50_000).window_tokens == 50_000
