"""What an edit costs, against the rule that providers publish: the longest unchanged start is cached."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from app.model import Message, chars_of
from app.prompt_cache import PRICES, CachePrices, first_changed, price
from app.validity import CHECKERS
from tests.build import conversation, user

PLAIN = CachePrices(read=0.1, write=1.25, dated="2026-11")


def tokens(messages: Sequence[Message]) -> int:
    """One token a character."""
    return sum(chars_of(block) for message in messages for block in message.blocks)


BEFORE = conversation(user("a" * 100), user("b" * 1000), user("c" * 100))


def test_nothing_changed_costs_nothing() -> None:
    found = price(BEFORE, BEFORE, tokens, PLAIN)
    assert (found.first_changed, found.once, found.turns) == (None, 0.0, 0.0)


def test_an_early_cut_writes_the_rest_again_and_pays_back() -> None:
    after = (BEFORE[0], conversation(user("b"))[0], BEFORE[2])
    found = price(BEFORE, after, tokens, PLAIN)
    assert (found.first_changed, found.prefix, found.rewritten) == (1, 100, 101)
    assert found.once == pytest.approx(0.1 * 100 + 1.25 * 101 - 0.1 * 1200)
    assert found.per_turn == pytest.approx(0.1 * 999)
    assert found.turns == pytest.approx(found.once / found.per_turn)
    assert found.is_worth_it


def test_a_small_cut_far_in_front_is_not_worth_it() -> None:
    after = (conversation(user("a" * 90))[0], *BEFORE[1:])
    found = price(BEFORE, after, tokens, PLAIN)
    assert found.turns is not None and found.turns > 40
    assert not found.is_worth_it


def test_growth_never_pays_back() -> None:
    after = (conversation(user("a" * 110))[0], *BEFORE[1:])
    found = price(BEFORE, after, tokens, PLAIN)
    assert found.turns is None and not found.is_worth_it


def test_dropping_the_tail_changes_the_message_behind_the_last_kept() -> None:
    assert first_changed(BEFORE, BEFORE[:2]) == 2
    assert first_changed(BEFORE[:2], BEFORE) == 2


def test_a_cold_cache_is_written_again_in_any_case_so_that_less_is_cheaper_at_once() -> None:
    assert price(BEFORE, BEFORE[:2], tokens, PLAIN).once_cold == pytest.approx(1.25 * 100)


def test_every_provider_whose_rules_are_known_has_its_prices() -> None:
    assert PRICES.keys() == CHECKERS.keys()


def test_every_price_says_when_it_was_taken() -> None:
    assert all(prices.dated and prices.read < prices.write for prices in PRICES.values())
