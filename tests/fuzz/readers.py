"""What must hold for any bytes whatever: they are read and written as a session, or refused in one line."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from app.errors import UnknownFormat, UnreadableFile
from app.export.fingerprints import Fingerprints
from app.formats import detect
from app.formats.base import Format, Rewrite, StreamingFormat
from app.formats.source import BytesSource
from app.model import Message, Session, ToolResult, blocks_of, chars_of, preview_of, text_of, with_text
from app.validity import check

SECONDS: Final = 10
"""What one input may never take."""


def holds(data: bytes) -> str | None:
    """Read and write any bytes as a session; the format's name, None where they are of no format.

    Raises nothing but AssertionError, when something is not as it must be.
    """
    source = BytesSource(data, "a.jsonl")
    try:
        kind = detect(source)
    except (UnknownFormat, UnreadableFile) as error:
        assert "\n" not in str(error)
        return None
    session = kind.read(source)
    _is_readable(kind, session)
    if isinstance(kind, StreamingFormat):
        held, streamed = Fingerprints(), Fingerprints()
        for _ in (
            *held.taken(kind.request(session, session.live)),
            *streamed.taken(kind.live_request(source)),
        ):
            pass
        assert held.tell_same(streamed), "another conversation where no session is held"
    unchanged = kind.rewrite(session, Rewrite(session.live))
    written = b"".join(unchanged.pieces())
    assert unchanged.repairs or unchanged.changed or unchanged.dropped or written in (data, data + b"\n")
    cleared = tuple(_cleared(message) for message in session.live)
    changed = kind.rewrite(session, Rewrite(cleared, context_tokens=7, title="T"))
    again = b"".join(changed.pieces())
    if session.live:
        _is_readable(kind, kind.read(BytesSource(again, "b.jsonl")))
    return kind.name


def _is_readable(kind: Format, session: Session) -> None:
    for _, block in blocks_of(session.messages):
        text = text_of(block)
        assert len(text) == chars_of(block)
        preview_of(block).encode("utf-8", "surrogatepass")
    keys = [message.key for message in session.live]
    assert len(keys) == len(set(keys)), "two messages of one key"
    list(check(kind.validity, kind.request(session, session.live)))


def _cleared(message: Message) -> Message:
    """The message with its results cleared."""
    blocks = tuple(
        with_text(block, "[cleared]") if isinstance(block, ToolResult) and not block.server else block
        for block in message.blocks
    )
    return replace(message, blocks=blocks)
