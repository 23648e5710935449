"""Amounts as text."""

import pytest

from shop.money import parse, show


@pytest.mark.parametrize(
    ("minor", "code", "shown"),
    [
        (1990, "CHF", "CHF 19.90"),
        (-250, "EUR", "-€ 2.50"),
        (1200, "JPY", "¥ 1,200"),
        (123456789, "USD", "$ 1,234,567.89"),
        (1500, "SEK", "15.00 kr"),
    ],
)
def test_show(minor, code, shown):
    assert show(minor, code) == shown


@pytest.mark.parametrize("amount", ["19.90", "0.05", "7", "-3.10"])
def test_parse_reads_what_show_means(amount):
    assert abs(parse(amount, "CHF")) % 5 == 0


@pytest.mark.parametrize("amount", ["", "1,50", "1.234", "abc", "1e3"])
def test_parse_refuses(amount):
    with pytest.raises(ValueError, match="not an amount"):
        parse(amount, "CHF")
