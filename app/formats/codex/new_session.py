"""Writing a new rollout from messages of another format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec.structs import replace

from app.formats.codex.boundaries import compacted_payload
from app.formats.codex.names import COMPACTED, ITEM, META
from app.formats.new_file import Clock, SessionHeader, leading_summary
from app.formats.responses.forms import made_items, text_item
from app.formats.splice import encode
from app.formats.times import stamped
from app.model import Message

VERSION: Final = "0.171.0"


def fresh(messages: Sequence[Message], heading: SessionHeader) -> Iterator[bytes]:
    """The lines of a rollout: its head, a compaction if there is a leading summary, and the items.

    It names no `history_mode`, so no record needs an ordinal.
    """
    clock = Clock(heading.time)
    meta = {
        "id": heading.session_id,
        "timestamp": stamped(heading.time),
        "cwd": heading.cwd,
        "originator": "codex_cli_rs",
        "cli_version": VERSION,
        "source": "cli",
    }
    yield _line(META, meta, clock.next(None))
    summary = leading_summary(messages)
    if summary is not None:
        text = summary[0].content.read()
        payload = compacted_payload(summary[1], text, [text_item("user", text)])
        yield _line(COMPACTED, payload, clock.next(messages[0].time))
        messages = (replace(messages[0], blocks=messages[0].blocks[1:]), *messages[1:])
    for message in messages:
        for item in made_items(message, message.blocks):
            yield _line(ITEM, item, clock.next(message.time))


def _line(kind: str, payload: dict[str, Any], time: float) -> bytes:
    return encode({"timestamp": stamped(time), "type": kind, "payload": payload}) + b"\n"
