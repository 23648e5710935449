"""Qwen Code records for tests, named by small numbers: `user(1, None, "Hi")`, `model(2, 1, "Yes")`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from app.formats.base import Rewrite, Rewriting
from app.formats.qwen import QwenCode
from app.formats.source import BytesSource
from app.model import Message, Session
from tests.formats.claude_code.records import SAMPLES, uuid
from tests.formats.edits import rows

FORMAT = QwenCode()
OLD_ID = "5e550000-0000-4000-8000-000000000001"
NEW_ID = "0ddba11a-0000-4000-8000-00000000000f"

Value = dict[str, Any]


def record(number: int, parent: int | None, kind: str, **fields: Any) -> Value:
    """A record of the tree; `number` gives its uuid and its time."""
    return {
        "uuid": uuid(number),
        "parentUuid": None if parent is None else uuid(parent),
        "sessionId": OLD_ID,
        "timestamp": f"2026-01-02T03:{number // 60 % 60:02d}:{number % 60:02d}.000Z",
        "type": kind,
        "cwd": "/home/dev/project",
        "version": "0.24.4",
        **fields,
    }


def user(number: int, parent: int | None, *parts: Any, **fields: Any) -> Value:
    """The person's words; strings are texts."""
    message = {"role": "user", "parts": [_part(part) for part in parts]}
    return record(number, parent, "user", **{"provenance": "real_user", **fields}, message=message)


def model(
    number: int, parent: int | None, *parts: Any, tokens: tuple[int, int] = (10, 5), **fields: Any
) -> Value:
    """A reply; `tokens` are those of the prompt and of the answer."""
    usage = {
        "promptTokenCount": tokens[0], "candidatesTokenCount": tokens[1], "totalTokenCount": sum(tokens),
        "cachedContentTokenCount": 0,
    }  # fmt: skip
    message = {"role": "model", "parts": [_part(part) for part in parts]}
    more = {"model": "qwen3", "usageMetadata": usage, "contextWindowSize": 1_000_000, **fields}
    return record(number, parent, "assistant", provenance="assistant_output", message=message, **more)


def result(number: int, parent: int | None, *parts: Any, shown: Any = "") -> Value:
    """What tools gave back; `shown` is what the display has."""
    message = {"role": "user", "parts": [_part(part) for part in parts]}
    kept = {"callId": "x", "status": "success", "resultDisplay": shown}
    return record(
        number, parent, "tool_result", provenance="tool_result", message=message, toolCallResult=kept
    )


def system(number: int, parent: int | None, subtype: str, **payload: Any) -> Value:
    return record(number, parent, "system", provenance="system", subtype=subtype, systemPayload=payload)


def compressed(number: int, parent: int, *contents: Value, tokens: tuple[int, int] = (900, 90)) -> Value:
    """A compression of the client's; `tokens` are those before and after it."""
    info = {"originalTokenCount": tokens[0], "newTokenCount": tokens[1], "compressionStatus": 1}
    return system(number, parent, "chat_compression", info=info, compressedHistory=list(contents))


def content(role: str, *parts: Any) -> Value:
    return {"role": role, "parts": [_part(part) for part in parts]}


def thought(words: str) -> Value:
    return {"text": words, "thought": True}


def call(ident: str, name: str = "read_file", **arguments: Any) -> Value:
    return {"functionCall": {"id": ident, "name": name, "args": arguments}}


def answer(ident: str, text: str, name: str = "read_file", *, member: str = "output") -> Value:
    return {"functionResponse": {"id": ident, "name": name, "response": {member: text}}}


def _part(part: Any) -> Any:
    return {"text": part} if isinstance(part, str) else part


def lines(*records: Value | str) -> bytes:
    """The records as a file; a string is a line as it stands."""
    rows = (row if isinstance(row, str) else json.dumps(row, separators=(",", ":")) for row in records)
    return "".join(f"{row}\n" for row in rows).encode()


def read(*records: Value | str, leaf: int | None = None) -> Session:
    """The session in a file of these records."""
    return read_bytes(lines(*records), None if leaf is None else uuid(leaf))


def read_bytes(data: bytes, leaf: str | None = None) -> Session:
    return FORMAT.read(BytesSource(data, "session.jsonl"), leaf)


def read_sample() -> Session:
    return read_bytes((SAMPLES / "qwen-code-compressed.jsonl").read_bytes())


def request(session: Session, messages: Sequence[Message] | None = None) -> list[tuple[str, Any]]:
    """What is sent: role and parts of each content."""
    pairs = FORMAT.request(session, session.live if messages is None else messages)
    return [(message["role"], message["parts"]) for _, message in pairs]


def rewrite(session: Session, messages: Sequence[Message] | None = None, **options: Any) -> Rewriting:
    return FORMAT.rewrite(session, Rewrite(tuple(session.live if messages is None else messages), **options))


def by_uuid(data: bytes) -> dict[str, Value]:
    return {row["uuid"]: row for row in rows(data)}


def parents(data: bytes) -> dict[str, str | None]:
    return {row["uuid"]: row["parentUuid"] for row in rows(data)}
