"""Prices of basket lines."""

import pytest

from shop.pricing import Line, line_total, tax, tier_discount, voucher


def test_line_total_multiplies():
    assert line_total(Line("tea-assam", 1290, 3)) == 3870


def test_line_total_gives_tier_discount():
    assert line_total(Line("lantern-moon", 2450, 12)) == 26460


def test_quantity_must_be_positive():
    with pytest.raises(ValueError, match="at least 1"):
        line_total(Line("tea-assam", 1290, 0))


@pytest.mark.parametrize(("pieces", "off"), [(1, 0), (5, 0), (6, 50), (12, 100), (24, 150), (99, 150)])
def test_tiers(pieces, off):
    assert tier_discount(pieces) == off


def test_tax_by_country():
    line = Line("tea-assam", 1290, 3, reduced_tax=True)
    assert tax(line, "CH") == 100
    assert tax(line, "XX") == 0


def test_voucher_bounds():
    assert voucher(1000, 100) == 1000
    with pytest.raises(ValueError, match="0 to 100"):
        voucher(1000, 101)
