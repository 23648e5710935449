"""The public interface. Partners call it: names, arguments and results stay as they are."""

from __future__ import annotations

from shop.checkout import Order
from shop.pricing import Line


def quote(lines: list[tuple[str, int, int]], country: str, currency: str) -> int:
    """What a basket of (sku, unit price, quantity) would cost, in minor units."""
    order = Order(number="quote", country=country, currency=currency)
    for sku, unit_price, quantity in lines:
        order.add(Line(sku, unit_price, quantity))
    return order.totals().due


def order_total(order: Order) -> int:
    """What an order costs, in minor units."""
    return order.totals().due
