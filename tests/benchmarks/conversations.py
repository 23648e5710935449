"""Long conversations in memory, for what is measured without a file."""

from __future__ import annotations

from collections.abc import Iterator

from app.formats.source import BytesSource
from app.formats.store import RecordStore
from app.model import Message, Session
from tests.build import assistant, conversation, result, use, user

WORDS = "the window keeps a token of every record that the cache holds\n"


def long_conversation(messages: int) -> tuple[Message, ...]:
    """Turns of a prompt, a call, its result of some lines and an answer, that many messages in all.

    Each file is read as often in a short one as in a long one, so that a stage finds its share in both.
    """
    return conversation(*_turns(messages, parts=max(1, messages // 200)))


def _turns(messages: int, parts: int) -> Iterator[Message]:
    for number in range(messages // 4):
        part = number % parts
        name, ident = f"src/part{part}.py", f"toolu_{number:06}"
        yield user(f"Question {number}: where is part {part}?", time=float(number * 60))
        yield assistant(use(ident, "Read", {"file_path": name}))
        yield user(result(ident, f"{number:06}\n{WORDS * (2 + number % 9)}"), time=float(number * 60 + 9))
        yield assistant(f"Part {part} is there.")


def long_session(messages: int) -> Session:
    """The same as an open session that no file holds."""
    return Session("anthropic", "-", RecordStore(BytesSource(b"")), long_conversation(messages))
