"""Repairing the items of a request to the Responses API: each rule once.

Calls and outputs may be far apart, so the items are surveyed once before they are repaired; only their
ids are held. Content is lost only where there is no other way: an orphaned output becomes a message, a
call without an output gets one. Encrypted content is never changed.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, Final, TypeAlias

from msgspec import Struct, field

from app.formats.markers import ORPHAN_TEXT, UNANSWERED_TEXT
from app.formats.repairs import (
    Ids,
    Mended,
    Mending,
    Message,
    Pairs,
    PairsAnew,
    Repair,
    id_text,
    plan_mending,
    safe_name,
    scrubbed,
)
from app.formats.responses.blocks import answer_of, text_in
from app.formats.responses.forms import text_item
from app.formats.responses.names import (
    ANSWERED_BY,
    LOCAL,
    ROLES,
    is_call,
    is_output,
    is_produced,
    kind_of,
)
from app.model import compact_json

LONGEST_ID: Final = 64

_GIVEN: Final = {"function_call": "arguments", "custom_tool_call": "input"}
_name = re.compile(r"[a-zA-Z0-9_-]+")


def mend_responses(pairs: PairsAnew) -> Mending:
    """The repairs that the items of a request need; reads them twice, and once more to carry them out."""
    survey = Survey(pairs())
    return plan_mending(pairs, ItemMender(survey), lambda: ItemMender(survey))


class _Call(Struct):
    """A call, by its index among the items."""

    place: int
    answer: str
    """The type of item that answers it."""
    ident: Any


_Waiting: TypeAlias = dict[str, deque[_Call]]
"""Calls of one id without an output yet, by the type of item that answers them."""


class Survey(Struct):
    """Which output answers which call, found before anything is repaired. All keys are item indexes."""

    pairs: Pairs
    ids: dict[int, str] = field(default_factory=dict)
    """New ids, where the old one is invalid or belongs to another call."""
    kinds: dict[int, str] = field(default_factory=dict)
    """Outputs that must have another type."""
    orphans: dict[int, str] = field(default_factory=dict)
    """Outputs without a call of their own, and why."""
    unanswered: set[int] = field(default_factory=set)
    early: dict[int, int] = field(default_factory=dict)
    """Outputs before their call -> that call."""

    def __post_init__(self) -> None:
        calls: list[_Call] = []
        waiting: dict[str, _Waiting] = {}
        outputs: list[tuple[int, str, str]] = []
        answered: dict[int, int] = {}
        for place, (_, item) in enumerate(self.pairs):
            if is_call(item):
                call = _Call(place, ANSWERED_BY[kind_of(item)], item.get("call_id"))
                calls.append(call)
                by_kind = waiting.setdefault(id_text(call.ident), {})
                by_kind.setdefault(call.answer, deque()).append(call)
            elif is_output(item):
                ident = id_text(item.get("call_id"))
                found = _take(waiting.get(ident), kind_of(item))
                if found is None:
                    outputs.append((place, ident, kind_of(item)))
                else:
                    answered[found.place] = place
        self.pairs = ()
        self._late(calls, waiting, outputs, answered)
        self._settle(calls, answered)

    def _late(
        self,
        calls: list[_Call],
        waiting: dict[str, _Waiting],
        outputs: list[tuple[int, str, str]],
        answered: dict[int, int],
    ) -> None:
        known = {id_text(call.ident) for call in calls}
        for place, ident, kind in outputs:
            found = _take(waiting.get(ident), kind)
            if found is not None:
                answered[found.place] = place
                self.early[place] = found.place
            else:
                again = ident in known
                self.orphans[place] = (
                    "a tool call was answered twice" if again else "a tool result had no call"
                )
        left = (calls for by_kind in waiting.values() for calls in by_kind.values())
        self.unanswered.update(call.place for calls in left for call in calls)

    def _settle(self, calls: list[_Call], answered: dict[int, int]) -> None:
        given = {answer: Ids(longest=LONGEST_ID, any_sign=True) for answer in set(ANSWERED_BY.values())}
        for call in calls:
            ident = given[call.answer].take(call.ident)
            output = answered.get(call.place)
            if ident != call.ident:
                self.ids[call.place] = ident
                if output is not None:
                    self.ids[output] = ident
            if output is not None:
                self.kinds[output] = call.answer


def _take(waiting: _Waiting | None, kind: str) -> _Call | None:
    """Take the first call that an output of this type answers, else one of another type."""
    calls = (waiting or {}).get(kind) or next((some for some in (waiting or {}).values() if some), None)
    return calls.popleft() if calls else None


class ItemMender:
    """One pass over the items of a request."""

    def __init__(self, survey: Survey) -> None:
        self.repairs: list[Repair] = []
        self._survey = survey

    def _note(self, word: str, key: str, detail: str) -> None:
        self.repairs.append(Repair(word, key, detail))

    def run(self, pairs: Pairs) -> Iterator[Mended]:
        """Every item once, with added ones in between."""
        return self._without_lone_reasoning(self._answered(pairs))

    def _answered(self, pairs: Pairs) -> Iterator[Mended]:
        """The items repaired one by one, with missing outputs added after each run of calls."""
        held: dict[int, list[Mended]] = {}
        due: list[Mended] = []
        for place, (key, item) in enumerate(pairs):
            mended = self._item(place, key, item)
            if place in self._survey.early:
                self._note("result-order", key, "a tool result came before its call")
                held.setdefault(self._survey.early[place], []).append(Mended(key, mended.message, True))
                continue
            if due and mended.message is not None and not is_call(mended.message):
                yield from due
                due = []
            yield mended
            due += held.pop(place, ())
            if place in self._survey.unanswered and mended.message is not None:
                self._note("open-call", key, "a tool call had no result")
                due.append(Mended(None, _made_output(mended.message), True))
        yield from due

    def _item(self, place: int, key: str, item: Message) -> Mended:
        clean, words = scrubbed(item)
        for word in words:
            self._note(word, key, "a value that a request cannot contain")
        kind = kind_of(clean)
        if kind in LOCAL:
            self._note("local-item", key, "a record of the client that is not an item")
            return Mended(key, None, True)
        if place in self._survey.orphans:
            self._note("orphan-result", key, self._survey.orphans[place])
            return Mended(key, _as_words(clean), True)
        if kind == "message":
            clean = self._message(key, clean)
        elif kind in _GIVEN:
            clean = self._call(key, clean, kind)
        if is_call(clean) or is_output(clean):
            clean = self._paired(place, key, clean)
        return Mended(key, clean, clean is not item)

    def _paired(self, place: int, key: str, item: Message) -> Message:
        ident, kind = self._survey.ids.get(place), self._survey.kinds.get(place)
        changes: Message = {}
        if ident is not None:
            bad = not Ids(longest=LONGEST_ID, any_sign=True).good(item.get("call_id"))
            word = "unsafe-id" if bad else "duplicate-call-id"
            detail = "a tool id that the provider refuses" if bad else "a tool id was used twice"
            self._note(word, key, detail)
            changes["call_id"] = ident
        if kind is not None and kind != kind_of(item):
            self._note("orphan-result", key, "a tool result was of a different kind than its call")
            changes["type"] = kind
        return {**item, **changes} if changes else item

    def _message(self, key: str, item: Message) -> Message:
        role, content = item.get("role"), item.get("content")
        if not isinstance(role, str) or role not in ROLES:
            self._note("bad-role", key, "a role that does not exist")
            role = "user"
            item = {**item, "role": role}
        if not isinstance(content, list):
            return item
        parts = [_fitting(part, role) for part in content]
        if all(one is other for one, other in zip(parts, content, strict=True)):
            return item
        self._note("block-order", key, f"a part not allowed in a {role} message")
        return {**item, "content": parts}

    def _call(self, key: str, item: Message, kind: str) -> Message:
        name, member = item.get("name"), _GIVEN[kind]
        if not isinstance(name, str) or not _name.fullmatch(name):
            self._note("bad-tool-name", key, "a tool name that the provider refuses")
            item = {**item, "name": safe_name(name, len(name) if isinstance(name, str) else 1)}
        given = item.get(member)
        if not isinstance(given, str):
            self._note("input-not-object", key, "the arguments of a tool call were not a string")
            empty = "{}" if member == "arguments" else ""
            item = {**item, member: empty if given is None else compact_json(given)}
        return item

    def _without_lone_reasoning(self, mended: Iterable[Mended]) -> Iterator[Mended]:
        """The items without reasoning that nothing follows, or of which only the id is left."""
        waiting: list[Mended] = []
        for one in mended:
            if one.message is None:
                yield one
            elif kind_of(one.message) == "reasoning":
                waiting.append(one)
            else:
                yield from self._led(waiting, is_produced(one.message))
                waiting = []
                yield one
        yield from self._led(waiting, False)

    def _led(self, run: list[Mended], produced: bool) -> list[Mended]:
        """A run of reasoning items; `produced`: the item after it can have resulted from it."""
        found: list[Mended] = []
        for one in reversed(run):
            item, key = one.message or {}, one.key or ""
            seal = item.get("encrypted_content")
            if item.get("id") and not (isinstance(seal, str) and seal):
                self._note("reasoning-lost", key, "reasoning of which only the id was left")
                found.append(Mended(one.key, None, True))
            elif item.get("id") and not produced:
                self._note("reasoning-alone", key, "reasoning without the item it led to")
                found.append(Mended(one.key, None, True))
            else:
                produced = True
                found.append(one)
        return found[::-1]


def _made_output(call: Message) -> Message:
    kind = ANSWERED_BY[kind_of(call)]
    answer: Any = [] if kind == "tool_search_output" else UNANSWERED_TEXT
    made = {"type": kind, "call_id": call.get("call_id"), answer_of(kind): answer}
    return {**made, "execution": "client", "status": "completed"} if kind == "tool_search_output" else made


def _as_words(item: Message) -> Message:
    """An output without a call, as a message of plain text."""
    answer = item.get("output")
    if isinstance(answer, dict):
        answer = answer.get("content")
    parts = answer if isinstance(answer, list) else [{"text": answer}]
    texts = [text for part in parts if (text := text_in(part)) is not None]
    return text_item("user", "\n".join((ORPHAN_TEXT, *filter(None, texts))))


def _fitting(part: Any, role: str) -> Any:
    """A part in a form valid for this role, the same object if it already is."""
    kind = part.get("type") if isinstance(part, dict) else None
    kind = kind if isinstance(kind, str) else ""
    said = role == "assistant"
    if kind in ("output_text", "refusal") if said else kind.startswith("input_"):
        return part
    wanted = "output_text" if said else "input_text"
    text = part if isinstance(part, str) else text_in(part)
    if text is not None:
        beside = part if isinstance(part, dict) and "text" in part else {}
        return {**beside, "type": wanted, "text": text}
    url = part.get("image_url") if isinstance(part, dict) else None
    url = url.get("url") if isinstance(url, dict) else url
    if isinstance(url, str) and not said:
        return {"type": "input_image", "image_url": url}
    return {"type": wanted, "text": f"[{kind}]" if isinstance(url, str) else compact_json(part)}
