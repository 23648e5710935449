"""Repairing a conversation in the form of Anthropic's Messages API: each rule once, in a fixed order.

Consecutive messages of one role are one turn, as the API joins them, and are repaired together. Content
is lost only where there is no other way: an orphaned result becomes plain text, a call without a
result gets one, an image that the API refuses becomes a line that says so. Thinking is never changed,
only left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, Final

from msgspec import Struct, field

from app.formats.alternation import Alternating
from app.formats.block_repairs import BlockMender, Decisions, is_server_result, kind_of, text_block
from app.formats.markers import EARLIER_TEXT, EMPTY_TEXT, ORPHAN_TEXT, UNANSWERED_TEXT
from app.formats.repairs import (
    UNREAD,
    Ids,
    Mended,
    Mender,
    Mending,
    Message,
    Pairs,
    PairsAnew,
    Repair,
    id_text,
    plan_mending,
    scrubbed,
)
from app.model import compact_json

THINKING: Final = ("thinking", "redacted_thinking")
SERVER_CALLS: Final = ("server_tool_use", "mcp_tool_use")


def mend_anthropic(
    pairs: PairsAnew, *, outer_marks: int = 0, alternate: bool = False, thinking: bool = False
) -> Mending:
    """The repairs that a conversation in Anthropic's form needs; only ids and one turn are held in memory.

    An `UNREAD` message is left as it is. A run of others begins with an assistant turn or the start of the
    conversation, and ends with a user turn or the conversation's end (`app.formats.segments`).
    `outer_marks` is the number of `cache_control` marks outside the messages, in `system` and `tools`;
    `alternate` joins consecutive messages of one role; `thinking`: the request has thinking on.
    """

    def mender(decisions: Decisions, unthought: str | None = None) -> Mender:
        inner = AnthropicMender(decisions, unthought)
        return Alternating(inner) if alternate else inner

    first = AnthropicMender()
    plan = plan_mending(pairs, Alternating(first) if alternate else first, lambda: mender(Decisions()))
    decisions = first.blocks.decide(outer_marks)
    unthought = first.open_unthought if thinking else None
    if decisions == Decisions() and unthought is None:
        return plan
    return plan_mending(pairs, mender(decisions, unthought), lambda: mender(decisions, unthought))


class _Piece(Struct):
    """A block of a turn."""

    value: Any
    owner: int
    """Index of the message of the turn that will hold it."""
    origin: int | None
    """Its index in that message's original content; None for a new block."""

    @property
    def kind(self) -> str:
        return kind_of(self.value)


class _Turn(Struct):
    """Consecutive messages of one role, with their blocks in one list."""

    role: str
    last: bool
    messages: list[tuple[str, Message, Message]]
    """Key, original message, and the same scrubbed."""
    pieces: list[_Piece] = field(default_factory=list)

    def key(self, piece: _Piece) -> str:
        return self.messages[piece.owner][0]

    def of(self, *kinds: str) -> list[_Piece]:
        return [piece for piece in self.pieces if piece.kind in kinds]


