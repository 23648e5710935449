"""Costs and savings of the steps so far, with the provider's prompt cache warm or cold.

Everything after the first changed message must be written to the cache again. So early changes that free
little are reported: they alone may make a plan not worth it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, Final

from msgspec import Struct

from app.display import counted, human_age, human_number, short_number
from app.formats import format_named
from app.model import Message, Session
from app.prompt_cache import FOR_AN_HOUR, PRICES, CachePrices, Price, price
from app.stages.base import Change
from app.work.workspace import Workspace

clock: Callable[[], float] = time.time
"""The present time in seconds since 1970; a separate name so that it can be replaced."""

LITTLE: Final = 0.25
"""Early changes free little if they free at most this share of what the plan frees."""
FASTER: Final = 0.5
"""Early changes are reported if the plan without them pays back in at most this share of the turns,"""
TURNS_SOONER: Final = 5
"""and at least so many turns sooner."""


class EarlyChanges(Struct, frozen=True):
    """Changes before all others that free little and invalidate the cached prefix early."""

    steps: tuple[str, ...]
    """Labels of the steps that make them."""
    keys: tuple[str, ...]
    """Keys of the changed blocks."""
    first: int
    """Numbers of their first and last messages, as shown in the rows."""
    last: int
    freed: int
    """Tokens they free."""
    prefix: int
    """Total tokens that would stay cached without them."""
    turns: float
    """Turns until the plan pays back without them."""

    def told(self) -> str:
        """The changes in words, and the payback without them."""
        where = f"#{self.first}" if self.first == self.last else f"#{self.first} to #{self.last}"
        who = ", ".join(self.steps)
        changes = counted(len(self.keys), "change")
        frees = f"frees only ~{short_number(self.freed)}" if len(self.keys) == 1 else ""
        frees = frees or f"free only ~{short_number(self.freed)}"
        soon = "the next turn is cheaper" if self.turns < 1 else f"it pays back after {_turns(self.turns)}"
        kept = f"~{short_number(self.prefix)} stay cached"
        return f"{changes} in {where} ({who}) {frees}; without, {kept} and {soon}"


class Pricing(Struct, frozen=True):
    """The price of a plan, together with facts of its session."""

    price: Price
    number: int | None
    """Number of the first changed message, as in the rows; None if only the end or nothing changes."""
    cold_for: float | None = None
    """Seconds since the last reply if the cache has expired by now; None while it may be warm."""
    early: EarlyChanges | None = None

    @property
    def is_cold(self) -> bool:
        return self.cold_for is not None

    @property
    def is_worth_it(self) -> bool:
        """Whether it pays back; with a cold cache, at once if it frees anything."""
        return self.price.once_cold >= 0 if self.is_cold else self.price.is_worth_it

    def facts(self) -> tuple[tuple[bool, str], ...]:
        """The facts, one sentence each; true marks a warning."""
        cost = self.price
        if cost.first_changed is None:
            return ((False, "nothing changes, so the prompt cache stays valid"),)
        return tuple(self._facts())

    def _facts(self) -> Iterator[tuple[bool, str]]:
        cost = self.price
        where = "after the last message" if self.number is None else f"from #{self.number} on"
        again = f"~{human_number(cost.rewritten)} tokens cached again once"
        yield False, f"{where}: {again}, ~{human_number(cost.prefix)} stay cached"
        if self.cold_for is None:
            yield not cost.is_worth_it, self._warm()
        else:
            yield cost.once_cold < 0, self._cold(self.cold_for)
            yield False, f"if still warm: {self._warm()}"
        if self.early is not None:
            yield True, self.early.told()

    def _cold(self, seconds: float) -> str:
        change = "cheaper" if self.price.once_cold >= 0 else "more expensive"
        amount = human_number(round(abs(self.price.once_cold)))
        return f"cold by now (last reply {human_age(seconds)}): next turn {change} by ~{amount}"

    def _warm(self) -> str:
        """The saving per turn, in tokens at the input price, and when it pays back."""
        cost = self.price
        less = f"~{human_number(round(cost.per_turn))} fewer tokens per turn"
        match cost.turns:
            case None:
                return "no later turn gets cheaper: not worth it"
            case turns if turns < 1:
                return f"{less} from the next turn on"
            case turns:
                judged = "" if cost.is_worth_it else ": not worth it"
                return f"{less}, pays back after {_turns(turns)}{judged}"

    def told(self) -> str:
        """All facts in one line."""
        return "; ".join(text for _, text in self.facts())

    def short(self) -> str:
        """The verdict first, for a line that may be truncated: `not worth it: pays back after 217 turns`."""
        cost = self.price
        if cost.first_changed is None:
            return "the prompt cache stays valid"
        where = "only the end changes" if self.number is None else f"first change #{self.number}"
        match cost.turns:
            case _ if self.is_cold and self.is_worth_it:
                answer = "the cache is cold: cheaper at once"
            case None:
                answer = "never pays back"
            case turns if turns < 1:
                answer = "cheaper from the next turn on"
            case turns:
                judged = "" if cost.is_worth_it else "not worth it: "
                answer = f"{judged}pays back after {_turns(turns)}"
        return f"{answer} ({where})"

    def as_json(self) -> Mapping[str, Any]:
        """The price as `compact --json` prints it; costs are in tokens at the plain input price."""
        cost, early = self.price, self.early
        return {
            "first_changed": self.number,
            "prefix_tokens": cost.prefix,
            "rewritten_tokens": cost.rewritten,
            "extra_once": round(cost.once, 1),
            "saving_per_turn": round(cost.per_turn, 1),
            "turns_to_pay_back": None if cost.turns is None else round(cost.turns, 1),
            "seconds_cold": None if self.cold_for is None else round(self.cold_for),
            "worth_it": self.is_worth_it,
            "early": None if early is None else {"keys": list(early.keys), "told": early.told()},
            "told": self.told(),
        }


def _turns(turns: float) -> str:
    return counted(max(1, round(turns)), "turn")


def pricing(
    workspace: Workspace, *, after: Sequence[Message] | None = None, now: float | None = None
) -> Pricing:
    """The price of all steps of a workspace, or of sending `after` instead of the live segment.

    `now` is the time in seconds since 1970, by default the machine's.
    """
    prices = prices_of(workspace.session)
    before = workspace.session.live
    found = price(before, workspace.messages if after is None else after, workspace.tokens, prices)
    cold_for = cold_since(workspace.session, prices, clock() if now is None else now)
    warm = cold_for is None and found.turns is not None and found.turns >= 1
    early = _early(workspace, found, prices) if warm and after is None else None
    return Pricing(found, number_of(workspace.session, found), cold_for, early)


def prices_of(session: Session) -> CachePrices:
    """The cache prices of a session's provider."""
    usage = next((m.usage for m in reversed(session.live) if m.usage and m.usage.cache_creation_tokens), None)
    prices = PRICES[format_named(session.format).validity]
    if prices is PRICES["anthropic"] and usage is not None and usage.cache_hour_tokens:
        return FOR_AN_HOUR
    return prices


