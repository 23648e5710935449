"""The printed receipt."""

import pytest

from shop.checkout import Order
from shop.pricing import Line
from shop.receipt import WIDTH, cells, receipt, row


def order(currency="CHF", country="CH", **more):
    made = Order("1042", country, currency, **more)
    made.add(Line("tea-assam", 1290, 3, reduced_tax=True))
    made.add(Line("lantern-moon", 2450))
    return made


@pytest.mark.parametrize("language", ["en", "de", "zh"])
@pytest.mark.parametrize("currency", ["CHF", "EUR", "JPY", "SEK"])
def test_every_row_has_the_same_width(language, currency):
    rows = receipt(order(currency), language).splitlines()[2:]
    assert {cells(printed) for printed in rows} == {WIDTH}


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "Rounding"), ("de", "Rundung"), ("zh", "舍入差额")],
)
def test_rounding_has_a_row_of_its_own(language, words):
    rows = receipt(order(), language).splitlines()
    shown = [printed for printed in rows if printed.startswith(words)]
    assert [printed.split()[-2:] for printed in shown] == [["CHF", "0.02"]]


def test_rounding_down_is_shown_with_its_sign():
    made = Order("1043", "XX", "CHF", [Line("card", 8001)])
    rows = receipt(made).splitlines()
    assert row("Rounding", "-CHF 0.01") in rows
    assert row("To pay", "CHF 80.00") in rows


def test_no_row_where_nothing_was_rounded():
    assert "Rounding" not in receipt(order("EUR", "DE"))
    assert "Rounding" not in receipt(Order("1044", "XX", "CHF", [Line("card", 8005)]))


def test_the_rows_add_up():
    made = order(voucher_percent=10)
    totals = made.totals()
    assert totals.goods - totals.discount + totals.tax + totals.shipping + totals.rounding == totals.due
    assert totals.due % 5 == 0


def test_words_follow_the_language():
    made = Order("1042", "DE", "EUR", [Line("tea-assam", 1290)])
    assert "Zu zahlen" in receipt(made, "de")
    assert "应付" in receipt(made, "zh")


def test_a_long_article_name_is_cut_not_the_amount():
    made = Order("1045", "XX", "CHF", [Line("灯笼" * 30, 2450)])
    printed = receipt(made).splitlines()[3]
    assert printed.endswith("CHF 24.50")
    assert cells(printed) == WIDTH
