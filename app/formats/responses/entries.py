"""Items as entries of a conversation, and joining entries to messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from app.model import Author, Block, Boundary, JsonPath, Message, Role, SendStatus, Text, Usage


class Entry(Struct):
    """One item: where it is, and its blocks."""

    record: int
    path: JsonPath
    """Path of the item inside its record."""
    key: str
    kind: str
    """The item's type."""
    role: Role
    blocks: tuple[Block, ...]
    reply: int = 0
    """Number of the model reply that it came from; only items made by the model are told apart by it."""
    named: bool = False
    """Whether the item has an id."""
    time: float | None = None
    model: str | None = None
    boundary: Boundary | None = None
    standing: SendStatus = SendStatus.LIVE

    @property
    def typed(self) -> bool:
        """Whether the person wrote part of it."""
        return any(isinstance(block, Text) and block.author is Author.USER for block in self.blocks)


_JOINED = (Role.ASSISTANT, Role.TOOL)


def messages_of(entries: Iterable[Entry], usages: Mapping[int, Usage]) -> Iterator[Message]:
    """The entries as messages: all items of one reply are one message, and so is a run of outputs.

    `usages` are the reported usages by reply number.
    """
    groups: list[list[Entry]] = []
    newest: dict[SendStatus, list[Entry]] = {}
    for entry in entries:
        group = newest.get(entry.standing)
        if group is not None and _belongs(group[-1], entry):
            group.append(entry)
        else:
            newest[entry.standing] = group = [entry]
            groups.append(group)
    for group in groups:
        yield _message(group, usages)


def _belongs(last: Entry, entry: Entry) -> bool:
    if entry.role is not last.role or entry.role not in _JOINED or entry.boundary is not None:
        return False
    return entry.role is Role.TOOL or entry.reply == last.reply


def _message(group: list[Entry], usages: Mapping[int, Usage]) -> Message:
    first = group[0]
    said = first.role is Role.ASSISTANT
    blocks = first.blocks if len(group) == 1 else tuple(block for entry in group for block in entry.blocks)
    return Message(
        key=first.key,
        role=first.role,
        blocks=blocks,
        standing=first.standing,
        time=first.time,
        model=first.model if said else None,
        usage=usages.get(first.reply) if said else None,
        boundary=first.boundary,
        records=tuple(dict.fromkeys(entry.record for entry in group)),
    )
