"""Applying an export's changes to a message of the file; unchanged parts are shared with the old one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from app.formats.contents.names import ANSWER, answer_of, call_of, is_thought
from app.formats.contents.outgoing import OutgoingPart
from app.formats.contents.parts import first_text
from app.formats.gemini.entries import Entry, own_numbers
from app.formats.gemini.names import CALLS, RESULT
from app.formats.result_copies import without_copies
from app.model import Block

Value = dict[str, Any]

_SHOWN_TEXT: Final = "displayContent"
_SHOWN_RESULT: Final = "resultDisplay"


def user_value(old: Value, entry: Entry, pieces: Sequence[OutgoingPart]) -> Value:
    """A user message with these pieces."""
    kept = [piece.block.key for piece in pieces if piece.block is not None]
    if not any(piece.changed for piece in pieces) and kept == [block.key for block in entry.said]:
        return old
    new = {**old, "content": _content(old.get("content"), pieces)}
    if _SHOWN_TEXT in new and kept != [block.key for block in entry.words]:
        del new[_SHOWN_TEXT]
    return new


def model_value(
    old: Value, entry: Entry, pieces: Sequence[OutgoingPart], answers: Mapping[str, Sequence[Any]]
) -> Value:
    """A model message with these pieces; `answers` are the response parts of its calls, by id."""
    new = dict(old)
    content = [piece for piece in pieces if not _is_listed(piece.block)]
    listed = [piece for piece in pieces if _is_listed(piece.block)]
    own = [block.key for block in entry.said if not _is_listed(block)]
    kept = [piece.block.key for piece in content if piece.block is not None]
    if any(piece.changed for piece in content) or kept != own or _hides_calls(old, listed):
        new["content"] = _model_content(old.get("content"), content)
    if isinstance(old.get(CALLS), list):
        new[CALLS] = list(_calls(old[CALLS], pieces, answers, by_number=bool(listed)))
        if new[CALLS] == old[CALLS]:
            new[CALLS] = old[CALLS]
    return old if new == old else new


def with_usage(old: Value, tokens: int) -> Value:
    """A model message whose call has `tokens` input tokens."""
    usage = {**old["tokens"], "input": tokens, "cached": 0}
    counts = (usage.get(name) for name in ("input", "output", "thoughts", "tool"))
    usage["total"] = sum(count for count in counts if isinstance(count, int))
    return {**old, "tokens": usage}


def _is_listed(block: Block | None) -> bool:
    """Whether a block is a call that is listed outside the content."""
    return block is not None and block.place is not None and block.place.path[-2:-1] == (CALLS,)


def _calls(
    old: Sequence[Any],
    pieces: Sequence[OutgoingPart],
    answers: Mapping[str, Sequence[Any]],
    *,
    by_number: bool,
) -> Iterator[Value]:
    """The remaining listed calls: those of the pieces, or those that the pieces repeat in the content."""
    kept: dict[Any, Mapping[str, Any]] = {}
    for piece in pieces:
        for call in filter(None, map(call_of, piece.parts)):
            place = piece.block.place if piece.block is not None else None
            kept[place.path[-1] if by_number and place is not None else str(call.get("id"))] = call
    for number, call in enumerate(old):
        found = kept.get(number if by_number else str(call.get("id"))) if isinstance(call, dict) else None
        if found is not None:
            yield _call(call, found, answers)


def _content(old: Any, pieces: Sequence[OutgoingPart]) -> Any:
    parts = [part for piece in pieces for part in piece.parts]
    only = parts[0] if len(parts) == 1 else None
    if isinstance(old, str) and isinstance(only, dict) and set(only) == {"text"}:
        return only["text"]
    return parts


def _hides_calls(old: Value, listed: Sequence[OutgoingPart]) -> bool:
    """Whether the client would not send the listed calls, as when the content has thinking."""
    content = old.get("content")
    return bool(listed) and isinstance(content, list) and any(map(is_thought, content))


def _model_content(old: Any, pieces: Sequence[OutgoingPart]) -> Any:
    if isinstance(old, str) and not pieces:
        return ""
    return _content(old, pieces)


def _call(old: Value, call: Mapping[str, Any], answers: Mapping[str, Sequence[Any]]) -> Value:
    """A listed call updated to `call`, with only its own response."""
    new = dict(old)
    if call.get("args") != old.get("args"):
        new["args"] = call.get("args")
    if call.get("name") != old.get("name"):
        new["name"] = call.get("name")
    answer = answers.get(str(old.get("id")))
    result = old.get(RESULT)
    if answer is None:
        if isinstance(result, list) and any(map(answer_of, result)):
            del new[RESULT]
        return new
    if not isinstance(result, list) or not _same(result, answer):
        new[RESULT] = list(answer)
    before, after = _told(_own(old)), _told(answer)
    if before != after and _SHOWN_RESULT in old:
        new[_SHOWN_RESULT] = _shown(old[_SHOWN_RESULT], before, after)
    return new


def _same(result: Sequence[Any], answer: Sequence[Any]) -> bool:
    return len(result) == len(answer) and all(a is b or a == b for a, b in zip(result, answer, strict=True))


def _own(call: Value) -> list[Any]:
    """The response parts of a listed call."""
    result = call.get(RESULT)
    if isinstance(result, str):
        return [{ANSWER: {"response": {"output": result}}}]
    return [result[n] for n in own_numbers(result, str(call.get("id")))] if isinstance(result, list) else []


def _told(parts: Sequence[Any]) -> str:
    return "".join(_texts(parts))


def _texts(parts: Sequence[Any]) -> Iterator[str]:
    for part in parts:
        answer = answer_of(part)
        if answer is not None:
            yield first_text(answer.get("response"))


def _shown(shown: Any, before: str, after: str) -> Any:
    """The display copy of a changed result: a text, or a terminal's cells."""
    if isinstance(shown, str):
        return after if shown and (shown in before or len(shown) > len(after)) else shown
    if isinstance(shown, list):
        return after
    return without_copies(shown, before, after)
