"""Writing a new Copilot CLI session from messages of another format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec.structs import replace

from app.formats.copilot.forms import made_event
from app.formats.copilot.names import START
from app.formats.new_file import Clock, SessionHeader, leading_summary
from app.formats.new_ids import MadeIds
from app.formats.plain.chat_forms import made_message
from app.formats.splice import encode
from app.formats.times import stamped
from app.model import Block, Message, Role, ToolResult, ToolUse

Value = dict[str, Any]

_VERSION: Final = 1
_CLIENT: Final = "1.0.102"
"""The client version whose form is written."""


def fresh(messages: Sequence[Message], heading: SessionHeader) -> Iterator[bytes]:
    """The lines of a log: its start, and an event for each message; a summary is a compaction."""
    start = {
        "sessionId": heading.session_id, "version": _VERSION, "producer": "handcompact",
        "copilotVersion": _CLIENT, "startTime": stamped(heading.time), "context": {"cwd": heading.cwd},
    }  # fmt: skip
    ids, clock = MadeIds(heading.session_id, ()), Clock(heading.time)
    parent: str | None = None
    for number, (time, form) in enumerate([(heading.time, None), *_forms(messages)]):
        ident = ids.make(str(number))
        event = {"type": START, "data": start} if form is None else made_event(form, ident)
        now = heading.time if form is None else clock.next(time)
        yield encode({**event, "id": ident, "timestamp": stamped(now), "parentId": parent}) + b"\n"
        parent = ident


def _forms(messages: Sequence[Message]) -> Iterator[tuple[float | None, Value | None]]:
    summary = leading_summary(messages)
    if summary is not None:
        yield messages[0].time, {"role": "user", "content": summary[0].content.read(), "summary": True}
        messages = (replace(messages[0], blocks=messages[0].blocks[1:]), *messages[1:])
    for message in messages:
        for result in message.blocks:
            if isinstance(result, ToolResult):
                form = made_message(replace(message, role=Role.TOOL, blocks=(result,)))
                yield message.time, {**form, "failed": result.is_error}
        for blocks in _apart([block for block in message.blocks if not isinstance(block, ToolResult)]):
            yield message.time, made_message(replace(message, blocks=blocks))


def _apart(blocks: Sequence[Block]) -> Iterator[tuple[Block, ...]]:
    """Split blocks into events: each has one text, and calls go with the last one."""
    texts = [block for block in blocks if not isinstance(block, ToolUse)]
    calls = [block for block in blocks if isinstance(block, ToolUse)]
    for number, text in enumerate(texts, 1):
        yield (text, *calls) if number == len(texts) else (text,)
    if calls and not texts:
        yield tuple(calls)
