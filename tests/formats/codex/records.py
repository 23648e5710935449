"""Records of rollouts for tests: `rollout(user("Hi"), call("a"), output("a", "ok"))`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from app.formats.base import Rewrite, Rewriting
from app.formats.codex import Codex
from app.formats.source import BytesSource
from app.model import (
    Author,
    Boundary,
    Held,
    Message,
    Role,
    Session,
    Text,
    preview_of,
)
from app.validity import check, errors

SAMPLES = Path(__file__).parents[3] / "sample_sessions"
FORMAT = Codex()
OLD_ID = "5e550000-0000-4000-8000-000000000001"
NEW_ID = "0ddba11a-0000-4000-8000-00000000000f"
PREFIX = (
    "Another language model started to solve this problem and produced a summary of its thinking process."
)

Value = dict[str, Any]


def meta(**fields: Any) -> Value:
    """The first record."""
    payload = {"id": OLD_ID, "timestamp": "2026-01-02T03:00:00.000Z", "cwd": "/w", "originator": "codex_cli"}
    return {"type": "session_meta", "payload": {**payload, "cli_version": "0.100.0", **fields}}


def item(kind: str, **fields: Any) -> Value:
    return {"type": "response_item", "payload": {"type": kind, **fields}}


def said(role: str, *texts: str, **fields: Any) -> Value:
    kind = "output_text" if role == "assistant" else "input_text"
    return item("message", role=role, content=[{"type": kind, "text": text} for text in texts], **fields)


def user(*texts: str, **fields: Any) -> Value:
    return said("user", *texts, **fields)


def assistant(text: str, **fields: Any) -> Value:
    return said("assistant", text, **fields)


def call(ident: str, name: str = "exec_command", **arguments: Any) -> Value:
    return item("function_call", name=name, arguments=json.dumps(arguments), call_id=ident)


def output(ident: str, content: Any = "ok", **fields: Any) -> Value:
    return item("function_call_output", call_id=ident, output=content, **fields)


def reasoning(shown: str, seal: str | None = "gAAAAA==", **fields: Any) -> Value:
    summary = [{"type": "summary_text", "text": shown}] if shown else []
    return item("reasoning", summary=summary, content=None, encrypted_content=seal, **fields)


def event(kind: str, **fields: Any) -> Value:
    return {"type": "event_msg", "payload": {"type": kind, **fields}}


def counted(given: int, output_tokens: int = 5, *, total: int | None = None, cached: int = 0) -> Value:
    """A `token_count`; `total` is the input of all calls so far."""
    last = {"input_tokens": given, "cached_input_tokens": cached, "output_tokens": output_tokens}
    last["total_tokens"] = given + output_tokens
    both = {"total_token_usage": {**last, "input_tokens": given if total is None else total}}
    return event("token_count", info={**both, "last_token_usage": last, "model_context_window": 258400})


def turn(model: str = "gpt-5.5", **fields: Any) -> Value:
    return {"type": "turn_context", "payload": {"model": model, "cwd": "/w", **fields}}


def rolled_back(turns: int) -> Value:
    return event("thread_rolled_back", num_turns=turns)


def compacted(message: str, *history: Value, **fields: Any) -> Value:
    """A compaction that leaves the payloads of these items; without any it has no history of its own."""
    payload: Value = {"message": message, **fields}
    if history:
        payload["replacement_history"] = [record["payload"] for record in history]
    return {"type": "compacted", "payload": payload}


def lines(*records: Value | str, ordinals: bool = False) -> bytes:
    """A file of these records, one second apart; a string is a line as it stands."""
    rows = []
    for number, record in enumerate(records):
        if isinstance(record, str):
            rows.append(record)
            continue
        head: Value = {"timestamp": f"2026-01-02T03:{number // 60:02d}:{number % 60:02d}.000Z"}
        head |= {"ordinal": number} if ordinals else {}
        rows.append(json.dumps({**head, **record}, separators=(",", ":")))
    return "".join(f"{row}\n" for row in rows).encode()


def read(*records: Value | str, ordinals: bool = False) -> Session:
    """The session in a file of these records, behind a `session_meta`."""
    return read_bytes(lines(meta(), *records, ordinals=ordinals))


def read_bytes(data: bytes) -> Session:
    return FORMAT.read(BytesSource(data, "rollout.jsonl"))


def read_sample(name: str) -> Session:
    return read_bytes((SAMPLES / name).read_bytes())


def texts(messages: Sequence[Message]) -> list[list[str]]:
    """What is said, message by message, by the start of each block."""
    return [[preview_of(block) for block in message.blocks] for message in messages]


def request(session: Session, messages: Sequence[Message] | None = None) -> list[Value]:
    sent = FORMAT.request(session, session.live if messages is None else messages)
    return [value for _, value in sent]


def rewrite(session: Session, messages: Sequence[Message] | None = None, **options: Any) -> Rewriting:
    return FORMAT.rewrite(session, Rewrite(tuple(session.live if messages is None else messages), **options))


def broken(session: Session) -> list[str]:
    """The rules that a session breaks."""
    return [v.rule for v in errors(check(FORMAT.validity, FORMAT.request(session, session.live)))]


def summary(words: str = "The story so far.") -> Message:
    """A message that stands for what a new boundary hides."""
    boundary = Boundary("step/1", "manual", "summarize", tokens_before=9000, removed=3)
    text = Text("step/1/0", Held(words), Author.SUMMARY)
    return Message("step/1", Role.USER, (text,), boundary=boundary)


def marker(count: int) -> Message:
    text = Text("step/2/0", Held(f"[snipped {count} messages]"), Author.MARKER)
    return Message("step/2", Role.USER, (text,))
