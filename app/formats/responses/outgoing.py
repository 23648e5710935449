"""The items of a request that messages make, each with the place where the file has it."""

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
    """Where the items of a session lie."""

    def home(self, place: Place) -> Place:
        """The item in which the block at `place` lies."""

    def item(self, home: Place) -> dict[str, Any]:
        """That item, as it is sent."""

    def made(self, message: Message, item: dict[str, Any]) -> dict[str, Any]:
        """An item that is in no file, as this format has it."""


class Outgoing(Struct, frozen=True):
    """One item of a request."""

    message: Message | None
    """The message that it is of; None for one that a repair made."""
    home: Place | None
    """Where the file has it; None for a made one."""
    value: dict[str, Any] | None = None
    """What it says, where it is made or a repair changed it."""
    blocks: tuple[Block, ...] | None = None
    """What it says now, where somebody changed it,"""
    before: tuple[Block, ...] = ()
    """and what the file says."""

    @property
    def changed(self) -> bool:
        """Whether it says something else than the file."""
        return self.value is not None or self.blocks is not None


def said(out: Outgoing, items: Items) -> dict[str, Any]:
    """What an item says; what was changed in it is put together when somebody asks."""
    if out.value is not None:
        return out.value
    assert out.home is not None
    item = items.item(out.home)
    return item if out.blocks is None else edited_item(item, out.home.path, out.before, out.blocks)


class Sender:
    """Tells which items a session's messages, kept, changed and made ones, are sent as."""

    def __init__(self, session: Session, items: Items) -> None:
        self._items = items
        self._records = session.records
        self._originals: dict[Place, tuple[Block, ...]] = {}
        for message in session.messages:
            for home, blocks in _runs(message, map(self._home, message.blocks)):
                if home is not None:
                    self._originals[home] = blocks

    def pairs(self, messages: Sequence[Message]) -> Iterator[tuple[str, dict[str, Any]]]:
        """Each item with the key of the message that it is of."""
        for out in self.outgoing(messages):
            yield out.message.key if out.message else "", self.value(out)

    def value(self, out: Outgoing) -> dict[str, Any]:
        """What an item says."""
        return said(out, self._items)

    def outgoing(self, messages: Sequence[Message]) -> Iterator[Outgoing]:
        """The items in the order in which they are sent."""
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
        """The items of a rewrite with every repair that the provider's rules demand, and what was mended.

        `sound`: they are known to demand none.
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
        """The item of each block; a made one between two parts of one message is of that message."""
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
    """The blocks of a message that follow each other in one item."""
    for home, run in groupby(zip(homes, message.blocks, strict=True), key=itemgetter(0)):
        blocks = tuple([block for _, block in run])
        # Most messages are one item: their blocks are held once.
        yield home, message.blocks if len(blocks) == len(message.blocks) else blocks
