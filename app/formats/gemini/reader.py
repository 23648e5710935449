"""Reading a Gemini CLI file into a Session: its records once, then the replayed messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final, TypeGuard

from app.formats.gemini.chat import Chat, Document, Log, all_records
from app.formats.gemini.entries import Entry
from app.formats.gemini.names import GEMINI, HEADER, NAME, REWIND, SET, SHOWN, USER
from app.formats.gemini.replay import Event, MessageAdded, MessagesReplaced, MessagesRewound
from app.formats.gemini.sniffing import Shape, shape_of
from app.formats.markers import boundary_of
from app.formats.notices import Notices, first_words
from app.formats.plain.reported import total
from app.formats.source import Source
from app.model import (
    Boundary,
    Facts,
    Message,
    Notice,
    Role,
    SendStatus,
    Session,
    Text,
    ToolResult,
    ToolUse,
)

_KNOWN: Final = SHOWN | {USER, GEMINI, SET, REWIND, HEADER, "unreadable"}


def read(source: Source) -> Session:
    """The session of a file; see `app.formats.base.Format.read`."""
    chat: Chat
    if shape_of(source) is Shape.DOCUMENT:
        chat = Document(source)
        chat.read()
    else:
        chat = Log(source)
        chat.load()
    live = chat.replay.entries
    mark_copies(live)
    mark_copies(chat.replay.end)
    for entry in chat.replay.place:
        _mark(entry)
    messages = tuple(_messages(chat))
    sent = [message for message in messages if message.standing is SendStatus.LIVE]
    calls = [message for message in messages if message.usage is not None]
    return Session(
        format=NAME,
        name=source.name,
        records=chat,
        messages=messages,
        boundaries=tuple(_boundaries(chat, live)),
        facts=_facts(chat, live, sent),
        notices=(*chat.notices, *_notices(chat, live, sent)),
        session_id=chat.heading.word("sessionId"),
        title=chat.heading.word("summary") or first_words(messages),
        model=next((m.model for m in reversed(sent) if m.model), None),
        cwd=chat.heading.folder,
        usage=total(message.usage for message in calls),
        last_usage=next((m.usage for m in reversed(sent) if m.usage and m.usage.context), None),
    )


def mark_copies(entries: Iterable[Entry]) -> None:
    """Mark the results that repeat those in the message with the call."""
    answered: set[str] = set()
    for entry in entries:
        if entry.kind == GEMINI:
            answered.update(answer.tool_use_id for answer in entry.answers)
        elif entry.kind == USER:
            entry.copies = frozenset(
                block.key
                for block in entry.said
                if isinstance(block, ToolResult) and block.tool_use_id in answered
            )


def _mark(entry: Entry) -> None:
    """Mark a message that is a removal marker as a boundary."""
    first = entry.said[0] if entry.said else None
    if entry.kind == USER and entry.boundary is None and isinstance(first, Text):
        entry.boundary = boundary_of(first.content.preview, entry.key, entry.record)


def _messages(chat: Chat) -> Iterator[Message]:
    """The messages of the session, in their final positions."""
    seen: set[Entry] = set()
    for event in chat.replay.events:
        entries: Iterable[Entry] = ()
        if isinstance(event, MessageAdded):
            entries = (event.entry,)
        elif isinstance(event, MessagesReplaced):
            entries = event.entries
        for entry in entries:
            if chat.replay.place[entry] is event and entry not in seen:
                seen.add(entry)
                yield from _of_entry(entry, _standing(entry, chat))


def _standing(entry: Entry, chat: Chat) -> SendStatus:
    end = chat.replay.end.get(entry)
    if end is not None:
        before = isinstance(end, MessagesReplaced) and end.boundary is not None
        return SendStatus.BEFORE_BOUNDARY if before else SendStatus.OFF_BRANCH
    return SendStatus.LIVE if entry.sent else SendStatus.NEVER_SENT


def _of_entry(entry: Entry, standing: SendStatus) -> Iterator[Message]:
    if entry.thoughts:
        key = f"{entry.key}/thoughts"
        yield Message(
            key, Role.ASSISTANT, entry.thoughts, SendStatus.NEVER_SENT, entry.time, records=(entry.record,)
        )
    if entry.words:
        said = entry.kind == GEMINI
        yield Message(
            key=entry.key,
            role=Role.ASSISTANT if said else Role.USER,
            blocks=entry.words,
            standing=standing,
            time=entry.time,
            model=entry.model,
            usage=entry.usage,
            boundary=entry.boundary,
            records=(entry.record,),
        )
    if entry.answers:
        yield Message(
            entry.results_key, Role.USER, entry.answers, standing, entry.time, records=(entry.record,)
        )


def _boundaries(chat: Chat, live: list[Entry]) -> Iterator[Boundary]:
    for event in chat.replay.events:
        if isinstance(event, MessagesReplaced) and event.boundary is not None:
            yield event.boundary
    known = {
        event.boundary.key
        for event in chat.replay.events
        if isinstance(event, MessagesReplaced) and event.boundary
    }
    for entry in live:
        if entry.boundary is not None and entry.boundary.key not in known:
            yield entry.boundary


def _facts(chat: Chat, live: list[Entry], sent: list[Message]) -> Facts:
    used = {entry.record for entry in live if entry.sent and (entry.words or entry.answers)}
    turns = sum(one.role is not other.role for one, other in pairwise(sent))
    return Facts(
        records=sum(record.kind != "unreadable" for record in all_records(chat)),
        bad_lines=tuple(chat.bad_lines),
        conversation=sum(entry.sent and bool(entry.words) for entry in live),
        messages=turns + bool(sent),
        branches=1 if sent else 0,
        hidden_bytes=sum(record.length for record in all_records(chat) if record.index not in used),
    )


def _notices(chat: Chat, live: list[Entry], sent: list[Message]) -> Iterator[Notice]:
    told = Notices(chat)
    for record in all_records(chat):
        if record.kind and record.kind not in _KNOWN:
            told.add("unknown-record-type", record.index, record.kind)
    doubled = [entry for entry in live if entry.copies]
    if doubled:
        count = sum(len(entry.copies) for entry in doubled)
        detail = f"{count} results are there twice; the client would send both, a new file contains one"
        told.add("result-twice", doubled[0].record, detail)
    stale = [event.record for event in chat.replay.events if _is_repeated(event, chat)]
    if stale:
        size = sum(chat[record].length for record in stale)
        copied = "1 earlier copy" if len(stale) == 1 else f"{len(stale)} earlier copies"
        told.add("superseded-history", stale[0], f"{copied} of it with {size:,} bytes, not sent")
    if any(isinstance(event, MessagesRewound) and event.ended for event in chat.replay.events):
        told.add("forked", None, "messages were undone: they are shown, but are not part of it")
    _tell_pairs(sent, told)
    if not sent:
        told.add("no-conversation", None, "no message that is sent to a model")
    yield from told.all()


def _stale_copy(chat: Chat, event: Event) -> int | None:
    """The record of a list of messages that a later one repeats."""
    if not isinstance(event, MessagesReplaced):
        return None
    repeated = any(entry.sent and chat.replay.place[entry] is not event for entry in event.entries)
    return event.record if repeated else None


def _is_repeated(event: Event, chat: Chat) -> TypeGuard[MessagesReplaced]:
    """Whether an event is a list of messages that a later list repeats."""
    if not isinstance(event, MessagesReplaced):
        return False
    return any(entry.sent and chat.replay.place[entry] is not event for entry in event.entries)


def _tell_pairs(sent: list[Message], told: Notices) -> None:
    open_calls: dict[str, int] = {}
    for message in sent:
        for block in message.blocks:
            if isinstance(block, ToolUse):
                open_calls[block.id] = message.records[0]
            elif isinstance(block, ToolResult) and open_calls.pop(block.tool_use_id, None) is None:
                told.add("orphan-result", message.records[0], f"no call {block.tool_use_id}")
    for ident, record in open_calls.items():
        told.add("open-call", record, f"call {ident} has no result")
