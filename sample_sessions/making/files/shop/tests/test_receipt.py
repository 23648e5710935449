"""The printed receipt."""

from shop.checkout import Order
from shop.pricing import Line
from shop.receipt import WIDTH, receipt


def test_every_row_has_the_same_width():
    made = Order("1042", "CH", "CHF", [Line("tea-assam", 1290, 3, reduced_tax=True)])
    rows = receipt(made).splitlines()[2:]
    assert {len(row) for row in rows} == {WIDTH}


def test_words_follow_the_language():
    made = Order("1042", "DE", "EUR", [Line("tea-assam", 1290)])
    assert "Zu zahlen" in receipt(made, "de")
    assert "应付" in receipt(made, "zh")