class AnthropicMender:
    """One pass over a conversation."""

    def __init__(self, decisions: Decisions | None = None, unthought: str | None = None) -> None:
        self.repairs: list[Repair] = []
        self.open_unthought: str | None = None
        """After a run: key of the first message of the turn in progress, if the turn has no thinking."""
        self._unthought = unthought
        self._thought = False
        self._started = False
        self.blocks = BlockMender(self._note, decisions or Decisions())
        self._ids = Ids()

    def _note(self, word: str, key: str, detail: str) -> None:
        self.repairs.append(Repair(word, key, detail))

    def run(self, pairs: Pairs) -> Iterator[Mended]:
        """Every message once, in order, with added ones in between."""
        for unread, part in groupby(pairs, key=lambda pair: pair[1] is UNREAD):
            if unread:
                self._started = True
                yield from (Mended(*pair) for pair in part)
            else:
                yield from self._mended(part)

    def _mended(self, pairs: Pairs) -> Iterator[Mended]:
        waiting: dict[str, list[str]] = {}
        caller = ""
        for turn in self._turns(pairs):
            if not self._started and turn.role == "assistant":
                self._note("first-role", turn.messages[0][0], "the conversation began with the assistant")
                yield _made("user", [text_block(EARLIER_TEXT)])
            self._started = self._started or turn.role in ("user", "assistant")
            if turn.role == "user":
                self._mend_user(turn, waiting)
                if not turn.of("tool_result"):
                    self.open_unthought, self._thought = None, False
            elif waiting:
                yield self._answers(waiting, caller)
            waiting = self._mend_assistant(turn) if turn.role == "assistant" else {}
            caller = turn.messages[-1][0]
            yield from self._finished(turn)
        if waiting:
            yield self._answers(waiting, caller)

    def _turns(self, pairs: Pairs) -> Iterator[_Turn]:
        groups = groupby(pairs, key=lambda pair: pair[1].get("role"))
        held: _Turn | None = None
        for role, members in groups:
            messages = list(members)
            if held is not None:
                yield held
            held = self._turn(str(role), messages)
        if held is not None:
            held.last = True
            yield held

    def _turn(self, role: str, members: Iterable[tuple[str, Message]]) -> _Turn:
        turn = _Turn(role, False, [])
        for owner, (key, message) in enumerate(members):
            clean, words = scrubbed(message)
            for word in words:
                self._note(word, key, "a value that a request cannot contain")
            turn.messages.append((key, message, clean))
            content = clean.get("content")
            items = [text_block(content)] if isinstance(content, str) and content else content
            if isinstance(items, list):
                turn.pieces += [_Piece(item, owner, origin) for origin, item in enumerate(items)]
        return turn

    def _clean(self, turn: _Turn) -> None:
        """Repair every block on its own."""
        pieces: list[_Piece] = []
        for piece in turn.pieces:
            value = self.blocks.mended(piece.value, turn.role, turn.key(piece))
            if value is not None:
                piece.value = value
                pieces.append(piece)
        turn.pieces = pieces

    def _mend_user(self, turn: _Turn, waiting: Mapping[str, list[str]]) -> None:
        self._clean(turn)
        missing = self._pair(turn, waiting)
        moved = self._pictures_of_errors(turn)
        order = [piece.kind == "tool_result" for piece in turn.pieces]
        if order != sorted(order, reverse=True):
            first = turn.pieces[order.index(False)]
            self._note("result-order", turn.key(first), "a tool result came after other content")
        results = turn.of("tool_result")
        for ident in missing:
            key = turn.messages[0][0]
            self._note("open-call", key, "a tool call had no result")
            results.append(_Piece(_unanswered(ident), 0, None))
        for piece in results:
            if piece.owner:
                piece.owner, piece.origin = 0, None
        others = [piece for piece in turn.pieces if piece.kind != "tool_result"]
        turn.pieces = results + others + moved

    def _pair(self, turn: _Turn, waiting: Mapping[str, list[str]]) -> list[str]:
        """Give results the ids of their calls, turn orphans into text; returns the ids of open calls."""
        open_ids = {ident: list(given) for ident, given in waiting.items()}
        pieces: list[_Piece] = []
        for piece in turn.pieces:
            if piece.kind != "tool_result":
                pieces.append(piece)
                continue
            ident = piece.value.get("tool_use_id")
            given = open_ids.get(id_text(ident))
            if given:
                new = given.pop(0)
                if new != ident:
                    piece.value = {**piece.value, "tool_use_id": new}
                pieces.append(piece)
                continue
            detail = "a tool call was answered twice" if given is not None else "a tool result had no call"
            self._note("orphan-result", turn.key(piece), detail)
            pieces += _as_words(piece)
        turn.pieces = pieces
        return [ident for given in open_ids.values() for ident in given]

    def _pictures_of_errors(self, turn: _Turn) -> list[_Piece]:
        """Take everything but text out of error results; it goes after all results of the message."""
        moved: list[_Piece] = []
        for piece in turn.of("tool_result"):
            content = piece.value.get("content")
            if not piece.value.get("is_error") or not isinstance(content, list):
                continue
            others = [part for part in content if kind_of(part) != "text"]
            if not others:
                continue
            self._note("error-result-not-text", turn.key(piece), "an error result contained more than text")
            kept = [part if kind_of(part) == "text" else text_block(f"[{kind_of(part)}]") for part in content]
            piece.value = {**piece.value, "content": kept}
            moved += [_Piece(part, piece.owner, None) for part in others if kind_of(part) == "image"]
        return moved

    def _mend_assistant(self, turn: _Turn) -> dict[str, list[str]]:
        """Repair an assistant turn; returns the original ids of its calls, each with its new ids."""
        self._clean(turn)
        if turn.messages[-1][0] == self._unthought:
            self._tell_calls(turn)
        self._thought = self._thought or bool(turn.of(*THINKING))
        self.open_unthought = None if self._thought else turn.messages[-1][0]
        # Its calls are open then, so a message with their results will follow.
        turn.last = turn.last and not turn.of("tool_use")
        self._server_pairs(turn)
        self._calls_last(turn)
        self._thinking(turn)
        if turn.last and turn.pieces and turn.pieces[-1].kind == "text":
            self._trim(turn, turn.pieces[-1])
        given: dict[str, list[str]] = {}
        for piece in turn.of("tool_use"):
            ident = piece.value.get("id")
            new = self._ids.take(ident)
            if new != ident:
                bad = not self._ids.good(ident)
                word = "unsafe-id" if bad else "duplicate-call-id"
                detail = "a tool id that the provider refuses" if bad else "a tool id was used twice"
                self._note(word, turn.key(piece), detail)
                piece.value = {**piece.value, "id": new}
            given.setdefault(id_text(ident), []).append(new)
        return given

    def _tell_calls(self, turn: _Turn) -> None:
        """Turn calls into text: a turn in progress must begin with thinking, and this one does not."""
        key = turn.messages[-1][0]
        self._note("thinking-missing", key, "thinking is on, and the turn in progress does not begin with it")
        for piece in turn.of("tool_use"):
            piece.value = text_block(
                f"[Called {piece.value.get('name')}: {compact_json(piece.value.get('input'))}]"
            )

    def _server_pairs(self, turn: _Turn) -> None:
        """Remove server tools' calls and results that have no counterpart in the same turn."""
        waiting: dict[str, _Piece] = {}
        unanswered: list[_Piece] = []
        gone: list[_Piece] = []
        for piece in turn.pieces:
            if piece.kind in SERVER_CALLS:
                ident = id_text(piece.value.get("id"))
                unanswered += [waiting.pop(ident)] if ident in waiting else []
                waiting[ident] = piece
            elif is_server_result(piece.kind) and not waiting.pop(
                id_text(piece.value.get("tool_use_id")), None
            ):
                self._note("orphan-result", turn.key(piece), "a server tool's result had no call")
                gone.append(piece)
        for piece in (*unanswered, *(() if turn.last else waiting.values())):
            self._note("open-call", turn.key(piece), "a server tool's call had no result")
            gone.append(piece)
        if gone:
            turn.pieces = [piece for piece in turn.pieces if not any(piece is other for other in gone)]
        self._server_ids(turn)

    def _server_ids(self, turn: _Turn) -> None:
        for piece in turn.pieces:
            name = "id" if piece.kind in SERVER_CALLS else "tool_use_id"
            if piece.kind not in SERVER_CALLS and not is_server_result(piece.kind):
                continue
            ident = piece.value.get(name)
            if not self._ids.good(ident):
                self._note("unsafe-id", turn.key(piece), "a tool id that the provider refuses")
                piece.value = {**piece.value, name: Ids().take(ident)}

    def _calls_last(self, turn: _Turn) -> None:
        calls = [number for number, piece in enumerate(turn.pieces) if piece.kind == "tool_use"]
        if not calls:
            return
        first = calls[0]
        late = [piece for piece in turn.pieces[first:] if piece.kind == "text"]
        if not late:
            return
        self._note("block-order", turn.key(late[0]), "text came after a tool call")
        owner = turn.pieces[first].owner
        for piece in late:
            if piece.owner != owner:
                piece.owner, piece.origin = owner, None
        rest = [piece for piece in turn.pieces[first:] if piece.kind != "text"]
        turn.pieces = turn.pieces[:first] + late + rest

    def _thinking(self, turn: _Turn) -> None:
        thoughts = turn.of(*THINKING)
        if not thoughts:
            return
        if turn.pieces[0].kind not in THINKING:
            self._note("block-order", turn.key(thoughts[0]), "thinking came after other content")
            turn.pieces = [piece for piece in turn.pieces if piece.kind not in THINKING]
        while turn.pieces and turn.pieces[-1].kind in THINKING:
            self._note("thinking-last", turn.key(turn.pieces[-1]), "a turn ended with thinking")
            turn.pieces.pop()

    def _trim(self, turn: _Turn, piece: _Piece) -> None:
        text = piece.value["text"]
        if text != text.rstrip():
            self._note("trailing-space", turn.key(piece), "the final assistant text ended with white space")
            piece.value = {**piece.value, "text": text.rstrip()}

    def _finished(self, turn: _Turn) -> Iterator[Mended]:
        """The messages of a turn from its pieces."""
        for owner, (key, original, clean) in enumerate(turn.messages):
            pieces = [piece for piece in turn.pieces if piece.owner == owner]
            content = clean.get("content")
            if turn.role not in ("user", "assistant") or _unchanged(pieces, content):
                yield Mended(key, clean, clean is not original)
                continue
            if not pieces:
                final = turn.last and owner == len(turn.messages) - 1
                if final and turn.role == "assistant" and content in ("", []):
                    yield Mended(key, clean, clean is not original)
                    continue
                if not content:
                    self._note("empty-content", key, "a message had no content")
                if turn.pieces or (turn.last and turn.role == "assistant"):
                    yield Mended(key, None, True)
                    continue
                pieces = [_Piece(text_block(EMPTY_TEXT), owner, None)]
            yield Mended(key, _with_content(clean, pieces), True, tuple(piece.origin for piece in pieces))

    def _answers(self, waiting: Mapping[str, list[str]], caller: str) -> Mended:
        """A user message with results for calls that have none."""
        idents = [ident for given in waiting.values() for ident in given]
        for _ in idents:
            self._note("open-call", caller, "a tool call had no result")
        return _made("user", [_unanswered(ident) for ident in idents])


