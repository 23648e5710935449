"""The receipt that goes into the parcel, as plain text."""

from __future__ import annotations

from shop.checkout import Order
from shop.money import show
from shop.pricing import line_total
from shop.texts import text

WIDTH = 44


def row(left: str, right: str) -> str:
    """One line with its amount at the right edge."""
    return f"{left[: WIDTH - len(right) - 1]:<{WIDTH - len(right)}}{right}"


def receipt(order: Order, language: str = "en") -> str:
    """The whole receipt, one line a row."""
    totals = order.totals()
    lines = [text("receipt.title", language), f"{text('receipt.number', language)} {order.number}", "-" * WIDTH]
    for line in order.lines:
        lines.append(row(f"{line.quantity} x {line.sku}", show(line_total(line), order.currency)))
    lines.append("-" * WIDTH)
    lines.append(row(text("receipt.goods", language), show(totals.goods, order.currency)))
    if totals.discount:
        lines.append(row(text("receipt.voucher", language), show(-totals.discount, order.currency)))
    lines.append(row(text("receipt.tax", language), show(totals.tax, order.currency)))
    lines.append(row(text("receipt.shipping", language), show(totals.shipping, order.currency)))
    lines.append("=" * WIDTH)
    lines.append(row(text("receipt.due", language), show(totals.due, order.currency)))
    return "\n".join(lines)
