"""What the books get."""

from datetime import date

import pytest

from shop.checkout import Order
from shop.ledger import ACCOUNTS, Entry, as_csv, day_sums, entries, plain
from shop.pricing import Line

MONDAY = date(2026, 11, 30)
SUNDAY = date(2026, 11, 29)


def order(number="1042", currency="CHF", country="CH", **more):
    made = Order(number, country, currency, **more)
    made.add(Line("tea-assam", 1290, 3, reduced_tax=True))
    made.add(Line("lantern-moon", 2450))
    return made


def by_account(made):
    names = {number: name for name, number in ACCOUNTS.items()}
    return {names[entry.account]: entry.amount for entry in made}


def test_every_figure_has_its_account():
    assert by_account(entries(order(), MONDAY)) == {
        "goods": 6320,
        "tax": 298,
        "shipping": 790,
        "rounding": 2,
        "due": -7410,
    }


def test_nothing_is_booked_for_nothing():
    booked = by_account(entries(order(currency="EUR", country="DE"), MONDAY))
    assert "rounding" not in booked
    assert "voucher" not in booked


def test_an_empty_order_has_no_entries():
    assert entries(Order("1", "CH", "CHF"), MONDAY) == []


@pytest.mark.parametrize("percent", [0, 5, 10, 33, 50, 99, 100])
@pytest.mark.parametrize("currency", ["CHF", "EUR", "JPY"])
def test_the_entries_add_up_to_nought(percent, currency):
    made = entries(order(currency=currency, voucher_percent=percent), MONDAY)
    assert sum(entry.amount for entry in made) == 0


def test_a_day_is_one_line_an_account():
    both = entries(order(), MONDAY) + entries(order("1043"), MONDAY)
    sums = day_sums(both)
    assert by_account(sums)["goods"] == 2 * 6320
    assert by_account(sums)["rounding"] == 4
    assert len(sums) == 5


def test_days_and_currencies_are_kept_apart():
    made = entries(order(), MONDAY) + entries(order("1043"), SUNDAY) + entries(order("1044", "EUR", "DE"), MONDAY)
    sums = day_sums(made)
    assert [entry.day for entry in sums] == sorted(entry.day for entry in sums)
    assert {(entry.day, entry.currency) for entry in sums} == {(SUNDAY, "CHF"), (MONDAY, "CHF"), (MONDAY, "EUR")}


def test_what_was_rounded_up_and_down_may_cancel_out():
    up = Order("1", "XX", "CHF", [Line("card", 8003)])
    down = Order("2", "XX", "CHF", [Line("card", 8002)])
    sums = by_account(day_sums(entries(up, MONDAY) + entries(down, MONDAY)))
    assert "rounding" not in sums
    assert sums["due"] == -16005


@pytest.mark.parametrize(
    ("minor", "code", "shown"),
    [(7410, "CHF", "74.10"), (-7410, "CHF", "-74.10"), (5, "CHF", "0.05"), (-2, "CHF", "-0.02"), (1200, "JPY", "1200")],
)
def test_plain_amounts(minor, code, shown):
    assert plain(minor, code) == shown


def test_csv():
    sums = [Entry(MONDAY, "CHF", "3200", 6320), Entry(MONDAY, "CHF", "3999", 2)]
    assert as_csv(sums) == "day,currency,account,amount\n2026-11-30,CHF,3200,63.20\n2026-11-30,CHF,3999,0.02\n"


def test_csv_of_a_day_without_orders_is_its_head():
    assert as_csv([]) == "day,currency,account,amount\n"
