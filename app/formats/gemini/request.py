"""Building the request that the client would send, without the second copies of results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from app.formats.base import Rewrite
from app.formats.contents.forms import ROLES, edited, edited_call, made_answer, made_parts
from app.formats.contents.names import ANSWER, CALL, answer_of
from app.formats.contents.outgoing import OutgoingMessage, OutgoingPart, mended_said
from app.formats.contents.repairs import mend_contents
from app.formats.gemini.chat import Chat
from app.formats.gemini.names import CALLS, RESULT
from app.formats.repairs import Mending
from app.model import Block, JsonPath, Message, Session, Text, Thinking, ToolResult, ToolUse

Value = dict[str, Any]


class Sender:
    """Converts a session's messages (kept, changed and new ones) to the provider's form."""

    def __init__(self, session: Session, chat: Chat) -> None:
        self._chat = chat
        self._originals = {block.key: block for message in session.messages for block in message.blocks}

    def original(self, block: Block) -> Block | None:
        """The original block in the file of a block that may have been changed; None for a new one."""
        return None if block.place is None else self._originals.get(block.key)

    def request(self, messages: Sequence[Message]) -> Iterator[tuple[str, Value]]:
        """The contents of the request: the client joins consecutive ones of one role."""
        held: tuple[str, Value] | None = None
        for key, content in self.pairs(messages):
            if held is not None and held[1]["role"] == content["role"]:
                held = held[0], {**held[1], "parts": [*held[1]["parts"], *content["parts"]]}
                continue
            if held is not None:
                yield held
            held = key, content
        if held is not None:
            yield held

    def pairs(self, messages: Sequence[Message]) -> Iterator[tuple[str, Value]]:
        """Each message's key with its content."""
        for said in self.said(messages):
            yield said.key, {"role": said.role, "parts": [part for p in said.pieces for part in p.parts]}

    def said(self, messages: Sequence[Message]) -> Iterator[OutgoingMessage]:
        """The messages as they are sent, without repairs; those with nothing to send are left out."""
        for message in messages:
            pieces = tuple(self._piece(block) for block in message.blocks if _can_be_sent(block))
            if pieces:
                yield OutgoingMessage(message.key, message, ROLES[message.role], pieces)

    def _piece(self, block: Block) -> OutgoingPart:
        original = self.original(block)
        changed = original is None or (block is not original and block != original)
        return OutgoingPart(block, tuple(self.parts(block)), changed)

    def mended(self, rewrite: Rewrite) -> tuple[list[OutgoingMessage], Mending]:
        """The messages of a rewrite with every repair that the provider's rules require, and the repairs."""
        mending = mend_contents(lambda: rewrite.looked(self.pairs(rewrite.messages)))
        return mended_said(rewrite.looked(self.said(rewrite.messages)), mending), mending

    def parts(self, block: Block) -> Iterator[Any]:
        """A block as parts: the file's own values if it is unchanged, else with the changes."""
        original = self.original(block)
        if original is None or original.place is None:
            yield from made_parts(block)
            return
        record, path = original.place.record, original.place.path
        if isinstance(original, ToolUse) and path[-2:-1] == (CALLS,):
            call = self._at(record, path)
            known = {name: call[name] for name in ("id", "name", "args") if name in call}
            assert isinstance(block, ToolUse)
            yield {CALL: edited_call(known, original, block)}
        elif isinstance(original, ToolResult) and not self._is_answer(record, path):
            assert isinstance(block, ToolResult)
            call = self._at(record, path[: path.index(CALLS) + 2])
            yield {ANSWER: made_answer(block, str(call.get("name")))}
            yield from (part for part in made_parts(block) if ANSWER not in part)
        else:
            listed = isinstance(path[-1], int)
            value = self._at(record, path[:-1] if listed else path)
            yield from edited(value if listed else [_as_part(value)], original, block)

    def _is_answer(self, record: int, path: JsonPath) -> bool:
        """Whether the result at a path is in the provider's own form; older ones may be bare texts."""
        return path[-1] != RESULT and answer_of(self._at(record, path)) is not None

    def _at(self, record: int, path: JsonPath) -> Any:
        value = self._chat.value(record)
        for step in path:
            value = value[step]
        return value


def _as_part(value: Any) -> Any:
    return {"text": value} if isinstance(value, str) else value


def _can_be_sent(block: Block) -> bool:
    """Whether the client sends a block: it leaves out thinking and empty texts."""
    return not isinstance(block, Thinking) and not (isinstance(block, Text) and block.content.chars == 0)
