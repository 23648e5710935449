"""Messages of opencode's exports for tests: `export(user("Hi"), assistant("Hello."))`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.formats.base import Rewrite, Rewriting
from app.formats.opencode import OpenCode
from app.formats.source import BytesSource
from app.model import Author, Block, Boundary, Held, Message, Role, Session, Text
from app.validity import check, errors
from tests.formats import edits
from tests.formats.edits import changed

SAMPLES = Path(__file__).parents[3] / "sample_sessions"
FORMAT = OpenCode()
OLD_ID = "ses_dd46f1d52ffeuX0jfu2Z3F1yMn"
NEW_ID = "ses_cc46f1d52ffeNEWNEWNEWNEWNE"
PICTURE = "data:image/png;base64," + (
    "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAIAQAAAADsdIMmAAAAC0lEQVR42mNgQAUAABAAAaoZ+IIAAAAASUVORK5CYII="
)

Value = dict[str, Any]


def user(*parts: str | Value, **info: Any) -> Value:
    model = {"providerID": "p", "modelID": "m"}
    return {
        "info": {"role": "user", "agent": "build", "model": model, **info},
        "parts": list(map(_part, parts)),
    }


def assistant(*parts: str | Value, tokens: int = 100, **info: Any) -> Value:
    usage = {
        "total": tokens + 7,
        "input": 10,
        "output": 5,
        "reasoning": 2,
        "cache": {"read": tokens - 10, "write": 0},
    }
    told = {
        "role": "assistant", "mode": "build", "agent": "build", "path": {"cwd": "/w", "root": "/w"},
        "cost": 0, "tokens": usage, "modelID": "m", "providerID": "p", "finish": "stop",
    }  # fmt: skip
    said = [{"type": "step-start"}, *map(_part, parts), {"type": "step-finish", "tokens": usage, "cost": 0}]
    return {"info": {**told, **info}, "parts": said}


def _part(part: str | Value) -> Value:
    return {"type": "text", "text": part} if isinstance(part, str) else part


def tool(ident: str, output: str = "ok", name: str = "read", **state: Any) -> Value:
    made = {
        "status": "completed", "input": {"filePath": f"/w/{ident}"}, "output": output,
        "metadata": {"output": output, "exit": 0}, "title": "x", "time": {"start": 1, "end": 2},
    }  # fmt: skip
    return {"type": "tool", "tool": name, "callID": ident, "state": {**made, **state}}


def failed(ident: str, error: str) -> Value:
    state = {"status": "error", "input": {}, "error": error, "time": {"start": 1, "end": 2}}
    return {"type": "tool", "tool": "read", "callID": ident, "state": state}


def reasoning(text: str, **metadata: Any) -> Value:
    return {
        "type": "reasoning",
        "text": text,
        "time": {"start": 1},
        **({"metadata": metadata} if metadata else {}),
    }


def compaction(**fields: Any) -> Value:
    return user({"type": "compaction", "auto": True, **fields})


def summary(text: str, **info: Any) -> Value:
    return assistant(text, summary=True, mode="compaction", agent="compaction", **info)


def document(*messages: Value, **info: Any) -> Value:
    """An export: ids, times and parents are given where a message lacks them."""
    asked = ""
    found = []
    for number, message in enumerate(messages):
        ident = f"msg_{(number + 1) * 0x1000:012x}{number:014d}"
        told = {"time": {"created": 1_000 + number}, "id": ident, "sessionID": OLD_ID, **message["info"]}
        if told["role"] == "user":
            asked = told["id"]
        else:
            told.setdefault("parentID", asked)
        parts = [
            {"id": f"prt_{(number + 1) * 0x1000 + at + 1:012x}{at:014d}", "sessionID": OLD_ID,
             "messageID": told["id"], **part}
            for at, part in enumerate(message["parts"])
        ]  # fmt: skip
        found.append({"info": told, "parts": parts})
    head = {"id": OLD_ID, "slug": "s", "projectID": "p", "directory": "/w", "title": "T", "version": "1"}
    return {"info": {**head, "time": {"created": 1, "updated": 2}, **info}, "messages": found}


def read(data: bytes | Value) -> Session:
    raw = data if isinstance(data, bytes) else json.dumps(data, indent=2).encode()
    return FORMAT.read(BytesSource(raw))


def export(*messages: Value, **info: Any) -> Session:
    return read(document(*messages, **info))


def planned(session: Session, messages: tuple[Message, ...] | None = None, **options: Any) -> Rewriting:
    wanted = session.live if messages is None else messages
    return FORMAT.rewrite(session, Rewrite(wanted, **{"session_id": NEW_ID, **options}))


def written(session: Session, messages: tuple[Message, ...] | None = None, **options: Any) -> bytes:
    return b"".join(planned(session, messages, **options).pieces())


def value_of(data: bytes) -> Any:
    return json.loads(data)


def request(session: Session, messages: tuple[Message, ...] | None = None) -> list[Value]:
    return [message for _, message in FORMAT.request(session, session.live if messages is None else messages)]


def is_valid(session: Session) -> bool:
    return not errors(check("anthropic", FORMAT.request(session, session.live)))


def texts(session: Session) -> list[str]:
    """All texts that are sent, in order."""
    return [block.content.read() for each in session.live for block in each.blocks if isinstance(block, Text)]


def edited(session: Session, change: Callable[[Block], Block | None]) -> tuple[Message, ...]:
    """The live messages with every block changed, or left out where the change gives None."""
    return changed(session.live, change)


def cleared(session: Session, *idents: str, text: str = "[cleared]") -> tuple[Message, ...]:
    return edits.cleared(session.live, text, *idents)


def made_summary(text: str = "What was done.") -> tuple[Message, Boundary]:
    boundary = Boundary("made", "auto", "full", tokens_before=900, tokens_after=90, removed=4)
    block = Text("made:0", Held(text), Author.SUMMARY)
    return Message("made", Role.USER, (block,), boundary=boundary), boundary
