"""Assembling the messages to be written to the file from those to be sent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct, field

from app.formats.contents.names import answer_of
from app.formats.contents.outgoing import OutgoingMessage, OutgoingPart
from app.formats.gemini.entries import Entry
from app.formats.gemini.names import CALLS, GEMINI, USER
from app.formats.gemini.values import model_value, user_value, with_usage
from app.formats.times import stamped
from app.model import Block, Message, ToolUse

Value = dict[str, Any]


class WantedMessage(Struct, eq=False):
    """One message of the new file."""

    role: str
    pieces: list[OutgoingPart]
    entry: Entry | None = None
    """Its message in the file; None for a new one."""
    message: Message | None = None
    answers: dict[str, Sequence[Any]] = field(default_factory=dict)
    """The response parts of its calls, by call id, if the file has them with the calls."""
    tokens: int | None = None
    """The input tokens to record for its call."""
    ident: str = ""
    """The id of a new message."""
    time: float | None = None

    def changed(self, old: Value) -> Value:
        """The message `old` of the file, updated."""
        assert self.entry is not None
        if self.entry.kind == USER:
            return user_value(old, self.entry, self.pieces)
        new = model_value(old, self.entry, self.pieces, self.answers)
        return new if self.tokens is None else with_usage(new, self.tokens)

    def made(self) -> Value:
        """The value of a new message."""
        return {
            "id": self.ident,
            "timestamp": stamped(self.time or 0.0),
            "type": GEMINI if self.role == "model" else USER,
            "content": [part for piece in self.pieces for part in piece.parts],
        }


class Gatherer:
    """Assembles messages: the results of a call are in the model's message, however they are sent."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._by_key = {entry.key: entry for entry in entries}
        self._results = {entry.results_key for entry in self._by_key.values()}

    def gather(self, said: Iterable[OutgoingMessage]) -> list[WantedMessage]:
        """The messages of the file for those to be sent, in order."""
        found: list[WantedMessage] = []
        turn: list[WantedMessage] = []
        for each in said:
            pieces = list(each.pieces)
            if each.role != "model":
                pieces = [piece for piece in pieces if not any(_taken(caller, piece) for caller in turn)]
            if not pieces:
                continue
            entry = None if each.key in self._results else self._by_key.get(each.key)
            wanted = WantedMessage(each.role, pieces, entry, each.message)
            if each.role == "model":
                turn = [*turn, wanted] if found and found[-1].role == "model" else [wanted]
            found.append(wanted)
        return found


def _taken(caller: WantedMessage, piece: OutgoingPart) -> bool:
    """Whether to store a result with its call: if it is so in the file, or is new."""
    first = answer_of(piece.parts[0]) if piece.parts else None
    if first is None or caller.entry is None or not _is_with_call(piece.block):
        return False
    ident = str(first.get("id"))
    called = any(isinstance(p.block, ToolUse) and p.block.id == ident for p in caller.pieces)
    if not called or ident not in caller.entry.listed:
        return False
    caller.answers[ident] = piece.parts
    return True


def _is_with_call(block: Block | None) -> bool:
    return block is None or block.place is None or CALLS in block.place.path
