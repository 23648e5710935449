"""Writing a new pi session from messages of another format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec.structs import replace

from app.formats.new_file import Clock, SessionHeader, by_author, leading_summary
from app.formats.new_ids import MadeIds
from app.formats.pi.added import (
    assistant_entry,
    compaction_entry,
    injected_entry,
    name_entry,
    result_entry,
    user_entry,
)
from app.formats.pi.forms import made_form
from app.formats.pi.names import HEADER, VERSION
from app.formats.splice import encode
from app.formats.times import stamped
from app.model import Author, Block, Message, Role, ToolResult, ToolUse

Value = dict[str, Any]

_ID_DIGITS: Final = 8


def fresh(messages: Sequence[Message], heading: SessionHeader) -> Iterator[bytes]:
    """The lines of a session file: a header, and entries that each name the one before as parent."""
    header = {"type": HEADER, "version": VERSION, "id": heading.session_id,
              "timestamp": stamped(heading.time), "cwd": heading.cwd}  # fmt: skip
    yield encode(header) + b"\n"
    ids, clock = MadeIds(heading.session_id, (), _ID_DIGITS), Clock(heading.time)
    parent: str | None = None
    for number, (time, entry) in enumerate(_entries(messages)):
        ident, now = ids.make(str(number)), clock.next(time)
        if entry["type"] == "compaction":
            # Nothing comes before it, so it keeps nothing.
            entry = {**entry, "firstKeptEntryId": ident}
        yield encode({**entry, "id": ident, "parentId": parent, "timestamp": stamped(now)}) + b"\n"
        parent = ident
    name = {**name_entry(heading.title), "id": ids.make("name"), "parentId": parent}
    yield encode({**name, "timestamp": stamped(clock.next(None))}) + b"\n"


def _entries(messages: Sequence[Message]) -> Iterator[tuple[float | None, Value]]:
    summary = leading_summary(messages)
    if summary is not None:
        text = summary[0].content.read()
        yield messages[0].time, compaction_entry(summary[1], text, None, {}, messages[0].time)
        messages = (replace(messages[0], blocks=messages[0].blocks[1:]), *messages[1:])
    tools: dict[str, str] = {}
    for message in messages:
        tools |= {block.id: block.name for block in message.blocks if isinstance(block, ToolUse)}
        for entry in _said(message, tools):
            yield message.time, entry


def _said(message: Message, tools: dict[str, str]) -> Iterator[Value]:
    time = message.time
    if message.role is Role.ASSISTANT:
        yield assistant_entry([made_form(block) for block in message.blocks], None, time)
        return
    said: list[Block] = []
    for block in message.blocks:
        if isinstance(block, ToolResult):
            content = [made_form(part) for part in block.parts]
            name = tools.get(block.tool_use_id, "")
            yield result_entry(block.tool_use_id, name, content, block.is_error, time)
        else:
            said.append(block)
    for author, blocks in by_author(said):
        content = [made_form(block) for block in blocks]
        yield user_entry(content, time) if author is Author.USER else injected_entry(content)
