"""Messages to be sent, as parts that know which block they belong to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from app.formats.repairs import Mended, Mending
from app.model import Block, Message


class OutgoingPart(Struct, frozen=True):
    """The parts of one block that are sent, or one part that a repair made."""

    block: Block | None
    parts: tuple[Any, ...]
    changed: bool
    """Whether it differs from the file, or is not in it."""


class OutgoingMessage(Struct, frozen=True):
    """One message to be sent."""

    key: str
    """Empty for a message that a repair made."""
    message: Message | None
    role: str
    """`user` or `model`."""
    pieces: tuple[OutgoingPart, ...]


def mended_said(said: Iterable[OutgoingMessage], mending: Mending) -> list[OutgoingMessage]:
    """The messages with the repairs of `mending`, which was planned on their contents."""
    if not mending.needed:
        return list(said)
    coming = iter(said)
    return [_mended(each, None if each.key is None else next(coming)) for each in mending.run()]


def _mended(mended: Mended, said: OutgoingMessage | None) -> OutgoingMessage:
    """A repaired message, its parts with the blocks they belong to."""
    content = mended.message or {"role": "user", "parts": []}
    if said is None:
        role = str(content.get("role"))
        return OutgoingMessage(
            "", None, role, tuple(OutgoingPart(None, (part,), True) for part in content["parts"])
        )
    if mended.message is None:
        return OutgoingMessage(said.key, said.message, said.role, ())
    if not mended.touched:
        return said
    before = [(piece, part) for piece in said.pieces for part in piece.parts]
    origins = mended.origins if mended.origins is not None else range(len(content["parts"]))
    pieces: list[OutgoingPart] = []
    for origin, part in zip(origins, content["parts"], strict=True):
        if origin is None:
            pieces.append(OutgoingPart(None, (part,), True))
            continue
        piece, old = before[origin]
        same = part is old or part == old
        if pieces and pieces[-1].block is piece.block and piece.block is not None:
            last = pieces.pop()
            pieces.append(OutgoingPart(piece.block, (*last.parts, part), last.changed or not same))
        else:
            pieces.append(OutgoingPart(piece.block, (part,), piece.changed or not same))
    return OutgoingMessage(said.key, said.message, said.role, tuple(_whole(piece, said) for piece in pieces))


def _whole(piece: OutgoingPart, said: OutgoingMessage) -> OutgoingPart:
    """The original piece, if nothing of it was changed or left out."""
    old = next((p for p in said.pieces if p.block is piece.block and p.block is not None), None)
    if old is not None and old.parts == piece.parts:
        return old
    return OutgoingPart(piece.block, piece.parts, True)
