"""pi entries for tests, named by small numbers: `user(1, None, "Hi")`, `assistant(2, 1, "Yes")`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from app.formats.base import Rewrite, Rewriting
from app.formats.pi import Pi
from app.formats.source import BytesSource
from app.model import Message, Session
from tests.formats.claude_code.records import SAMPLES
from tests.formats.edits import rows

FORMAT = Pi()
OLD_ID = "5e550000-0000-7000-8000-000000000001"
NEW_ID = "0ddba11a-0000-4000-8000-00000000000f"

Value = dict[str, Any]


def ident(number: int) -> str:
    """The id of the entry with this number."""
    return f"{number:08x}"


def header(**fields: Any) -> Value:
    base = {"type": "session", "version": 3, "id": OLD_ID, "timestamp": "2026-01-02T03:00:00.000Z"}
    return {**base, "cwd": "/home/dev/project", **fields}


def entry(number: int, parent: int | None, kind: str, **fields: Any) -> Value:
    """An entry of the tree; `number` gives its id and its time."""
    return {
        "type": kind,
        "id": ident(number),
        "parentId": None if parent is None else ident(parent),
        "timestamp": f"2026-01-02T03:{number // 60 % 60:02d}:{number % 60:02d}.000Z",
        **fields,
    }


def said(number: int, parent: int | None, role: str, **message: Any) -> Value:
    """A message entry."""
    stamp = 1_767_322_800_000 + 1000 * number
    return entry(number, parent, "message", message={"role": role, **message, "timestamp": stamp})


def user(number: int, parent: int | None, content: Any) -> Value:
    return said(number, parent, "user", content=[text(content)] if isinstance(content, str) else content)


def assistant(
    number: int,
    parent: int | None,
    content: Any,
    *,
    tokens: tuple[int, int] = (10, 5),
    model: str = "m",
    api: str = "anthropic-messages",
    **fields: Any,
) -> Value:
    """A reply; `tokens` are input and output."""
    usage = {
        "input": tokens[0], "output": tokens[1], "cacheRead": 0, "cacheWrite": 0,
        "totalTokens": sum(tokens), "cost": {"total": 0.10},
    }  # fmt: skip
    blocks = [text(content)] if isinstance(content, str) else content
    more = {"api": api, "provider": "p", "model": model, "usage": usage, "stopReason": "stop", **fields}
    return said(number, parent, "assistant", content=blocks, **more)


def result(number: int, parent: int | None, call_id: str, content: Any, **fields: Any) -> Value:
    """What a tool gave back."""
    parts = [text(content)] if isinstance(content, str) else content
    more = {"toolName": "read", "isError": False, **fields}
    return said(number, parent, "toolResult", toolCallId=call_id, content=parts, **more)


def text(words: str) -> Value:
    return {"type": "text", "text": words}


def thinking(words: str, seal: str = "c2ln") -> Value:
    return {"type": "thinking", "thinking": words, "thinkingSignature": seal}


def call(call_id: str, name: str = "read", **arguments: Any) -> Value:
    return {"type": "toolCall", "id": call_id, "name": name, "arguments": arguments}


def image(data: str = "iVBORw0KGgo=") -> Value:
    return {"type": "image", "data": data, "mimeType": "image/png"}


def compacted(number: int, parent: int, first: int, summary: str = "Story.", **fields: Any) -> Value:
    """A compaction of pi's."""
    more = {"summary": summary, "firstKeptEntryId": ident(first), "tokensBefore": 900, **fields}
    return entry(number, parent, "compaction", **more)


def edit(number: int, parent: int, target: int, content: Any) -> Value:
    """A `context_edit`; a content of None leaves its target out."""
    replacement = None if content is None else {"content": content}
    return entry(number, parent, "context_edit", targetId=ident(target), replacement=replacement)


def lines(*entries: Value | str) -> bytes:
    """The entries as a file; a string is a line as it stands."""
    rows = (row if isinstance(row, str) else json.dumps(row, separators=(",", ":")) for row in entries)
    return "".join(f"{row}\n" for row in rows).encode()


def read(*entries: Value | str, leaf: int | None = None) -> Session:
    """The session in a file of a header and these entries."""
    return read_bytes(lines(header(), *entries), None if leaf is None else ident(leaf))


def read_bytes(data: bytes, leaf: str | None = None) -> Session:
    return FORMAT.read(BytesSource(data, "session.jsonl"), leaf)


def read_sample() -> Session:
    return read_bytes((SAMPLES / "pi-compacted.jsonl").read_bytes())


def request(session: Session, messages: Sequence[Message] | None = None) -> list[tuple[str, Any]]:
    """What is sent: role and content of each message."""
    pairs = FORMAT.request(session, session.live if messages is None else messages)
    return [(message["role"], message["content"]) for _, message in pairs]


def rewrite(session: Session, messages: Sequence[Message] | None = None, **options: Any) -> Rewriting:
    return FORMAT.rewrite(session, Rewrite(tuple(session.live if messages is None else messages), **options))


def by_id(data: bytes) -> dict[str, Value]:
    return {row["id"]: row for row in rows(data) if row["type"] != "session"}
