"""Reading an opencode export into a Session."""

from __future__ import annotations

from collections.abc import Iterator

from app.formats.markers import boundary_of
from app.formats.notices import Notices, first_words
from app.formats.opencode.names import NAME, PARTS
from app.formats.opencode.nodes import Node, kind_of, state_of
from app.formats.opencode.transcript import Transcript
from app.formats.plain.anthropic_blocks import as_word
from app.formats.plain.reported import total
from app.formats.source import Source
from app.model import Facts, Message, Notice, Role, SendStatus, Session, Text


def read(source: Source) -> Session:
    """The session of a file; see `app.formats.base.Format.read`."""
    records = Transcript(source)
    records.read()
    history = records.history
    for node in history.live:
        _mark(node)
    messages = tuple(_in_order(records))
    live = [message for message in messages if message.standing is SendStatus.LIVE]
    info = records.info
    return Session(
        format=NAME,
        name=source.name,
        records=records,
        messages=messages,
        boundaries=tuple(
            node.boundary
            for node in records.nodes
            if node.boundary is not None and (node in history.compactions or node in history.live)
        ),
        facts=Facts(
            records=sum(records[index].kind != "unreadable" for index in range(records.listed)),
            bad_lines=tuple(records.bad_lines),
            conversation=sum(not node.failed for node in history.live),
            messages=len(live),
            branches=1 if live else 0,
        ),
        notices=(*records.notices, *_notices(records, live)),
        session_id=as_word(info.get("id")) or None,
        title=as_word(info.get("title")) or first_words(messages),
        model=next((m.model for m in reversed(live) if m.model), None),
        cwd=as_word(info.get("directory")) or None,
        usage=total(node.usage for node in records.nodes),
        last_usage=next((m.usage for m in reversed(live) if m.usage and m.usage.context), None),
    )


def _mark(node: Node) -> None:
    """Mark a message that is a removal marker as a boundary."""
    first = next(iter(node.blocks), None)
    if node.role is Role.USER and node.boundary is None and isinstance(first, Text):
        node.boundary = boundary_of(first.content.preview, node.key, node.record)


def _in_order(records: Transcript) -> Iterator[Message]:
    """All messages in the client's order, except that the sent ones are in sending order."""
    live = list(records.history.live)
    places = {node: number for number, node in enumerate(live)}
    waiting = iter(live)
    for node in records.nodes:
        if node in places:
            yield from _of_node(next(waiting), SendStatus.LIVE)
        else:
            undone = node in records.undone
            yield from _of_node(node, SendStatus.OFF_BRANCH if undone else SendStatus.BEFORE_BOUNDARY)


def _of_node(node: Node, standing: SendStatus) -> Iterator[Message]:
    standing = SendStatus.NEVER_SENT if node.failed else standing
    time = node.created / 1000 or None
    for number, step in enumerate(node.steps):
        key = node.step_key(number)
        last = number == len(node.steps) - 1
        if step.said:
            yield Message(
                key=key,
                role=node.role,
                blocks=step.said,
                standing=standing,
                time=time,
                model=node.model,
                usage=node.usage if last else None,
                boundary=node.boundary if number == 0 else None,
                records=(node.record,),
            )
        if step.results:
            yield Message(f"{key}/results", Role.USER, step.results, standing, time, records=(node.record,))
    if node.unsent:
        yield Message(
            f"{node.key}/unsent", node.role, node.unsent, SendStatus.NEVER_SENT, time, records=(node.record,)
        )


def _notices(records: Transcript, live: list[Message]) -> Iterator[Notice]:
    told = Notices(records)
    for index in range(records.listed):
        if index not in records.by_record and records[index].kind != "unreadable":
            told.add("unknown-record-type", index, "something other than a message was in its place")
    for node in records.history.live:
        parts = records.value(node.record)[PARTS]
        for part in parts:
            if kind_of(part) == "tool" and state_of(part).get("status") in ("pending", "running"):
                told.add("open-call", node.record, f"call {as_word(part.get('callID'))} has no result")
    if records.undone:
        told.add("forked", None, f"{len(records.undone)} messages were undone: they are not part of it")
    if not live:
        told.add("no-conversation", None, "no message that is sent to a model")
    yield from told.all()
