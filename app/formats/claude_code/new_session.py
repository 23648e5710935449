"""Writing a new Claude Code session from messages of another format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from app.formats.claude_code.added import assistant_record, boundary_record, carried, title_record
from app.formats.claude_code.names import SYNTHETIC_MODEL
from app.formats.new_file import Clock, SessionHeader, by_author, leading_summary
from app.formats.new_ids import MadeIds
from app.formats.plain.anthropic_blocks import form_of
from app.formats.splice import encode
from app.formats.times import stamped
from app.model import Author, Block, Message, Role, ToolResult

Value = dict[str, Any]

VERSION: Final = "2.1.0"
"""The client version that the records name; it reads everything that is written here."""


def fresh(messages: Sequence[Message], heading: SessionHeader) -> Iterator[bytes]:
    """The lines of a session file: a record for each assistant block, result, or run of one author."""
    common: Value = {
        "isSidechain": False,
        "userType": "external",
        "entrypoint": "cli",
        "cwd": heading.cwd,
        "sessionId": heading.session_id,
        "version": VERSION,
    }
    ids, clock = MadeIds(heading.session_id, ()), Clock(heading.time)
    parent: str | None = None
    for number, (time, record) in enumerate(_records(messages, common)):
        ident = ids.make(str(number))
        yield (
            encode({**record, "parentUuid": parent, "uuid": ident, "timestamp": stamped(clock.next(time))})
            + b"\n"
        )
        parent = ident
    yield encode(title_record(heading.title, heading.session_id)) + b"\n"


def _records(messages: Sequence[Message], common: Value) -> Iterator[tuple[float | None, Value]]:
    summary = leading_summary(messages)
    if summary is not None:
        yield messages[0].time, boundary_record(summary[1], None, common)
    for number, message in enumerate(messages):
        if message.role is Role.ASSISTANT:
            made = _assistant(message, common, f"{number:04d}")
        else:
            made = _user(message, common, behind_boundary=summary is not None and number == 0)
        for record in made:
            yield message.time, record


def _assistant(message: Message, common: Value, ident: str) -> Iterator[Value]:
    for block in message.blocks:
        record = assistant_record([form_of(block)], None, common, f"{common['sessionId']}_{ident}")
        yield {**record, "message": {**record["message"], "model": message.model or SYNTHETIC_MODEL}}


def _user(message: Message, common: Value, *, behind_boundary: bool) -> Iterator[Value]:
    said: list[Block] = []
    for block in message.blocks:
        if isinstance(block, ToolResult):
            yield _said([block], common)
        else:
            said.append(block)
    for author, blocks in by_author(said):
        record = _said(blocks, common)
        if author is Author.SUMMARY and behind_boundary:
            record |= {"isVisibleInTranscriptOnly": True, "isCompactSummary": True}
            behind_boundary = False
        elif author is not Author.USER:
            # A later summary, too: marked as a summary it would hide what is before it.
            record["isMeta"] = True
        yield record


def _said(blocks: Sequence[Block], common: Value) -> Value:
    content: Any = [form_of(block) for block in blocks]
    if len(content) == 1 and content[0]["type"] == "text":
        content = content[0]["text"]
    return {**carried(common), "type": "user", "message": {"role": "user", "content": content}}
