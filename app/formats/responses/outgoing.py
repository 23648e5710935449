"""Turning messages into the items of a request, each with its place in the file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, Protocol

from msgspec import Struct

from app.formats.base import Rewrite
from app.formats.repairs import as_notices
from app.formats.responses.forms import edited_item, made_items
from app.formats.responses.repairs import mend_responses
from app.model import Block, Message, Notice, Place, Session


class Items(Protocol):
    """Access to the items of a session's file."""

    def home(self, place: Place) -> Place:
        """The place of the item that holds the block at `place`."""

    def item(self, home: Place) -> dict[str, Any]:
        """The item at that place, as it is sent."""

    def made(self, message: Message, item: dict[str, Any]) -> dict[str, Any]:
        """A new item in this format's form."""


class Outgoing(Struct, frozen=True):
    """One item of a request."""

    message: Message | None
    """The message it belongs to; None for an item that a repair made."""
    home: Place | None
    """Its place in the file; None for a new item."""
    value: dict[str, Any] | None = None
    """Its value, if it is new or a repair changed it."""
    blocks: tuple[Block, ...] | None = None
    """Its new blocks, if they were changed."""
    before: tuple[Block, ...] = ()
    """Its blocks in the file, if they were changed."""

    @property
    def changed(self) -> bool:
        """Whether it differs from the file."""
        return self.value is not None or self.blocks is not None


def said(out: Outgoing, items: Items) -> dict[str, Any]:
    """An item's value; changed blocks are merged into it on demand."""
    if out.value is not None:
        return out.value
    assert out.home is not None
    item = items.item(out.home)
    return item if out.blocks is None else edited_item(item, out.home.path, out.before, out.blocks)


class Sender:
    """Converts a session's messages (kept, changed and new ones) to the items that are sent."""

    def __init__(self, session: Session, items: Items) -> None:
        self._items = items
        self._records = session.records
        self._originals: dict[Place, tuple[Block, ...]] = {}
        for message in session.messages:
            for home, blocks in _runs(message, map(self._home, message.blocks)):
                if home is not None:
                    self._originals[home] = blocks

    def pairs(self, messages: Sequence[Message]) -> Iterator[tuple[str, dict[str, Any]]]:
        """Each item with the key of its message."""
        for out in self.outgoing(messages):
            yield out.message.key if out.message else "", self.value(out)

    def value(self, out: Outgoing) -> dict[str, Any]:
        """An item's value."""
        return said(out, self._items)

    def outgoing(self, messages: Sequence[Message]) -> Iterator[Outgoing]:
        """The items in sending order."""
        for message in messages:
            for home, blocks in _runs(message, self._homes(message.blocks)):
                if home is not None:
                    before = self._originals.get(home, ())
                    yield (
                        Outgoing(message, home)
                        if blocks == before
                        else Outgoing(message, home, blocks=blocks, before=before)
                    )
                else:
                    made = (self._items.made(message, item) for item in made_items(message, blocks))
                    yield from (Outgoing(message, None, item) for item in made)

    def mended(
        self, messages: Sequence[Message], rewrite: Rewrite, *, sound: bool = False
    ) -> tuple[list[Outgoing], tuple[Notice, ...]]:
        """The items of a rewrite with every repair that the provider's rules require, and notices of them.

        `sound`: no repair is known to be needed.
        """

        def outgoing() -> Iterator[Outgoing]:
            return rewrite.looked(self.outgoing(messages))

        if sound:
            return list(outgoing()), ()

        def pairs() -> Iterator[tuple[str, dict[str, Any]]]:
            return ((str(n), self.value(out)) for n, out in enumerate(outgoing()))

        mending = mend_responses(pairs)
        drafts = list(outgoing())
        if not mending.needed:
            return drafts, ()
        found: list[Outgoing] = []
        for mended in mending.run():
            if mended.message is None:
                continue
            if mended.key is None:
                found.append(Outgoing(None, None, mended.message))
            else:
                draft = drafts[int(mended.key)]
                found.append(Outgoing(draft.message, draft.home, mended.message) if mended.touched else draft)
        return found, as_notices(mending.repairs, lambda key: self._line(drafts[int(key)]))

    def _line(self, draft: Outgoing) -> int | None:
        return None if draft.home is None else self._records[draft.home.record].line

    def _home(self, block: Block) -> Place | None:
        return None if block.place is None else self._items.home(block.place)

    def _homes(self, blocks: Sequence[Block]) -> list[Place | None]:
        """The place of each block's item; a new block between two parts of one message joins that item."""
        homes = [self._home(block) for block in blocks]
        before: Place | None = None
        after = list(homes)
        for number in range(len(homes) - 2, -1, -1):
            after[number] = after[number] or after[number + 1]
        for number, home in enumerate(homes):
            if home is None and before is not None and after[number] == before:
                homes[number] = before
            before = homes[number] or before
        return homes


def _runs(
    message: Message, homes: Iterable[Place | None]
) -> Iterator[tuple[Place | None, tuple[Block, ...]]]:
    """Runs of a message's consecutive blocks in the same item."""
    for home, run in groupby(zip(homes, message.blocks, strict=True), key=itemgetter(0)):
        blocks = tuple([block for _, block in run])
        # Most messages are one item: their blocks are held once.
        yield home, message.blocks if len(blocks) == len(message.blocks) else blocks
