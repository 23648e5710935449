"""What the books get to see of a day's orders."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from shop.checkout import Order
from shop.currencies import currency

ACCOUNTS = {
    "goods": "3200",
    "voucher": "3290",
    "tax": "2200",
    "shipping": "3400",
    "rounding": "3999",
    "due": "1100",
}
"""Which account a figure of an order goes to. Rounding has one of its own: over a year it comes to about nothing."""


@dataclass(frozen=True, order=True)
class Entry:
    """One line in the books, in minor units; what is due is booked against everything else."""

    day: date
    currency: str
    account: str
    amount: int


def entries(order: Order, day: date) -> list[Entry]:
    """The entries of one order: they add up to nought, or the order is not booked at all."""
    totals = order.totals()
    figures = {
        "goods": totals.goods,
        "voucher": -totals.discount,
        "tax": totals.tax,
        "shipping": totals.shipping,
        "rounding": totals.rounding,
        "due": -totals.due,
    }
    made = [Entry(day, order.currency, ACCOUNTS[name], amount) for name, amount in figures.items() if amount]
    if sum(entry.amount for entry in made):
        raise ValueError(f"the entries of order {order.number} do not add up")
    return made


def day_sums(all_entries: Iterable[Entry]) -> list[Entry]:
    """One entry a day, currency and account, in that order; sums of nought are left out."""
    sums: dict[tuple[date, str, str], int] = {}
    for entry in all_entries:
        key = (entry.day, entry.currency, entry.account)
        sums[key] = sums.get(key, 0) + entry.amount
    return sorted(Entry(*key, amount) for key, amount in sums.items() if amount)


def plain(minor: int, code: str) -> str:
    """An amount for machines: no sign of the currency, no thousands, a point."""
    digits = currency(code).digits
    if digits == 0:
        return str(minor)
    whole, part = divmod(abs(minor), 10**digits)
    return f"{'-' if minor < 0 else ''}{whole}.{part:0{digits}d}"


def as_csv(sums: Iterable[Entry]) -> str:
    """The sums as a table with a head, one line an entry, lines ended by a line feed alone."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(("day", "currency", "account", "amount"))
    for entry in sums:
        writer.writerow((entry.day.isoformat(), entry.currency, entry.account, plain(entry.amount, entry.currency)))
    return out.getvalue()
