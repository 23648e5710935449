"""Building the conversation in the form of the Gemini API, in which Qwen Code holds it before sending."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from app.formats.base import Rewrite
from app.formats.contents.forms import ROLES, edited, made_parts
from app.formats.contents.outgoing import OutgoingMessage, OutgoingPart, mended_said
from app.formats.contents.repairs import mend_contents
from app.formats.qwen.chat import QwenChat
from app.formats.repairs import Mending
from app.model import Block, Message, Role, Thinking

Value = dict[str, Any]


class Sender:
    """Converts messages (kept, changed and new ones) to the provider's form."""

    def __init__(self, chat: QwenChat) -> None:
        self._chat = chat

    def pairs(self, messages: Sequence[Message]) -> Iterator[tuple[str, Value]]:
        """Each message's key with its content; consecutive ones of the user are joined."""
        for said in self.said(messages):
            parts = [part for piece in said.pieces for part in piece.parts]
            yield said.key, {"role": said.role, "parts": parts}

    def said(self, messages: Sequence[Message]) -> Iterator[OutgoingMessage]:
        """The messages as they are sent, without repairs; empty ones are left out."""
        held: OutgoingMessage | None = None
        for message in messages:
            pieces = tuple(self._piece(block) for block in message.blocks if _can_be_sent(block))
            if not pieces:
                continue
            said = OutgoingMessage(message.key, message, ROLES[message.role], pieces)
            if held is not None and held.role == said.role == ROLES[Role.USER]:
                held = OutgoingMessage(held.key, held.message, held.role, (*held.pieces, *pieces))
                continue
            if held is not None:
                yield held
            held = said
        if held is not None:
            yield held

    def mended(self, rewrite: Rewrite) -> tuple[list[OutgoingMessage], Mending]:
        """The messages of a rewrite with every repair that the provider's rules require, and the repairs."""
        mending = mend_contents(lambda: rewrite.looked(self.pairs(rewrite.messages)), join=True)
        return mended_said(rewrite.looked(self.said(rewrite.messages)), mending), mending

    def _piece(self, block: Block) -> OutgoingPart:
        original = self._chat.original(block)
        return OutgoingPart(block, tuple(self._parts(original, block)), original is not block)

    def _parts(self, original: Block | None, block: Block) -> Iterator[Any]:
        """A block as parts: the file's own values if it is unchanged, else with the changes."""
        if original is None or original.place is None:
            yield from made_parts(block)
            return
        path = original.place.path
        listed = isinstance(path[-1], int)
        value = self._chat.value(original.place.record)
        for step in path[:-1] if listed else path:
            value = value[step]
        if listed:
            yield from edited(value, original, block)
        else:
            items = [{"text": value} if isinstance(value, str) else value]
            yield from edited(items, original, block)


def _can_be_sent(block: Block) -> bool:
    """Whether a block can be sent: not new thinking, which cannot be made."""
    return block.place is not None or not isinstance(block, Thinking)
