"""Records of Gemini CLI's logs for tests: `log(user("Hi"), model("Hello."))`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.formats.base import Rewrite, Rewriting
from app.formats.gemini import GeminiCli
from app.formats.source import BytesSource
from app.model import Author, Block, Boundary, Held, Message, Role, Session, Text
from app.validity import check, errors
from tests.formats import edits
from tests.formats.edits import changed

SAMPLES = Path(__file__).parents[3] / "sample_sessions"
FORMAT = GeminiCli()
OLD_ID = "5e550000-0000-4000-8000-000000000001"
NEW_ID = "0ddba11a-0000-4000-8000-00000000000f"

Value = dict[str, Any]


def header(**fields: Any) -> Value:
    start = "2026-01-02T03:00:00.000Z"
    told = {
        "sessionId": OLD_ID,
        "projectHash": "f00d",
        "startTime": start,
        "lastUpdated": start,
        "kind": "main",
    }
    return {**told, **fields}


def message(ident: str, kind: str, content: Any, **fields: Any) -> Value:
    return {"id": ident, "timestamp": "2026-01-02T03:00:01.000Z", "type": kind, "content": content, **fields}


def user(text: str, ident: str | None = None, **fields: Any) -> Value:
    return message(ident or f"u-{text}", "user", [{"text": text}], **fields)


def model(text: str, *calls: Value, ident: str | None = None, tokens: int = 100, **fields: Any) -> Value:
    usage = {"input": tokens, "output": 7, "cached": 30, "thoughts": 2, "tool": 0, "total": tokens + 9}
    made = message(ident or f"g-{text}", "gemini", text, thoughts=[], tokens=usage, model="gemini-2.5-pro")
    return {**made, **({"toolCalls": list(calls)} if calls else {}), **fields}


def answer(ident: str, text: str, member: str = "output") -> Value:
    return {"functionResponse": {"id": ident, "name": "read_file", "response": {member: text}}}


def call(ident: str, *result: Any, **fields: Any) -> Value:
    """A listed call with the parts that it was answered by; a text stands for one answer."""
    parts = [answer(ident, part) if isinstance(part, str) else part for part in result]
    made = {"id": ident, "name": "read_file", "args": {"file_path": f"/w/{ident}.py"}}
    return {
        **made,
        **({"result": parts} if parts else {}),
        "status": "success",
        "resultDisplay": "",
        **fields,
    }


def copy(*answers: Value, ident: str = "copy") -> Value:
    """The record of the user in which the client writes the answers a second time."""
    return message(ident, "user", list(answers))


def patch(**members: Any) -> Value:
    return {"$set": members}


def began(*messages: Value, **members: Any) -> Value:
    return patch(messages=list(messages), **members)


def rewind(ident: str) -> Value:
    return {"$rewindTo": ident}


def lines(*records: Any) -> bytes:
    return b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in records)


def read(data: bytes) -> Session:
    return FORMAT.read(BytesSource(data))


def log(*records: Any) -> Session:
    """The session of a log with these records behind its header."""
    return read(lines(header(), *records))


def planned(session: Session, messages: tuple[Message, ...] | None = None, **options: Any) -> Rewriting:
    wanted = session.live if messages is None else messages
    return FORMAT.rewrite(session, Rewrite(wanted, **{"session_id": NEW_ID, **options}))


def written(session: Session, messages: tuple[Message, ...] | None = None, **options: Any) -> bytes:
    return b"".join(planned(session, messages, **options).pieces())


def records_of(data: bytes) -> list[Any]:
    return [json.loads(line) for line in data.splitlines()]


def request(session: Session, messages: tuple[Message, ...] | None = None) -> list[Value]:
    return [content for _, content in FORMAT.request(session, session.live if messages is None else messages)]


def is_valid(session: Session) -> bool:
    return not errors(check("gemini", FORMAT.request(session, session.live)))


def texts(session: Session) -> list[str]:
    """All texts that are sent, in order."""
    return [block.content.read() for each in session.live for block in each.blocks if isinstance(block, Text)]


def edited(session: Session, change: Callable[[Block], Block | None]) -> tuple[Message, ...]:
    """The live messages with every block changed, or left out where the change gives None."""
    return changed(session.live, change)


def cleared(session: Session, *idents: str, text: str = "[cleared]") -> tuple[Message, ...]:
    return edits.cleared(session.live, text, *idents)


def summary(text: str = "What was done.") -> tuple[Message, Boundary]:
    boundary = Boundary("made", "auto", "full", tokens_before=900, tokens_after=90, removed=4)
    block = Text("made:0", Held(text), Author.SUMMARY)
    return Message("made", Role.USER, (block,), boundary=boundary), boundary
