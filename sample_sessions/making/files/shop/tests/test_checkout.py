"""Orders and their totals."""

import pytest

from shop.checkout import Order
from shop.pricing import Line


def order(currency="CHF", country="CH"):
    made = Order("1042", country, currency)
    made.add(Line("tea-assam", 1290, 3, reduced_tax=True))
    made.add(Line("lantern-moon", 2450))
    return made


def test_same_article_joins():
    made = order()
    made.add(Line("lantern-moon", 2450, 2))
    assert [line.quantity for line in made.lines] == [3, 3]


def test_remove_unknown_article():
    with pytest.raises(KeyError):
        order().remove("kettle")


def test_totals():
    totals = order().totals()
    assert (totals.goods, totals.tax, totals.shipping) == (6320, 298, 790)


def test_free_shipping_from_limit_on():
    made = order()
    made.add(Line("lantern-moon", 2450))
    assert made.totals().shipping == 0


def test_empty_basket_ships_nothing():
    assert Order("1", "CH", "CHF").totals().due == 0


def test_pay_in_two_steps():
    made = order("EUR", "DE")
    due = made.totals().due
    assert made.pay(1000) == due - 1000
    assert made.pay(due - 1000) == 0


def test_pay_too_much():
    made = order()
    with pytest.raises(ValueError, match="more than the open"):
        made.pay(made.totals().due + 5)
