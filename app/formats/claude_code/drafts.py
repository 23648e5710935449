"""The conversation as it shall be written: kept, changed, made and mended blocks, message by message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from app.formats.anthropic_repairs import mend_anthropic
from app.formats.claude_code.sent import Outgoing, outgoing, pairs, value_of
from app.formats.claude_code.transcript import Transcript
from app.formats.repairs import Mended, Mending
from app.model import Block, Message, Role


@dataclass(frozen=True, slots=True)
class Item:
    """A block of a message that is to be written."""

    block: Block | None
    """None for one that a repair made."""
    message: Message | None
    """The message of the session that it is of."""
    value: Any = None
    """What it must say where a repair changed it; None for what the block says."""

    @property
    def kept(self) -> bool:
        """Whether it lies in a record of the file."""
        return self.block is not None and self.block.place is not None


@dataclass(frozen=True, slots=True)
class Draft:
    """One API message that is to be written."""

    key: str
    role: Role
    items: tuple[Item, ...]


def drafts(records: Transcript, messages: Sequence[Message]) -> tuple[list[Draft], Mending]:
    """The messages with every repair that the provider's rules demand, and those repairs."""
    mending = mend_anthropic(lambda: pairs(records, messages))
    if not mending.needed:
        return [_as_sent(sent) for sent in outgoing(messages)], mending
    return list(_mended(mending, messages, records)), mending


def _as_sent(sent: Outgoing) -> Draft:
    return Draft(sent.key, sent.role, tuple(Item(block, message) for message, block in sent.items))


def _mended(mending: Mending, messages: Sequence[Message], records: Transcript) -> Iterator[Draft]:
    coming = outgoing(messages)
    for number, mended in enumerate(mending.run()):
        if mended.key is None:
            content = mended.message["content"] if mended.message else []
            role = Role(mended.message["role"]) if mended.message else Role.USER
            yield Draft(f"repair/{number}", role, tuple(Item(None, None, value) for value in content))
            continue
        sent = next(coming)
        yield _mend(sent, mended, records) if mended.touched else _as_sent(sent)


def _mend(sent: Outgoing, mended: Mended, records: Transcript) -> Draft:
    content = mended.message["content"] if mended.message else []
    origins = mended.origins if mended.origins is not None else range(len(content))
    items = []
    for origin, value in zip(origins, content, strict=True):
        if origin is None:
            items.append(Item(None, None, value))
            continue
        message, block = sent.items[origin]
        items.append(Item(block, message, None if value == value_of(block, records) else value))
    return Draft(sent.key, sent.role, tuple(items))
