"""The indexed conversation for hand edits: positions of blocks, their pairs, and what must stay."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from typing import Final

from msgspec import Struct

from app.compactability import open_turn
from app.model import Author, Block, Role, Text, Thinking, ToolResult, ToolUse
from app.stages.base import Context, Messages
from app.stages.draft import ResultAt
from app.validity import PairIndex


class Position(Struct, frozen=True):
    """A block's place in the conversation."""

    message: int
    block: int


class Named(Struct, frozen=True):
    """A block that a person chose: by its own key, or by the key of its message."""

    at: Position
    by_itself: bool


class Obstacle(Struct, frozen=True):
    """Why a block may not be changed; the words go on from `it stays: `."""

    reason: str
    lifted_by: str = ""
    """The edit's option that lifts it; empty where none does."""


FORCE: Final = "force"
ALLOW_WORDS: Final = "allow_words"

WORDS: Final = Obstacle("your own words", ALLOW_WORDS)
NEWEST: Final = Obstacle("newest reply of the model, which no edit changes")
SEALED: Final = Obstacle("thinking is sealed: only whole turns of it can be removed (strip_thinking)")
OPEN_THINKING: Final = Obstacle("thinking of the unfinished turn")
SYSTEM: Final = Obstacle("system prompt: the agent sends it with every request")
BY_PROVIDER: Final = Obstacle("sealed: made by a tool of the provider")


class Index:
    """Lazy indexes of a conversation."""

    def __init__(self, messages: Messages) -> None:
        self.messages = messages

    @cached_property
    def places(self) -> dict[str, Position]:
        """Where each block is, by its key."""
        return {
            block.key: Position(i, j)
            for i, message in enumerate(self.messages)
            for j, block in enumerate(message.blocks)
        }

    @cached_property
    def holders(self) -> dict[str, Position]:
        """Where each part of a result is: the place of its result, by the part's key."""
        return {
            part.key: Position(i, j)
            for i, message in enumerate(self.messages)
            for j, block in enumerate(message.blocks)
            if isinstance(block, ToolResult)
            for part in block.parts
        }

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Where each message is, by its key."""
        return {message.key: i for i, message in enumerate(self.messages)}

    @cached_property
    def pairs(self) -> PairIndex:
        """Which result answers which call."""
        return PairIndex(self.messages)

    @cached_property
    def newest(self) -> int:
        """Index of the newest assistant message; -1 where there is none."""
        found = (i for i in reversed(range(len(self.messages))) if self.messages[i].role is Role.ASSISTANT)
        return next(found, -1)

    @cached_property
    def open_from(self) -> int:
        """Index of the message that the open turn starts at; behind the last one where none is open."""
        start = open_turn(self.messages)
        return len(self.messages) if start is None else start


class _Same:
    """A cache key for a conversation, compared by identity so that no text is compared."""

    def __init__(self, messages: Messages) -> None:
        self.messages = messages

    def __hash__(self) -> int:
        return id(self.messages)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.messages is self.messages


@lru_cache(maxsize=2)
def _index(same: _Same) -> Index:
    # Asked again for each key that a person could press on a row.
    return Index(same.messages)


class Scene:
    """One conversation before an edit. `force` leaves only pins protected."""

    def __init__(self, messages: Messages, context: Context, *, force: bool) -> None:
        self.messages = messages
        self.index = _index(_Same(messages))
        self.protection = context.protection.only_pinned() if force else context.protection

    @property
    def newest(self) -> int:
        """Index of the newest assistant message; -1 where there is none."""
        return self.index.newest

    def block(self, at: Position) -> Block:
        """The block at a place."""
        return self.messages[at.message].blocks[at.block]

    def named(self, keys: Iterable[str]) -> list[Named]:
        """The blocks of these keys in the order of the conversation, each once; unknown keys are passed over.

        A message's key stands for all of its blocks, and that of a part for its result.
        """
        found: dict[Position, Named] = {}
        for key in keys:
            if (number := self.index.numbers.get(key)) is not None:
                for j in range(len(self.messages[number].blocks)):
                    at = Position(number, j)
                    found.setdefault(at, Named(at, by_itself=False))
            if (place := self.index.places.get(key) or self.index.holders.get(key)) is not None:
                found[place] = Named(place, by_itself=True)
        return sorted(found.values(), key=lambda named: (named.at.message, named.at.block))

    def missing(self, keys: Iterable[str]) -> tuple[str, ...]:
        """The keys that match no block, part of a block, or message."""
        known = (self.index.places, self.index.numbers, self.index.holders)
        return tuple(key for key in keys if not any(key in places for places in known))

    def partners(self, at: Position) -> list[Position]:
        """The block and all blocks that must stay or go with it, itself first."""
        return [self.index.places[key] for key in self.index.pairs.partners(self.block(at).key)]

    def result_at(self, at: Position) -> ResultAt | None:
        """A result with its call, as drafts take it; None if the block is not a result."""
        result = self.block(at)
        if not isinstance(result, ToolResult):
            return None
        call_key = self.index.pairs.call_of(result.key)
        call = self.block(self.index.places[call_key]) if call_key is not None else None
        use = call if isinstance(call, ToolUse) else None
        return ResultAt.of(at.message, at.block, result, use)

    def results_of(self, at: Position) -> list[Position]:
        """The results that a block stands for: itself, or those that answer it."""
        block = self.block(at)
        if isinstance(block, ToolResult):
            return [at]
        return [self.index.places[key] for key in self.index.pairs.results_of(block.key)]

    def why_place_stays(self, at: Position) -> Obstacle | None:
        """Why a block may not be dropped; ignores whether its text is the person's own."""
        block, role = self.block(at), self.messages[at.message].role
        if role is Role.SYSTEM:
            return SYSTEM
        if at.message == self.newest:
            return NEWEST
        if isinstance(block, Thinking) and at.message >= self.index.open_from:
            return OPEN_THINKING
        if any(partner.message == self.newest for partner in self.partners(at)):
            return Obstacle("answers a call of the newest reply")
        return self._protected(block, self.protection.keeps_place(block.key))

    def why_text_stays(self, at: Position) -> Obstacle | None:
        """Why a block's text may not be changed; ignores whether it is the person's own."""
        block, role = self.block(at), self.messages[at.message].role
        if role is Role.SYSTEM:
            return SYSTEM
        if isinstance(block, Thinking):
            return SEALED
        if at.message == self.newest:
            return NEWEST
        if isinstance(block, ToolResult) and block.server:
            return BY_PROVIDER
        return self._protected(block, self.protection.keeps_text(block.key))

    def _protected(self, block: Block, reason: str | None) -> Obstacle | None:
        if reason is None:
            return None
        return Obstacle(reason, "" if block.key in self.protection.pinned else FORCE)

    def blocks(self, messages: range) -> Iterator[tuple[Position, Block]]:
        """Every block of some messages with its place."""
        for i in messages:
            for j, block in enumerate(self.messages[i].blocks):
                yield Position(i, j), block


def is_typed(block: Block) -> bool:
    """Whether a block holds the person's own words."""
    return isinstance(block, Text) and block.author is Author.USER
