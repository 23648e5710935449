"""Telling what a file is, and what to do with one that is nothing."""

from __future__ import annotations

import gzip
import io
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from app.errors import InputError, UnknownFormat, UnreadableFile
from app.formats import FORMATS, detect, format_named, open_session, open_source
from app.formats.source import BytesSource

USER = {"role": "user", "content": "a"}
SYSTEM = {"role": "system", "content": "s"}
LIST = {"role": "assistant", "content": [{"type": "text", "text": "a"}]}
CALL = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "n", "input": {}}]}
CHAT = {"role": "assistant", "content": None, "tool_calls": [{"id": "a", "type": "function", "function": {}}]}


def told(data: bytes) -> str:
    with pytest.raises(InputError) as caught:
        detect(BytesSource(data, "x.json"))
    message = str(caught.value)
    assert message.startswith("x.json is ")
    assert message.isprintable()
    assert len(message) < 400
    return message


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ([USER, CALL], "anthropic"),
        ([USER, CHAT], "openai-chat"),
        ([SYSTEM, USER], "openai-chat"),
        ([USER, USER], "openai-chat"),
        ([USER, LIST], "anthropic"),
        ([USER, {"role": "tool", "tool_call_id": "x", "content": "y"}], "openai-chat"),
        ({"system": "s", "messages": [USER]}, "anthropic"),
        ({"messages": [USER], "choices": []}, "openai-chat"),
        ({"tools": [{"name": "a", "input_schema": {}}], "messages": [USER]}, "anthropic"),
        ({"tools": [{"type": "function", "function": {}}], "messages": [USER]}, "openai-chat"),
        ({"request": {"body": {"messages": [USER, CALL]}}}, "anthropic"),
        ([{"role": "user", "content": "x" * 300_000}, CALL], "anthropic"),
        ([*[USER] * 6_000, CALL], "anthropic"),
        ([*[USER] * 6_000, CHAT], "openai-chat"),
        ([{"role": "user", "content": '"tool_use" "tool_use"'}], "openai-chat"),
        ({"system": "s" * 200_000, "messages": [USER, CALL]}, "anthropic"),
        ([{"role": "user", "content": [{"type": "input_text", "text": "a"}]}], "openai-responses"),
        ([USER, {"type": "function_call_output", "call_id": "c", "output": "y"}], "openai-responses"),
        ({"model": "m", "instructions": "s", "input": [USER]}, "openai-responses"),
        ({"info": {"id": "ses_1"}, "messages": [{"info": {}, "parts": []}]}, "opencode"),
        ([{"role": "user", "parts": [{"text": "a"}]}], "gemini"),
        ({"contents": [{"role": "user", "parts": [{"text": "a"}]}]}, "gemini"),
        ({"history": [{"role": "user", "parts": [{"text": "a"}]}], "authType": "x"}, "gemini"),
    ],
)
def test_the_dialect_is_told_by_content(value: Any, name: str) -> None:
    for text in (json.dumps(value), json.dumps(value, indent=2)):
        assert detect(BytesSource(text.encode())).name == name
    if isinstance(value, list):
        lines = "\n".join(json.dumps(message) for message in value)
        assert detect(BytesSource(lines.encode())).name == name


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([{"title": "T", "mapping": {}, "current_node": "x"}], "ChatGPT export"),
        ({"title": "T", "mapping": {"a": {}}}, "with the keys title, mapping: looks like a ChatGPT export"),
        ({"model": "m", "input": "a"}, "OpenAI Responses request"),
        ({"chat_messages": []}, "claude.ai export"),
        ([{"id": 0, "source": "user", "action": "message", "args": {}}], "OpenHands events"),
        ({"version": 3, "requests": [{"message": {"text": "x"}}]}, "a chat of VS Code"),
        ({"role": "user", "message": {"content": []}}, "a Cursor transcript"),
        ({"type": "message", "message": {"role": "user"}, "id": "1"}, "with the keys type, message, id;"),
        ({"conversations": [{"from": "human", "value": "a"}]}, "ShareGPT"),
        ({"id": "x", "object": "chat.completion", "choices": []}, "API response"),
        ({"messages": []}, "a conversation without a complete message"),
        ([], "a conversation without a complete message"),
        ([1, 2], "a JSON list without messages"),
        ({"a": 1}, "a JSON object with the keys a;"),
        ({}, "a JSON object;"),
        (7, "a JSON value that is neither an object nor a list"),
        (None, "a JSON value that is neither an object nor a list"),
        ({f"key{n}\x1b[2J": n for n in range(100)}, "key0??2J"),
    ],
)
def test_what_is_of_no_format_is_told_with_what_was_seen(value: Any, words: str) -> None:
    message = told(json.dumps(value).encode())
    assert words in message
    assert "supported: " in message
    assert all(known.title in message for known in FORMATS)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([{"uuid": "u", "type": "user", "message": {"role": "user", "parts": []}}] * 2, "Qwen Code"),
        ([{"type": "session", "version": 3, "id": "x"}, {"type": "message"}], "pi session"),
    ],
)
def test_sessions_of_other_agents_are_named(lines: list[Any], words: str) -> None:
    assert words in told("\n".join(map(json.dumps, lines)).encode())


