"""The wanted contents: for each its record or compressed content, or a new one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from app.formats.contents.forms import ROLES
from app.formats.contents.outgoing import OutgoingMessage, OutgoingPart
from app.formats.qwen.chat import QwenChat
from app.formats.qwen.names import HISTORY
from app.model import Author, Boundary, Message, Role, Text

Value = dict[str, Any]


class ContentPosition(Struct, frozen=True):
    """Where a content is."""

    record: int
    number: int | None = None
    """Its index in the history of a compression; None for a record's own message."""


class Group(Struct):
    """One wanted content."""

    role: str
    pieces: list[OutgoingPart]
    seat: ContentPosition | None = None
    message: Message | None = None

    @property
    def parts(self) -> list[Any]:
        return [part for piece in self.pieces for part in piece.parts]

    @property
    def is_typed(self) -> bool:
        """Whether all of a new content is the person's words."""
        blocks = [piece.block for piece in self.pieces]
        return all(isinstance(block, Text) and block.author is Author.USER for block in blocks)

    def stands_for(self, boundary: Boundary | None) -> bool:
        """Whether it is the summary of a new boundary."""
        own = self.message.boundary if self.message is not None else None
        return self.seat is None and boundary is not None and own is not None and own.key == boundary.key


def groups_of(chat: QwenChat, said: Iterable[OutgoingMessage], messages: Iterable[Message]) -> list[Group]:
    """The contents of the messages `said`, in sending order; `messages` are those they were made from."""
    owners = {block.key: message for message in messages for block in message.blocks}
    return [group for each in said for group in _groups(chat, each, owners)]


def _groups(chat: QwenChat, said: OutgoingMessage, owners: Mapping[str, Message]) -> Iterator[Group]:
    if said.role == ROLES[Role.ASSISTANT]:
        yield from _reply_groups(chat, said)
        return
    found: list[Group] = []
    seats: dict[ContentPosition, Group] = {}
    for piece in said.pieces:
        seat = _seat(chat, piece)
        if seat is not None and seat in seats:
            seats[seat].pieces.append(piece)
        elif seat is None and found and found[-1].seat is None and _together(found[-1].pieces[-1], piece):
            found[-1].pieces.append(piece)
        else:
            message = owners.get(piece.block.key) if piece.block is not None else None
            found.append(Group(said.role, [piece], seat, message))
            if seat is not None:
                seats[seat] = found[-1]
    yield from found


def _reply_groups(chat: QwenChat, said: OutgoingMessage) -> Iterator[Group]:
    """The contents of a reply; new parts go into a neighbouring record, since a reply is one content."""
    groups: dict[ContentPosition, Group] = {}
    made: list[OutgoingPart] = []
    last: ContentPosition | None = None
    for piece in said.pieces:
        last = _seat(chat, piece) or last
        if last is None:
            made.append(piece)
        else:
            groups.setdefault(last, Group(said.role, made, last, said.message)).pieces.append(piece)
            made = []
    yield from groups.values()
    if made:
        yield Group(said.role, made, None, said.message)


def _together(one: OutgoingPart, other: OutgoingPart) -> bool:
    """Whether two new pieces can be one record: both results, or both text by the same author."""
    return _sort(one) == _sort(other)


def _sort(piece: OutgoingPart) -> str:
    if any(isinstance(part, dict) and "functionResponse" in part for part in piece.parts):
        return "results"
    return str(piece.block.author) if isinstance(piece.block, Text) else "other"


def _seat(chat: QwenChat, piece: OutgoingPart) -> ContentPosition | None:
    place = piece.block.place if piece.block is not None else None
    if place is None:
        return None
    if chat.nodes[place.record].history is None:
        return ContentPosition(place.record)
    number = place.path[len(HISTORY)]
    return ContentPosition(place.record, number) if isinstance(number, int) else None