def _made(role: str, blocks: list[Message]) -> Mended:
    return Mended(None, {"role": role, "content": blocks}, True)


def _unanswered(ident: str) -> Message:
    return {"type": "tool_result", "tool_use_id": ident, "content": UNANSWERED_TEXT, "is_error": True}


def _as_words(piece: _Piece) -> list[_Piece]:
    """A result without a call as plain text, its images kept."""
    content = piece.value.get("content")
    items = [text_block(content)] if isinstance(content, str) else content
    parts = items if isinstance(items, list) else []
    texts = [part["text"] for part in parts if kind_of(part) == "text"]
    pictures = [part for part in parts if kind_of(part) == "image"]
    words = "\n".join((ORPHAN_TEXT, *filter(None, texts)))
    return [
        _Piece(text_block(words), piece.owner, piece.origin),
        *(_Piece(picture, piece.owner, None) for picture in pictures),
    ]


def _unchanged(pieces: list[_Piece], content: Any) -> bool:
    if isinstance(content, str):
        return len(pieces) == 1 and pieces[0].value == text_block(content)
    return (
        isinstance(content, list)
        and bool(content)
        and len(pieces) == len(content)
        and all(piece.value is item for piece, item in zip(pieces, content, strict=True))
    )


def _with_content(message: Message, pieces: list[_Piece]) -> Message:
    """The message with `pieces` as its content; a single text stays a string if it was one."""
    only = pieces[0].value if len(pieces) == 1 else None
    if isinstance(message.get("content"), str) and isinstance(only, dict) and set(only) == {"type", "text"}:
        return {**message, "content": only["text"]}
    return {**message, "content": [piece.value for piece in pieces]}
