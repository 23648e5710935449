"""Rounding what is due to the coins there are."""

import pytest

from shop.currencies import CURRENCIES, Currency
from shop.rounding import difference, payable, to_step


@pytest.mark.parametrize(
    ("owed", "paid"),
    [
        (0, 0),
        (1, 0),
        (2, 0),
        (3, 5),
        (4, 5),
        (5, 5),
        (6, 5),
        (7, 5),
        (8, 10),
        (9, 10),
        (10, 10),
        (1992, 1990),
        (1993, 1995),
        (7408, 7410),
    ],
)
def test_francs_end_in_nought_or_five(owed, paid):
    assert payable(owed, "CHF") == paid


@pytest.mark.parametrize(
    ("owed", "step", "paid"),
    [
        (5, 10, 10),
        (15, 10, 20),
        (25, 10, 30),
        (35, 10, 40),
        (50, 100, 100),
        (150, 100, 200),
        (250, 100, 300),
    ],
)
def test_a_half_goes_up(owed, step, paid):
    assert to_step(owed, step) == paid


@pytest.mark.parametrize(("owed", "paid"), [(-1, 0), (-2, 0), (-3, -5), (-7, -5), (-8, -10), (-1993, -1995)])
def test_a_refund_is_the_mirror_of_a_payment(owed, paid):
    assert payable(owed, "CHF") == paid
    assert payable(-owed, "CHF") == -paid


@pytest.mark.parametrize("step", [0, -5])
def test_a_step_is_at_least_one(step):
    with pytest.raises(ValueError, match="at least one"):
        to_step(100, step)


@pytest.mark.parametrize("owed", [0, 1, 2, 3, 49, 50, 51, 1999, 123456789])
def test_other_currencies_are_left_alone(owed):
    assert payable(owed, "EUR") == owed
    assert payable(owed, "SEK") == owed
    assert payable(owed, "JPY") == owed


def test_difference_is_what_was_added():
    assert difference(7408, "CHF") == 2
    assert difference(7411, "CHF") == -1
    assert difference(7410, "CHF") == 0
    assert difference(7408, "EUR") == 0


def test_rounding_twice_changes_nothing():
    for owed in range(-60, 60):
        once = payable(owed, "CHF")
        assert payable(once, "CHF") == once
        assert abs(once - owed) <= 2


def test_large_amounts_stay_exact():
    assert payable(9_007_199_254_740_993, "CHF") == 9_007_199_254_740_995


def test_francs_are_the_only_ones_so_far():
    assert {code for code, unit in CURRENCIES.items() if unit.step != 1} == {"CHF"}


def test_a_currency_may_have_its_own_step():
    assert Currency("XTS", "Test", 2, "x", step=25).step == 25
