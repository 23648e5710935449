"""What no provider takes and a hand edit could cause, told before it is done.

Whatever else the rules demand is kept by how edits are made: pairs go together, thinking whole turns at
a time, and the newest reply is not altered. Here is what taking out single messages can do to the order
of those that stay. What was so before an edit is no fault of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from app.model import Block, Message, Role, Text, Thinking, ToolUse, text_of
from app.stages.base import Messages


def why_unsound(before: Messages, after: Messages) -> str | None:
    """Why a provider would refuse `after`, unless it refused `before` for the same reason; else None."""
    was, now = _Order(before), _Order(after)
    if not now.has_messages:
        return "nothing would be left of the conversation"
    if now.begins_with_model and not was.begins_with_model:
        return "the conversation would begin with a reply of the model: drop that too, or use drop_before"
    if now.loose_end and now.loose_end != was.loose_end:
        return "the conversation would end with a reply that ends in white space"
    for words, keys in now.faults.items():
        if keys - was.faults.get(words, set()):
            return words
    return None


class _Order:
    """How the messages of a conversation follow each other, as a provider joins them."""

    def __init__(self, messages: Messages) -> None:
        said = [m for m in messages if m.role is not Role.SYSTEM and m.blocks]
        self.has_messages = bool(said)
        self.begins_with_model = bool(said) and said[0].role is Role.ASSISTANT
        self.loose_end = _loose_end(said[-1]) if said else None
        self.faults: dict[str, set[str]] = {}
        for is_reply, run in groupby(said, key=lambda message: message.role is Role.ASSISTANT):
            if is_reply:
                for words, key in _faults([block for message in run for block in message.blocks]):
                    self.faults.setdefault(words, set()).add(key)


def _faults(reply: list[Block]) -> Iterator[tuple[str, str]]:
    """What is wrong with a reply as a whole, with the key of the block it is about."""
    thinking = [block for block in reply if isinstance(block, Thinking)]
    if thinking and not isinstance(reply[0], Thinking):
        yield "a reply without thinking would be joined with one that begins with thinking", thinking[0].key
    if isinstance(reply[-1], Thinking):
        yield "a reply would end with thinking", reply[-1].key
    called = False
    for block in reply:
        if called and isinstance(block, Text):
            yield "text of the model would directly follow a call without a result", block.key
        called = called or (isinstance(block, ToolUse) and not block.server)


def _loose_end(message: Message) -> str | None:
    """The key of the last block where it is a reply's text that ends in white space."""
    last = message.blocks[-1]
    if message.role is not Role.ASSISTANT or not isinstance(last, Text):
        return None
    text = text_of(last)
    return last.key if text[-1:].isspace() and not text.isspace() else None