def test_messages_on_lines_of_a_document_that_lost_its_beginning_are_found() -> None:
    lost = b'ges": [\n{"role": "user", "content": "Hi"}\n,{"role": "assistant", "content": "Yes"}\n]}\n'
    source = BytesSource(lost)
    session = detect(source).read(source)
    assert [message.role for message in session.live] == ["user", "assistant"]


def test_messages_under_a_name_that_nobody_knows_are_no_session() -> None:
    for indent in (None, 2):
        data = json.dumps({"version": 3, "dialogue": [USER, CHAT]}, indent=indent).encode()
        with pytest.raises(UnknownFormat, match="a JSON object with the keys version, dialogue"):
            detect(BytesSource(data))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty (0 bytes)"),
        (b" \n\0\0\n", "blank"),
        (b"\xef\xbb\xbf\n", "blank"),
        (b"hello there\n", "text that is not JSON"),
        (bytes(range(256)) * 40, "binary data"),
        (b"SQLite format 3\0" + b"\0" * 100, "opencode"),
        (gzip.compress(b"[]", mtime=0), "unpack"),
        ("[]".encode("utf-16"), "UTF-16"),
        ('[{"role": "user"}]'.encode("utf-16-le"), "UTF-16 text: save it as UTF-8"),
        ('[{"role": "user"}]'.encode("utf-16-be"), "UTF-16 text: save it as UTF-8"),
        (b"{", "a JSON object"),
        (b"[", "without a complete message"),
        (b'{"messages": [{"role": "us', "without a complete message"),
        (b"[" * 30_000, "without a complete message"),
        (b'{"a":' * 20_000, "JSON"),
        (b'{"role": "user"\n' * 5000, "JSON"),
    ],
)
def test_what_is_no_session_is_told_in_one_line(data: bytes, words: str) -> None:
    started = time.process_time()
    assert words in told(data)
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    "path", ["", "no/such/file", "a\0b", "x" * 5000, "/"], ids=["none", "absent", "nul", "long", "folder"]
)
def test_a_path_that_cannot_be_read_is_an_error_for_the_person(path: str) -> None:
    with pytest.raises(UnreadableFile):
        open_session(path)


def test_a_file_and_standard_input_open_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = json.dumps([SYSTEM, USER]).encode()
    path = tmp_path / "talk.txt"
    path.write_bytes(data)
    session, source = open_session(path)
    assert (session.name, source.size) == (str(path), len(data))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    piped, _ = open_session("-")
    assert piped.name == "-"
    assert piped.facts == session.facts


def test_formats_are_found_by_name() -> None:
    assert [format_named(known.name) for known in FORMATS] == list(FORMATS)
    with pytest.raises(InputError, match="anthropic"):
        format_named("nonsense")


def test_a_new_file_is_named_after_the_old_one() -> None:
    kind = format_named("anthropic")
    names = {"a.json": "a.compacted.json", "b.c.jsonl": "b.c.compacted.jsonl", "x": "x.compacted.json",
             "-": "session.compacted.json", "t.traj.json": "t.traj.compacted.json"}  # fmt: skip
    for old, new in names.items():
        assert kind.new_name(Path("/w") / old, None) == new
        assert kind.side_folder(Path("/w") / old) is None


def test_unknown_formats_are_input_errors() -> None:
    with pytest.raises(UnknownFormat):
        detect(BytesSource(b"{}"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "s.jsonl")
    with pytest.raises(UnreadableFile, match="not a regular file"):
        open_source(tmp_path / "s.jsonl")
