"""Building the request that the client would send, and blocks as JSON values."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from app.formats.anthropic_repairs import mend_anthropic
from app.formats.base import Rewrite
from app.formats.claude_code.transcript import Transcript
from app.formats.drafts import Draft, Outgoing, drafts
from app.formats.plain.anthropic_blocks import form_of, revised
from app.formats.repairs import UNREAD, Mending
from app.formats.segments import stretches
from app.model import Author, Block, Message, Role, Text, Thinking, ToolResult

Value = dict[str, Any]


def outgoing(messages: Iterable[Message]) -> Iterator[Outgoing]:
    """The messages of the request for these; messages without a block are left out."""
    run: list[Message] = []
    for message in messages:
        if not any(map(_can_be_sent, message.blocks)):
            continue
        if run and not (run[-1].role is message.role is Role.USER):
            yield _joined(run)
            run = []
        run.append(message)
    if run:
        yield _joined(run)


def _joined(run: Sequence[Message]) -> Outgoing:
    first = run[0]
    if len(run) == 1 and len(first.blocks) == 1:  # as most are: a single block needs no ordering
        return Outgoing(first.key, first.role, ((first, first.blocks[0]),))
    items = [(message, block) for message in run for block in message.blocks if _can_be_sent(block)]
    if first.role is Role.USER:
        items.sort(key=lambda item: _rank_in(*item))
    return Outgoing(first.key, first.role, tuple(items))


def _can_be_sent(block: Block) -> bool:
    """Whether a block can be sent: not new thinking, which only the provider can sign."""
    return block.place is not None or not isinstance(block, Thinking)


def rank(block: Block) -> int:
    """The sort key of a block in a user message: the client puts results first, attachments before text."""
    if isinstance(block, ToolResult):
        return 0
    if isinstance(block, Text) and block.author is Author.SUMMARY:
        return 1
    return 2 if block.place is not None and is_attachment(block) else 3


def _rank_in(message: Message, block: Block) -> int:
    """The rank of a block; a new line that stands for removed content ranks like a summary."""
    behind = message.boundary is not None and message.boundary.hides
    marks = isinstance(block, Text) and block.author is Author.MARKER and block.place is None
    return 1 if behind and marks else rank(block)


def is_attachment(block: Block) -> bool:
    """Whether a block comes from an attachment record."""
    return block.place is not None and block.place.path[0] != "message"


def pairs(records: Transcript, messages: Sequence[Message]) -> Iterator[tuple[str, Value]]:
    """Each message's key with the message in the provider's form; contents are lists."""
    for sent in outgoing(messages):
        yield sent.key, _form(sent, records)


def _form(sent: Outgoing, records: Transcript) -> Value:
    return {"role": str(sent.role), "content": [value_of(block, records) for _, block in sent.items]}


def _to_mend(
    records: Transcript, messages: Sequence[Message], faulty: Collection[str] | None
) -> Iterator[tuple[str, Value]]:
    """The same for a mender: only the faulty messages and their surroundings are read."""
    if faulty is None:
        yield from pairs(records, messages)
        return
    heads = [(sent.key, sent.role is Role.ASSISTANT) for sent in outgoing(messages)]
    places = [place for place, (key, _) in enumerate(heads) if key in faulty]
    around = stretches([by_assistant for _, by_assistant in heads], places)
    looked_at = {place for part in around for place in part}
    for place, sent in enumerate(outgoing(messages)):
        yield sent.key, _form(sent, records) if place in looked_at else UNREAD


def drafts_of(records: Transcript, rewrite: Rewrite) -> tuple[list[Draft], Mending]:
    """The messages of a rewrite with every repair that the provider's rules require, and the repairs."""
    messages, looked = rewrite.messages, rewrite.looked
    mending = mend_anthropic(lambda: looked(_to_mend(records, messages, rewrite.faulty)))
    wished = drafts(lambda: looked(outgoing(messages)), mending, lambda _, block: value_of(block, records))
    return wished, mending


def value_of(block: Block, records: Transcript) -> Any:
    """A block as JSON: the file's own value if it is unchanged, else with the changes."""
    original = records.original(block)
    if original is None:
        return form_of(block)
    item = at_place(original, records)
    return item if block is original else revised(item, original, block)


def at_place(block: Block, records: Transcript) -> Any:
    """The JSON value of a block of the file; a bare string as a text block."""
    assert block.place is not None
    value = records.value(block.place.record)
    for step in block.place.path:
        value = value[step]
    return {"type": "text", "text": value} if isinstance(value, str) and isinstance(block, Text) else value
