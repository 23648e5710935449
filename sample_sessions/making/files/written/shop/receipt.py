"""The receipt that goes into the parcel, as plain text."""

from __future__ import annotations

from unicodedata import east_asian_width

from shop.checkout import Order, Totals
from shop.money import show
from shop.pricing import line_total
from shop.texts import text

WIDTH = 44


def cells(words: str) -> int:
    """Columns that a printer with a fixed font needs for `words`."""
    return sum(2 if east_asian_width(sign) in "WF" else 1 for sign in words)


def shortened(words: str, room: int) -> str:
    """As much of `words` as fits into `room` columns."""
    while cells(words) > room:
        words = words[:-1]
    return words


def row(left: str, right: str) -> str:
    """One line with its amount at the right edge."""
    left = shortened(left, WIDTH - cells(right) - 1)
    return left + " " * (WIDTH - cells(left) - cells(right)) + right


def foot(totals: Totals, currency: str, language: str) -> list[str]:
    """The rows under the articles. Voucher and rounding are shown only when there is something to show."""
    rows = [("receipt.goods", totals.goods)]
    if totals.discount:
        rows.append(("receipt.voucher", -totals.discount))
    rows.append(("receipt.tax", totals.tax))
    rows.append(("receipt.shipping", totals.shipping))
    if totals.rounding:
        rows.append(("receipt.rounding", totals.rounding))
    return [row(text(key, language), show(amount, currency)) for key, amount in rows]


def receipt(order: Order, language: str = "en") -> str:
    """The whole receipt, one line a row."""
    totals = order.totals()
    lines = [text("receipt.title", language), f"{text('receipt.number', language)} {order.number}", "-" * WIDTH]
    for line in order.lines:
        lines.append(row(f"{line.quantity} x {line.sku}", show(line_total(line), order.currency)))
    lines.append("-" * WIDTH)
    lines += foot(totals, order.currency, language)
    lines.append("=" * WIDTH)
    lines.append(row(text("receipt.due", language), show(totals.due, order.currency)))
    return "\n".join(lines)
