"""A conversation to be written: kept, changed, made and repaired blocks, message by message.

Formats whose records hold messages work in three steps: they build the request that these messages would
make (`Outgoing`), have it repaired by the provider's rules (`app.formats.repairs`), and then know for every
item of the result which block it came from, or that it is new (`Draft`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from msgspec import Struct

from app.formats.repairs import Mended, Mending
from app.model import Block, Message, Role


class Outgoing(Struct, frozen=True):
    """One message of a request."""

    key: str
    role: Role
    items: tuple[tuple[Message, Block], ...]
    """The blocks in sending order, each with the session's message it belongs to."""


class Item(Struct, frozen=True):
    """A block to be written."""

    block: Block | None
    """None for a block that a repair made."""
    message: Message | None
    """The session's message it belongs to."""
    value: Any = None
    """Its value in the provider's form if a repair changed it; None for the block's own."""

    @property
    def kept(self) -> bool:
        """Whether it is in a record of the file."""
        return self.block is not None and self.block.place is not None


class Draft(Struct, frozen=True):
    """One message of a request to be written."""

    key: str
    role: Role
    items: tuple[Item, ...]


def drafts(
    sent: Callable[[], Iterable[Outgoing]],
    mending: Mending,
    value_of: Callable[[Message, Block], Any],
    member: str = "content",
) -> list[Draft]:
    """The messages of `sent` with the repairs of `mending`, which was planned on their provider's form.

    `value_of` converts a block of a message to that form; `member` is the name under which such a message
    has its blocks.
    """
    if not mending.needed:
        return [_as_sent(outgoing) for outgoing in sent()]
    return list(_mended(sent(), mending, value_of, member))


def _as_sent(sent: Outgoing) -> Draft:
    return Draft(sent.key, sent.role, tuple(Item(block, message) for message, block in sent.items))


def _mended(
    sent: Iterable[Outgoing], mending: Mending, value_of: Callable[[Message, Block], Any], member: str
) -> Iterator[Draft]:
    coming = iter(sent)
    for number, mended in enumerate(mending.run()):
        if mended.key is None:
            content = mended.message[member] if mended.message else []
            role = Role.ASSISTANT if mended.message and mended.message["role"] != "user" else Role.USER
            yield Draft(f"repair/{number}", role, tuple(Item(None, None, value) for value in content))
            continue
        outgoing = next(coming)
        yield _mend(outgoing, mended, value_of, member) if mended.touched else _as_sent(outgoing)


def _mend(sent: Outgoing, mended: Mended, value_of: Callable[[Message, Block], Any], member: str) -> Draft:
    content = mended.message[member] if mended.message else []
    origins = mended.origins if mended.origins is not None else range(len(content))
    items = []
    for origin, value in zip(origins, content, strict=True):
        if origin is None:
            items.append(Item(None, None, value))
            continue
        message, block = sent.items[origin]
        items.append(Item(block, message, None if value == value_of(message, block) else value))
    return Draft(sent.key, sent.role, tuple(items))
