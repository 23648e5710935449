"""What an edit costs: providers cache the longest unchanged prefix of a request.

Everything from the first changed message on is written to the cache again once, instead of being read
from it. The removed tokens then save a little on every later turn, or much if the cache has already
expired.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct

from app.model import Message


class CachePrices(Struct, frozen=True):
    """Prices as multiples of the plain input price."""

    read: float
    write: float
    """Price of writing to the cache, where it stays for `lasts` seconds."""
    dated: str
    """When these were taken from the provider's price list; they are never fetched."""
    lasts: float = 3_600.0
    """Seconds without a request after which the cache has expired."""


PRICES: Final = {
    "anthropic": CachePrices(read=0.1, write=1.25, dated="2026-11", lasts=300.0),
    "openai-chat": CachePrices(read=0.1, write=1.0, dated="2026-11"),
    "openai-responses": CachePrices(read=0.1, write=1.0, dated="2026-11"),
    "gemini": CachePrices(read=0.25, write=1.0, dated="2026-11"),
}
"""Prices by the name of the provider's rules."""

FOR_AN_HOUR: Final = CachePrices(read=0.1, write=2.0, dated="2026-11", lasts=3_600.0)
"""Anthropic's prices when a session's usage says that its prefix is cached for an hour."""

LONG_TURNS: Final = 40
"""A payback after more turns than this is called not worth it: few sessions have that many left."""


class Price(Struct, frozen=True):
    """What a plan costs and saves, in tokens at the plain input price."""

    first_changed: int | None
    """0-based index of the first live message that differs; None if none does."""
    before: int
    after: int
    prefix: int
    """Tokens before the first change, which stay cached."""
    rewritten: int
    """Tokens from it on, which are written again once."""
    once: float
    """Extra cost of the next turn while the cache is warm; negative is a gain."""
    per_turn: float
    """Saving on every later turn."""
    once_cold: float = 0.0
    """Saving on the next turn if the cache has expired; negative is a loss."""

    @property
    def turns(self) -> float | None:
        """Later turns until the edit has paid for itself; 0 if at once, None if never."""
        if self.once <= 0:
            return 0.0
        return self.once / self.per_turn if self.per_turn > 0 else None

    @property
    def is_worth_it(self) -> bool:
        """Whether it pays for itself within `LONG_TURNS`."""
        return self.turns is not None and self.turns <= LONG_TURNS


def first_changed(before: Sequence[Message], after: Sequence[Message]) -> int | None:
    """Index of the first message that differs; None if there is none.

    Messages are compared by identity first: an unchanged message is the same object.
    """
    for place, (old, new) in enumerate(zip(before, after, strict=False)):
        if old is not new and old != new:
            return place
    if len(before) == len(after):
        return None
    return min(len(before), len(after))


def price(
    before: Sequence[Message],
    after: Sequence[Message],
    tokens: Callable[[Sequence[Message]], int],
    prices: CachePrices,
) -> Price:
    """The cost of sending `after` instead of `before`; `tokens` measures both the same way."""
    place = first_changed(before, after)
    whole, left = tokens(before), tokens(after)
    prefix = tokens(before[:place]) if place is not None else whole
    rewritten = max(0, left - prefix) if place is not None else 0
    once = prices.read * prefix + prices.write * rewritten - prices.read * whole
    return Price(
        first_changed=place,
        before=whole,
        after=left,
        prefix=prefix,
        rewritten=rewritten,
        once=once if place is not None else 0.0,
        per_turn=prices.read * (whole - left),
        once_cold=prices.write * (whole - left),
    )
