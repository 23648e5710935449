"""Opening and writing plain JSON sessions in tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from app.formats import detect, format_named
from app.formats.base import Rewrite, Rewriting
from app.formats.source import BytesSource
from app.model import Author, Block, Held, Message, Opaque, Role, Session, Text, Thinking

DATA = Path(__file__).parents[1] / "data"


def load(data: bytes | Path | Any) -> Session:
    """The session in some bytes, in a file, or in a value that is dumped to JSON."""
    if isinstance(data, Path):
        data = data.read_bytes()
    elif not isinstance(data, bytes):
        data = json.dumps(data).encode()
    source = BytesSource(data)
    return detect(source).read(source)


def plan(session: Session, *messages: Message, **options: Any) -> Rewriting:
    """How the session is written with these messages."""
    return format_named(session.format).rewrite(session, Rewrite(messages, **options))


def write(session: Session, *messages: Message) -> bytes:
    """The file with these messages."""
    return b"".join(plan(session, *messages).pieces())


def requested(session: Session, *messages: Message) -> list[dict[str, Any]]:
    """The messages in the provider's form."""
    return [form for _, form in format_named(session.format).request(session, messages)]


def words(session: Session) -> set[str]:
    """The words of the session's notices."""
    return {notice.word for notice in session.notices}


def made(text: str, author: Author = Author.SUMMARY) -> Message:
    """A user message that no file holds."""
    return Message("made", Role.USER, (Text("made:0", Held(text), author),))


def saying(block: Block, text: str) -> Block:
    """The same block with other words, as a stage or a hand would change it."""
    assert isinstance(block, Text | Thinking | Opaque)
    return replace(block, content=Held(text))