def cold_since(session: Session, prices: CachePrices, now: float) -> float | None:
    """Seconds since the last message if the cache has expired by now; None if it may be warm."""
    last = max((m.time for m in session.live if m.time is not None), default=None)
    return now - last if last is not None and now - last > prices.lasts else None


def number_of(session: Session, cost: Price) -> int | None:
    """The number of the first changed message, as in the rows."""
    if cost.first_changed is None or cost.first_changed >= len(session.live):
        return None
    key = session.live[cost.first_changed].key
    return next((n for n, message in enumerate(session.messages) if message.key == key), None)


# Early changes that free little


class _Change(Struct, frozen=True):
    """A change of one step: the index of its message in the live segment, and the tokens it frees."""

    place: int
    freed: int
    key: str
    step: str


def _early(workspace: Workspace, cost: Price, prices: CachePrices) -> EarlyChanges | None:
    """The early changes without which the plan pays back soonest, if they free little."""
    changes = sorted(_changes(workspace), key=lambda change: change.place)
    places = list(dict.fromkeys(change.place for change in changes))
    freed = cost.before - cost.after
    if len(places) < 2 or freed <= 0 or cost.turns is None:
        return None
    live = workspace.session.live
    ends = [0, *accumulate(workspace.tokens((message,)) for message in live)]
    lost_before = _lost_before(changes)
    best, least = None, min(cost.turns * FASTER, cost.turns - TURNS_SOONER)
    for place in places[1:]:
        lost = lost_before[place]
        left = freed - lost
        if lost < 0 or lost > LITTLE * freed or left <= 0:
            continue
        again = max(0, cost.before - left - ends[place])
        once = prices.write * again - prices.read * (cost.before - ends[place])
        turns = max(0.0, once) / (prices.read * left)
        if turns <= least:
            best, least = place, turns
    if best is None:
        return None
    return _named(workspace.session, [c for c in changes if c.place < best], ends[best], least)


def _lost_before(changes: Sequence[_Change]) -> dict[int, int]:
    """Index -> tokens freed by the changes before it; `changes` must be sorted by index."""
    lost: dict[int, int] = {}
    total = 0
    for change in changes:
        lost.setdefault(change.place, total)
        total += change.freed
    return lost


def _named(session: Session, changes: Sequence[_Change], prefix: int, turns: float) -> EarlyChanges:
    numbers = {message.key: number for number, message in enumerate(session.messages)}
    return EarlyChanges(
        steps=tuple(dict.fromkeys(change.step for change in changes)),
        keys=tuple(dict.fromkeys(change.key for change in changes)),
        first=numbers[session.live[changes[0].place].key],
        last=numbers[session.live[changes[-1].place].key],
        freed=sum(change.freed for change in changes),
        prefix=prefix,
        turns=turns,
    )


def _changes(workspace: Workspace) -> Iterator[_Change]:
    """Every change of every step. A step that makes messages counts as one change, at its first index."""
    places = _places(workspace.session.live)
    for step in workspace.steps:
        is_whole = any(change.before is None for change in step.changes)
        known = [places[change.key] for change in step.changes if change.key in places]
        first = min(known, default=0)
        name = step.label if step.edit is None else step.edit.label
        for change in step.changes:
            place = first if is_whole else places.get(change.key, first)
            places.setdefault(change.key, place)
            yield _Change(place, _freed(workspace, change), change.key, name)


def _freed(workspace: Workspace, change: Change) -> int:
    before = 0 if change.before is None else workspace.block_tokens(change.before)
    return before - (0 if change.after is None else workspace.block_tokens(change.after))


def _places(live: Sequence[Message]) -> dict[str, int]:
    return {block.key: place for place, message in enumerate(live) for block in message.blocks}
