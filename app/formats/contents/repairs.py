"""Repairing a conversation in the form of the Gemini API: each rule once, in a fixed order.

Consecutive contents of one role are one turn, as clients join them, and are repaired together. Content
is lost only where there is no other way: a response without its call becomes plain text, a call without
a response gets one (google-gemini/gemini-cli#3814, #16543: the numbers must be equal).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import is_
from typing import Any, Final

from msgspec import Struct, field

from app.formats.contents.names import (
    ANSWER,
    CALL,
    ROLES,
    answer_of,
    call_of,
    kind_of,
    picture_of,
    says_nothing,
)
from app.formats.contents.parts import answer_key
from app.formats.markers import EARLIER_TEXT, EMPTY_TEXT, ORPHAN_TEXT, UNANSWERED_TEXT
from app.formats.repairs import (
    Mended,
    Mending,
    Message,
    Pairs,
    PairsAnew,
    Repair,
    plan_mending,
    safe_name,
    scrubbed,
)
from app.model import compact_json

LONGEST_NAME: Final = 128


def mend_contents(pairs: PairsAnew, *, join: bool = False) -> Mending:
    """The repairs that contents need; only one turn and the open calls are held in memory.

    `join`: no client joins consecutive contents of one role, so a turn of calls or responses must be one
    content.
    """
    return plan_mending(pairs, ContentsMender(join=join), lambda: ContentsMender(join=join))


class _Piece(Struct):
    """A part of a turn."""

    value: Any
    owner: int
    """Index of the content of the turn that will hold it."""
    origin: int | None
    """Its index in that original content; None for a new part."""


class _Turn(Struct):
    """Consecutive contents of one role, with their parts in one list."""

    role: str
    messages: list[tuple[str, Message, Message]]
    """Key, original content, and the same scrubbed."""
    pieces: list[_Piece] = field(default_factory=list)

    def key(self, piece: _Piece) -> str:
        return self.messages[piece.owner][0]


class _Call(Struct, frozen=True):
    ident: str
    name: str


class ContentsMender:
    """One pass over a conversation."""

    def __init__(self, *, join: bool = False) -> None:
        self.repairs: list[Repair] = []
        self._join = join

    def _note(self, word: str, key: str, detail: str) -> None:
        self.repairs.append(Repair(word, key, detail))

    def run(self, pairs: Pairs) -> Iterator[Mended]:
        """Every content once, in order, with added ones in between."""
        waiting: list[_Call] = []
        caller, started = "", False
        for turn in self._turns(pairs):
            said = turn.role == "model"
            if said and not turn.pieces:
                yield from (Mended(key, None, True) for key, _, _ in turn.messages)
                continue
            if said and not started:
                self._note("first-role", turn.messages[0][0], "the conversation began with the model")
                yield _made([{"text": EARLIER_TEXT}])
            started = True
            if said and waiting:
                yield _made(self._unanswered(waiting, caller))
            if said:
                waiting = self._calls(turn)
                caller = turn.messages[-1][0]
            else:
                self._answer(turn, waiting)
                waiting = []
            yield from self._finished(turn)
        if waiting:
            yield _made(self._unanswered(waiting, caller))

    def _turns(self, pairs: Pairs) -> Iterator[_Turn]:
        """The turns with their parts; a user turn that would be empty gets a text that says so."""
        for said, members in groupby(pairs, key=lambda pair: pair[1].get("role") == "model"):
            turn = self._turn("model" if said else "user", members)
            if not said and not turn.pieces:
                turn.pieces.append(_Piece({"text": EMPTY_TEXT}, 0, None))
            yield turn

    def _turn(self, role: str, members: Iterable[tuple[str, Message]]) -> _Turn:
        turn = _Turn(role, [])
        for owner, (key, message) in enumerate(members):
            clean, words = scrubbed(message)
            for word in words:
                self._note(word, key, "a value that a request cannot contain")
            if clean.get("role", "user") not in ROLES:
                self._note("bad-role", key, "a role that does not exist")
                clean = {**clean, "role": "user"}
            turn.messages.append((key, message, clean))
            turn.pieces += self._pieces(owner, key, clean)
        return turn

    def _pieces(self, owner: int, key: str, message: Message) -> Iterator[_Piece]:
        parts = message.get("parts")
        for number, part in enumerate(parts if isinstance(parts, list) else [parts]):
            if isinstance(part, str) and part:
                self._note("not-a-record", key, "a bare string in place of a part")
                part = {"text": part}
            kind = kind_of(part)
            if kind in (CALL, ANSWER) and not isinstance(part[kind], dict):
                self._note("not-a-record", key, "something other than a call or result was in its place")
                part = {"text": compact_json(part)}
            elif kind == (ANSWER if message.get("role") == "model" else CALL):
                self._note("block-order", key, f"a part not allowed in a {message.get('role')} message")
                part = {"text": compact_json(part)}
            if says_nothing(part):
                self._note("empty-text", key, "a part without content")
                continue
            yield _Piece(part, owner, number)

    def _calls(self, turn: _Turn) -> list[_Call]:
        calls = []
        for piece in turn.pieces:
            call = call_of(piece.value)
            if call is None:
                continue
            call = self._sound_call(call, turn.key(piece))
            if call is not piece.value[CALL]:
                piece.value = {**piece.value, CALL: call}
            ident = call.get("id")
            calls.append(_Call(ident if isinstance(ident, str) else "", str(call.get("name"))))
        return calls

    def _sound_call(self, call: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        name, given = call.get("name"), call.get("args")
        if not isinstance(name, str) or not name:
            self._note("bad-tool-name", key, "a tool call without a name")
            call = {**call, "name": safe_name(name, LONGEST_NAME)}
        if given is not None and not isinstance(given, dict):
            self._note("input-not-object", key, "the arguments of a tool call were not an object")
            call = {**call, "args": {"value": given}}
        return call

    def _answer(self, turn: _Turn, waiting: list[_Call]) -> None:
        """Make the turn hold exactly one response for each waiting call, and no others."""
        open_calls, kept, taken_out = list(waiting), [], False
        for piece in turn.pieces:
            answer = answer_of(piece.value)
            if answer is None:
                if not (taken_out and picture_of(piece.value) is not None):
                    kept.append(piece)
                    taken_out = False
                continue
            call = _called(answer, open_calls)
            taken_out = call is None and any(answer.get("id") == c.ident != "" for c in waiting)
            if call is not None:
                open_calls.remove(call)
                kept.append(piece)
            elif taken_out:
                self._note("orphan-result", turn.key(piece), "a tool result was there twice")
            else:
                self._note("orphan-result", turn.key(piece), "a tool result without its call")
                kept.append(_Piece({"text": _told(answer)}, piece.owner, piece.origin))
        if open_calls:
            owner = next((piece.owner for piece in kept if answer_of(piece.value)), 0)
            made = self._unanswered(open_calls, turn.messages[owner][0])
            at = max((n for n, p in enumerate(kept) if answer_of(p.value)), default=-1) + 1
            kept[at:at] = [_Piece(part, owner, None) for part in made]
        turn.pieces = sorted(kept, key=lambda piece: piece.owner)

    def _unanswered(self, calls: Iterable[_Call], key: str) -> list[Message]:
        made = []
        for call in calls:
            self._note("open-call", key, "a tool call had no result")
            ident = {"id": call.ident} if call.ident else {}
            made.append({ANSWER: {**ident, "name": call.name, "response": {"error": UNANSWERED_TEXT}}})
        return made

    def _finished(self, turn: _Turn) -> Iterator[Mended]:
        joined = self._join and len(turn.messages) > 1 and _must_be_one(turn)
        if joined:
            self._note(
                "block-order", turn.messages[0][0], "calls or results of one turn were in separate messages"
            )
            turn.pieces = [_Piece(p.value, 0, p.origin if p.owner == 0 else None) for p in turn.pieces]
        for owner, (key, original, clean) in enumerate(turn.messages):
            pieces = [piece for piece in turn.pieces if piece.owner == owner]
            if not pieces:
                if not joined:
                    self._note("empty-content", key, "a message without content was left out")
                yield Mended(key, None, True)
                continue
            parts = [piece.value for piece in pieces]
            old = clean.get("parts")
            if isinstance(old, list) and len(old) == len(parts) and all(map(is_, old, parts)):
                yield Mended(key, clean, clean is not original)
            else:
                origins = tuple(piece.origin for piece in pieces)
                yield Mended(key, {**clean, "parts": parts}, True, origins)


def _called(answer: Mapping[str, Any], calls: Iterable[_Call]) -> _Call | None:
    """The first call that a response answers: by id if both have one, else by name."""
    ident, name = answer.get("id"), answer.get("name")
    known = list(calls)
    if isinstance(ident, str) and ident:
        found = next((call for call in known if call.ident == ident), None)
        if found is not None:
            return found
        known = [call for call in known if not call.ident]
    return next((call for call in known if call.name == name), None)


def _told(answer: Mapping[str, Any]) -> str:
    """A response without a call, as plain text."""
    response = answer.get("response")
    member = answer_key(response)
    text = response[member] if member is not None and response is not None else compact_json(response)
    return f"{ORPHAN_TEXT}\n{text}" if response else ORPHAN_TEXT


def _must_be_one(turn: _Turn) -> bool:
    """Whether the parts of a turn may not be spread over several contents.

    Responses are in the first content of their turn, calls in the last of theirs.
    """
    paired = {p.owner for p in turn.pieces if call_of(p.value) is not None or answer_of(p.value) is not None}
    return bool(paired) if turn.role == "model" else bool(paired - {0})


def _made(parts: list[Message]) -> Mended:
    return Mended(None, {"role": "user", "parts": parts}, True)
