"""Events of Copilot CLI, made small."""

from __future__ import annotations

import json
from typing import Any

from app.formats.base import Rewrite, Rewriting
from app.formats.copilot import Copilot
from app.formats.source import BytesSource
from app.model import Message, Session
from tests.formats.edits import written

FORMAT = Copilot()
OLD_ID = "5e550000-0000-4000-8000-000000000001"
NEW_ID = "5e550000-0000-4000-8000-000000000002"
Value = dict[str, Any]


def event(kind: str, number: int, **data: Any) -> Value:
    time = f"2026-01-02T03:00:{number:02}.000Z"
    parent = f"{number - 1:08}-0000-4000-8000-000000000000"
    ident = f"{number:08}-0000-4000-8000-000000000000"
    return {"type": kind, "data": data, "id": ident, "timestamp": time, "parentId": parent}


def start(number: int = 0) -> Value:
    return event("session.start", number, sessionId=OLD_ID, version=1, context={"cwd": "/w"})


def user(number: int, text: str, *, wrapped: bool = True) -> Value:
    sent = {"transformedContent": f"<now>{number}</now>\n\n{text}"} if wrapped else {}
    return event("user.message", number, content=text, **sent, delivery="idle")


def assistant(number: int, text: str, *calls: Value) -> Value:
    return event(
        "assistant.message",
        number,
        messageId=f"m{number}",
        model="gpt-5",
        content=text,
        toolRequests=[*calls],
    )


def call(ident: str, name: str = "view", **arguments: Any) -> Value:
    return {"toolCallId": ident, "name": name, "arguments": arguments, "type": "function", "toolTitle": "T"}


def called(number: int, ident: str) -> Value:
    return event("tool.execution_start", number, toolCallId=ident, toolName="view", arguments={})


def result(number: int, ident: str, text: str) -> Value:
    told = {"content": text, "detailedContent": f"diff\n{text}"}
    return event("tool.execution_complete", number, toolCallId=ident, success=True, result=told)


def failure(number: int, ident: str, text: str) -> Value:
    error = {"message": text, "code": "failure"}
    return event("tool.execution_complete", number, toolCallId=ident, success=False, error=error)


def usage(number: int, tokens: int, cached: int = 0) -> Value:
    counts = {"inputTokens": tokens, "outputTokens": 5, "cacheReadTokens": cached}
    return event("session.usage_record", number, usage=counts)


def compacted(number: int, text: str, *, success: bool = True) -> Value:
    return event("session.compaction_complete", number, success=success, summaryContent=text)


def lines(*events: Value) -> bytes:
    return b"".join(json.dumps(value, separators=(",", ":")).encode() + b"\n" for value in events)


def read(*events: Value) -> Session:
    return FORMAT.read(BytesSource(lines(*events), "events.jsonl"))


def rewrite(session: Session, *messages: Message, **options: Any) -> Rewriting:
    return FORMAT.rewrite(session, Rewrite(messages, **options))


def again(rewriting: Rewriting) -> Session:
    return FORMAT.read(BytesSource(written(rewriting), "events.jsonl"))


def request(session: Session, messages: tuple[Message, ...] | None = None) -> list[Value]:
    return [form for _, form in FORMAT.request(session, session.live if messages is None else messages)]
