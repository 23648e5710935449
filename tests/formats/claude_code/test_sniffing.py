"""Which files are Claude Code's."""

from __future__ import annotations

import json

import pytest

from app.formats.source import BytesSource
from tests.formats.claude_code.records import FORMAT, OLD_ID, SAMPLES, lines, record, user, uuid


def sniffed(data: bytes) -> bool:
    return FORMAT.sniff(BytesSource(data))


@pytest.mark.parametrize("name", sorted(path.name for path in SAMPLES.glob("claude-code*.jsonl")))
def test_real_files_are_known(name: str) -> None:
    assert sniffed((SAMPLES / name).read_bytes())


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"\xef\xbb\xbf",
        b"\n\n\0\0\n",
        b'{"type":"user","torn\n',
        b'{"type":"queue-operation","operation":"enqueue","sessionId":"x"}\n',
        b'{"type":"summary","summary":"Old","leafUuid":"x"}\n',
    ],
)
def test_what_stands_before_the_first_message_does_not_matter(head: bytes) -> None:
    assert sniffed(head + lines(user(1, None, "Hi")))


def test_a_first_record_longer_than_the_head_is_known() -> None:
    assert sniffed(lines(user(1, None, "x" * 3_000_000)))


@pytest.mark.parametrize(
    "record",
    [
        {"role": "user", "content": "Hi"},
        {"messages": [{"role": "user", "content": '{"parentUuid":null,"isSidechain":false}'}]},
        {"type": "session", "version": 3, "id": "x"},
        {"type": "session_meta", "payload": {"id": "x"}},
        {
            "uuid": uuid(1),
            "parentUuid": None,
            "sessionId": OLD_ID,
            "type": "user",
            "message": {"role": "user", "parts": []},
        },
        {"type": ["user"], "uuid": 1, "parentUuid": {}},
        {"type": "user", "message": {"content": "no tree"}},
    ],
)
def test_other_files_are_not(record: dict[str, object]) -> None:
    assert not sniffed(json.dumps(record).encode() + b"\n")


@pytest.mark.parametrize("data", [b"", b"\0" * 2000, b"\xff\xfe{\0", b"[1, 2]", b"42\n", b"{" * 5000])
def test_nothing_raises(data: bytes) -> None:
    assert not sniffed(data)


def test_a_tree_without_words_is_known() -> None:
    assert sniffed(lines(record(1, None, "progress", data={})))
