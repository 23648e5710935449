"""Claude Code records for tests, named by small numbers: `user(1, None, "Hi")`, `assistant(2, 1, "Yes")`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from app.formats.base import Rewrite, Rewriting
from app.formats.claude_code import ClaudeCode
from app.formats.source import BytesSource
from app.model import Message, Session, Text, ToolResult, ToolUse
from tests.formats.edits import rows

SAMPLES = Path(__file__).parents[3] / "sample_sessions"
FORMAT = ClaudeCode()
OLD_ID = "5e550000-0000-4000-8000-000000000001"
NEW_ID = "0ddba11a-0000-4000-8000-00000000000f"

Value = dict[str, Any]


def uuid(number: int) -> str:
    """The uuid of the record with this number."""
    return f"{number:08x}-0000-4000-8000-000000000000"


def record(number: int, parent: int | None, kind: str, **fields: Any) -> Value:
    """A record of the tree; `number` gives its uuid and its time."""
    return {
        "parentUuid": None if parent is None else uuid(parent),
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/dev/project",
        "sessionId": OLD_ID,
        "version": "2.1.0",
        "type": kind,
        "uuid": uuid(number),
        "timestamp": f"2026-01-02T03:{number // 60 % 60:02d}:{number % 60:02d}.000Z",
        **fields,
    }


def user(number: int, parent: int | None, content: Any, **fields: Any) -> Value:
    """A user record."""
    return record(number, parent, "user", message={"role": "user", "content": content}, **fields)


def assistant(
    number: int,
    parent: int | None,
    content: Any,
    *,
    ident: str = "",
    tokens: tuple[int, int] = (10, 5),
    **fields: Any,
) -> Value:
    """An assistant record; `tokens` are input and output, `ident` is the message id."""
    blocks = [text(content)] if isinstance(content, str) else content
    message = {
        "id": ident or f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": "claude-x",
        "content": blocks,
        "usage": {"input_tokens": tokens[0], "output_tokens": tokens[1]},
    }
    return record(number, parent, "assistant", message=message, **fields)


def text(words: str) -> Value:
    return {"type": "text", "text": words}


def thinking(words: str) -> Value:
    return {"type": "thinking", "thinking": words, "signature": "c2ln"}


def use(ident: str, name: str = "Read", **arguments: Any) -> Value:
    return {"type": "tool_use", "id": ident, "name": name, "input": arguments}


def result(ident: str, content: Any, **fields: Any) -> Value:
    return {"type": "tool_result", "tool_use_id": ident, "content": content, **fields}


def boundary(number: int, **metadata: Any) -> Value:
    """A compaction of the client."""
    fields = {"content": "Conversation compacted", "level": "info", "isMeta": False}
    return record(
        number,
        None,
        "system",
        subtype="compact_boundary",
        compactMetadata={"trigger": "auto", **metadata},
        **fields,
    )


def summary(number: int, parent: int, words: str) -> Value:
    return user(number, parent, words, isCompactSummary=True, isVisibleInTranscriptOnly=True)


def lines(*records: Value | str) -> bytes:
    """The records as a file; a string is a line as it stands."""
    rows = (row if isinstance(row, str) else json.dumps(row, separators=(",", ":")) for row in records)
    return "".join(f"{row}\n" for row in rows).encode()


def read(*records: Value | str, leaf: int | None = None) -> Session:
    """The session in a file of these records."""
    return read_bytes(lines(*records), None if leaf is None else uuid(leaf))


def read_bytes(data: bytes, leaf: str | None = None) -> Session:
    return FORMAT.read(BytesSource(data, "session.jsonl"), leaf)


def read_sample(name: str) -> Session:
    return read_bytes((SAMPLES / name).read_bytes())


def said(messages: Sequence[Message]) -> list[list[str]]:
    """What messages hold, a few letters a block: texts, and kind with id for others."""
    return [[_short(block) for block in message.blocks] for message in messages]


def _short(block: Any) -> str:
    match block:
        case Text():
            return str(block.content.read())
        case ToolUse():
            return f"use {block.id}"
        case ToolResult():
            return f"result {block.tool_use_id}"
    return str(block.kind)


def request(session: Session, messages: Sequence[Message] | None = None) -> list[tuple[str, Any]]:
    """What is sent: role and content of each message."""
    pairs = FORMAT.request(session, session.live if messages is None else messages)
    return [(message["role"], message["content"]) for _, message in pairs]


def rewrite(session: Session, messages: Sequence[Message] | None = None, **options: Any) -> Rewriting:
    return FORMAT.rewrite(session, Rewrite(tuple(session.live if messages is None else messages), **options))


def by_uuid(data: bytes) -> dict[str, Value]:
    return {row["uuid"]: row for row in rows(data) if "uuid" in row}
