"""Copilot CLI's sessions: a log of events, one JSON object a line, in a folder named after the session."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any, Final

from msgspec import structs

from app.formats.base import Rewrite, Rewriting
from app.formats.copilot.events import EventRecords
from app.formats.copilot.names import CALLED, LOG, NAME, TELLING, data_of, kind_of, text_at
from app.formats.first_bytes import head_records
from app.formats.openai_chat import ChatReader, OpenAIChat
from app.formats.plain.layout import PlainRecords, records_of
from app.formats.plain.reported import total
from app.formats.plain.session import MessageReader
from app.formats.source import Source
from app.model import Author, Block, Boundary, Message, Record, SendStatus, Session, Text, ToolResult, ToolUse

EVENTS: Final = "events.jsonl"
TITLE_CHARS: Final = 120


class Copilot(OpenAIChat):
    """The format of Copilot CLI 1.0."""

    name = NAME
    title = "Copilot CLI"
    one_text = True

    def sniff(self, source: Source) -> bool:
        """Whether events are in the head of the file."""
        return any(
            kind_of(record) in TELLING and isinstance(record.get("data"), dict)
            for record in head_records(source)
        )

    def read(self, source: Source, leaf: str | None = None) -> Session:
        """The session; a log has no branches, so `leaf` is ignored."""
        session = super().read(source, leaf)
        records = _events(session)
        border = -1 if records.boundary is None else records.boundary
        messages = tuple(_standing(message, border) for message in session.messages)
        live = [message for message in messages if message.standing is SendStatus.LIVE]
        return replace(
            session,
            messages=messages,
            session_id=records.session_id,
            title=_first_words(messages),
            model=next((m.model for m in reversed(live) if m.model), records.model),
            cwd=records.cwd,
            boundaries=tuple(m.boundary for m in messages if m.boundary is not None),
            facts=structs.replace(
                session.facts,
                conversation=len(live),
                messages=len(live),
                sidechain_records=len(records.apart),
                hidden_bytes=records.hidden_bytes,
            ),
            usage=total(message.usage for message in messages),
            last_usage=next((m.usage for m in reversed(live) if m.usage and m.usage.context), None),
        )

    def live_request(self, source: Source) -> Iterator[tuple[str, dict[str, Any]]]:
        """What `request` yields for the live messages, which are known only after all were read."""
        session = self.read(source)
        return self.request(session, session.live)

    def rewrite(self, session: Session, rewrite: Rewrite) -> Rewriting:
        """Plan the log with these messages; what a new compaction hides is left out.

        The client reads no recorded usage and titles a session by its first words, so neither is written.
        """
        first = rewrite.messages[0] if rewrite.messages else None
        # A compaction in the middle would hide everything before it.
        plain = [
            m if m is first or m.boundary is None else structs.replace(m, boundary=None)
            for m in rewrite.messages
        ]
        return super().rewrite(session, structs.replace(rewrite, messages=tuple(plain)))

    def made(self, message: Message) -> dict[str, Any]:
        """A message made from scratch, its texts joined, since an event holds only one.

        A summary that hides what came before it becomes a compaction.
        """
        form = super().made(message)
        if isinstance(form.get("content"), list):
            form = {**form, "content": "\n\n".join(text_at(part, "text") for part in form["content"])}
        hides = message.boundary is not None and message.boundary.hides
        return {**form, "summary": True} if hides and form.get("role") == "user" else form

    def sent(self, value: dict[str, Any]) -> dict[str, Any]:
        """A message without our own member."""
        return {key: inner for key, inner in value.items() if key != "summary"}

    def gone(self, session: Session, rewrite: Rewrite) -> set[int]:
        """Events that show a removed call, copies of whole requests, and what a new compaction hides."""
        messages = rewrite.messages
        if list(messages) == list(session.live):
            return set()
        records = _events(session)
        before, after = _calls(session.live), _calls(messages)
        found = set()
        for index in rewrite.looked(range(records.listed)):
            kind = records[index].kind
            if kind == CALLED:
                call = text_at(data_of(records.event(index)), "toolCallId")
                if call in before and call not in after:
                    found.add(index)
            elif kind.startswith(LOG):
                found.add(index)
        hiding = [m for m in messages if m.boundary is not None and m.boundary.hides]
        if not hiding or (hiding[0] is messages[0] and not hiding[0].records):
            # With a new summary the client would send the user's earlier words again, and without the old
            # one everything that it replaced.
            old = (m for m in session.messages if m.standing is SendStatus.BEFORE_BOUNDARY)
            found.update(index for message in old for index in message.records)
        return found

    def heading(self, records: PlainRecords, rewrite: Rewrite) -> dict[int, bytes]:
        """The events that name the session, with its new id."""
        if rewrite.session_id is None or not isinstance(records, EventRecords):
            return {}
        return records.named(rewrite.session_id)

    def resume_command(self, session_id: str) -> str | None:
        """The command to type, from any folder."""
        return f"copilot --resume={session_id}"

    def new_name(self, original: PurePath, session_id: str | None) -> str:
        """A sibling folder named after the new session: `../<session id>/events.jsonl`."""
        if session_id is None:
            return original.name
        return f"../{session_id}/{EVENTS}" if original.name == EVENTS else f"{session_id}.{EVENTS}"

    def _open(self, source: Source) -> PlainRecords:
        return EventRecords(source)

    def _reader(self, records: PlainRecords) -> MessageReader:
        return _Reader(records)


class _Reader(ChatReader):
    """Reads messages from events, with the authors of their texts and whether they are sent."""

    def message(self, record: Record, value: dict[str, Any]) -> Message:
        records = self.records
        assert isinstance(records, EventRecords)
        message = self._message(record, value, (), SendStatus.LIVE)
        summary = record.kind.startswith("session.")
        blocks = tuple(_authored(b, n, len(message.blocks), summary) for n, b in enumerate(message.blocks))
        if record.index in records.failed:
            blocks = tuple(
                structs.replace(b, is_error=True) if isinstance(b, ToolResult) else b for b in blocks
            )
        return structs.replace(
            message,
            # Leave out empty texts, unless there is nothing else.
            blocks=tuple(b for b in blocks if not isinstance(b, Text) or b.content.chars or len(blocks) == 1),
            standing=SendStatus.SIDECHAIN if record.index in records.apart else SendStatus.LIVE,
            time=records.times[record.index],
            model=records.models.get(record.index) if message.role == "assistant" else None,
            usage=records.usages.get(record.index),
            boundary=_boundary(records, record) if summary else None,
        )


def _standing(message: Message, border: int) -> Message:
    """The message with its send status, given the record of the newest compaction."""
    if message.standing is SendStatus.LIVE and message.records[0] < border:
        return structs.replace(message, standing=SendStatus.BEFORE_BOUNDARY)
    return message


def _first_words(messages: Sequence[Message]) -> str | None:
    """The first line that the person typed."""
    for message in messages:
        for block in message.blocks:
            if isinstance(block, Text) and block.author is Author.USER:
                return block.content.preview.strip().partition("\n")[0][:TITLE_CHARS] or None
    return None


def _boundary(records: EventRecords, record: Record) -> Boundary:
    """The boundary of a compaction event."""
    data = data_of(records.event(record.index))
    told = (data.get(name) for name in ("preCompactionTokens", "postCompactionTokens", "messagesRemoved"))
    before, after, removed = (count if isinstance(count, int) and count >= 0 else None for count in told)
    return Boundary(
        key=record.key,
        trigger=text_at(data, "trigger") or "auto",
        time=records.times[record.index],
        tokens_before=before,
        tokens_after=after,
        removed=removed,
        record=record.index,
    )


def _authored(block: Block, number: int, of: int, summary: bool) -> Block:
    """The block with its author: of three texts of a user message the middle one is the user's."""
    if not isinstance(block, Text) or block.author in (Author.ASSISTANT, Author.SYSTEM):
        return block
    if summary:
        return structs.replace(block, author=Author.SUMMARY)
    return structs.replace(block, author=Author.INJECTED if of == 3 and number != 1 else block.author)


def _calls(messages: Iterable[Message]) -> set[str]:
    return {block.id for message in messages for block in message.blocks if isinstance(block, ToolUse)}


def _events(session: Session) -> EventRecords:
    records = records_of(session)
    if not isinstance(records, EventRecords):
        raise TypeError(f"a session of {session.format} was not read from a log of events")
    return records
