"""Trajectories of SWE-agent and of mini-swe-agent are read and written, with what repeats their results."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from app.formats import detect
from app.formats.source import BytesSource
from app.model import Message, Session, ToolResult, ToolUse, with_text
from app.validity import check, errors
from tests.formats.plain_files import load, plan, requested, words, write

LONG = "a line of the log\n" * 40


def call(ident: str, command: str) -> dict[str, Any]:
    return {
        "id": ident,
        "type": "function",
        "function": {"name": "bash", "arguments": json.dumps({"command": command})},
    }


def action(ident: str) -> dict[str, Any]:
    return {
        "role": "assistant", "content": "Look.", "thought": "Look.", "action": "ls", "agent": "main",
        "tool_calls": [call(ident, "ls")], "message_type": "action",
    }  # fmt: skip


def observation(ident: str, text: str) -> dict[str, Any]:
    content = [{"type": "text", "text": f"OBSERVATION:\n{text}"}]
    return {
        "role": "tool", "content": content, "agent": "main", "message_type": "observation",
        "tool_call_ids": [ident],
    }  # fmt: skip


HISTORY = [
    {"role": "system", "content": "You fix bugs.", "agent": "main", "message_type": "system_prompt"},
    {"role": "user", "content": "Fix it.", "agent": "main", "message_type": "observation"},
    action("c1"),
    observation("c1", LONG),
    action("c2"),
    observation("c2", "short"),
]
STEPS = [
    {"action": "ls", "observation": LONG, "response": "Look.", "query": HISTORY[:2], "execution_time": 0.10},
    {
        "action": "ls",
        "observation": "short",
        "response": "Look.",
        "query": HISTORY[:4],
        "execution_time": 1.0,
    },
]
TRAJECTORY = {
    "environment": "main",
    "trajectory": STEPS,
    "history": HISTORY,
    "info": {"exit_status": "submitted"},
}
DATA = json.dumps(TRAJECTORY, indent=2).replace("0.1\n", "0.10\n").encode()


def cleared(session: Session, *idents: str) -> list[Message]:
    return [
        replace(
            message,
            blocks=tuple(
                with_text(b, "[cleared]") if isinstance(b, ToolResult) and b.tool_use_id in idents else b
                for b in message.blocks
            ),
        )
        for message in session.live
    ]


def test_a_trajectory_is_read_by_its_history() -> None:
    session = load(DATA)
    assert (session.format, len(session.live)) == ("swe-agent", 6)
    calls = [block.id for message in session.live for block in message.blocks if isinstance(block, ToolUse)]
    assert calls == [m.blocks[0].tool_use_id for m in session.live if isinstance(m.blocks[0], ToolResult)]
    assert words(session) == set()
    pairs = [(str(number), form) for number, form in enumerate(requested(session, *session.live))]
    assert not errors(check("openai-chat", pairs))


def test_unedited_every_byte_stays() -> None:
    session = load(DATA)
    assert write(session, *session.live) == DATA


def test_a_cleared_result_is_cleared_in_the_steps_too() -> None:
    session = load(DATA)
    value = json.loads(write(session, *cleared(session, "c1")))
    assert LONG not in json.dumps(value) and "a line of the log" not in json.dumps(value)
    assert value["history"][3]["content"] == "[cleared]"
    assert value["history"][3]["tool_call_ids"] == ["c1"]
    assert value["trajectory"][0]["observation"] == ""
    assert b'"execution_time": 0.10' in write(session, *cleared(session, "c1"))


def test_a_dropped_pair_goes_whole() -> None:
    session = load(DATA)
    value = json.loads(write(session, *session.live[:2], *session.live[4:]))
    assert [message["role"] for message in value["history"]] == ["system", "user", "assistant", "tool"]
    assert "a line of the log" not in json.dumps(value)


def test_a_result_without_its_call_becomes_words_that_answer_none() -> None:
    session = load(DATA)
    rewriting = plan(session, *session.live[:2], *session.live[3:])
    value = json.loads(b"".join(rewriting.pieces()))
    assert value["history"][2]["role"] == "user" and "tool_call_ids" not in value["history"][2]
    assert [notice.word for notice in rewriting.repairs] == ["orphan-result"]


def test_a_call_that_lost_its_result_gets_one_in_the_agent_s_form() -> None:
    session = load(DATA)
    value = json.loads(write(session, *session.live[:5]))
    assert value["history"][5]["tool_call_ids"] == ["c2"] and "tool_call_id" not in value["history"][5]


@pytest.mark.parametrize("ending", [b"", b"\n", b" " * 3])
def test_a_trajectory_is_told_from_other_documents(ending: bytes) -> None:
    assert detect(BytesSource(json.dumps(TRAJECTORY).encode() + ending)).name == "swe-agent"
    plain = {
        "history": [{"role": "user", "content": "Hi."}],
        "messages": [{"role": "user", "content": "Hi."}],
    }
    assert detect(BytesSource(json.dumps(plain).encode())).name == "openai-chat"


def test_a_trajectory_of_mini_swe_agent_keeps_its_extras_and_clears_the_raw_output() -> None:
    extra = {"raw_output": LONG, "returncode": 0, "timestamp": 1.50}
    messages = [
        {"role": "user", "content": "Fix it."},
        {"role": "assistant", "content": None, "tool_calls": [call("c1", "ls")], "extra": {"cost": 0.0}},
        {"role": "tool", "tool_call_id": "c1", "content": json.dumps({"output": LONG}), "extra": extra},
        {"role": "exit", "content": "", "extra": {"exit_status": "Submitted"}},
    ]
    value = {
        "info": {"mini_version": "2.4.6"},
        "messages": messages,
        "trajectory_format": "mini-swe-agent-1.1",
    }
    data = json.dumps(value, indent=2).replace("1.5\n", "1.50\n").encode()
    session = load(data)
    assert session.format == "openai-chat"
    assert write(session, *session.live) == data
    changed = json.loads(write(session, *cleared(session, "c1")))
    assert "a line of the log" not in json.dumps(changed)
    assert changed["messages"][2]["extra"] == {"raw_output": "[cleared]", "returncode": 0, "timestamp": 1.5}
    assert changed["messages"][3]["role"] == "exit"
