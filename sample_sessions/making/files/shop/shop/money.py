"""Amounts of money as text, and text as amounts."""

from __future__ import annotations

import re

from shop.currencies import currency

AMOUNT = re.compile(r"(?P<sign>-?)(?P<whole>\d{1,12})(?:\.(?P<part>\d+))?\Z")


def show(minor: int, code: str) -> str:
    """An amount for people: `show(1990, "CHF")` is `CHF 19.90`."""
    unit = currency(code)
    sign = "-" if minor < 0 else ""
    if unit.digits == 0:
        number = f"{abs(minor):,}"
    else:
        whole, part = divmod(abs(minor), 10**unit.digits)
        number = f"{whole:,}.{part:0{unit.digits}d}"
    return f"{sign}{unit.symbol} {number}" if unit.before else f"{sign}{number} {unit.symbol}"


def parse(amount: str, code: str) -> int:
    """The minor units of a plain amount such as `19.90`; ValueError for anything else."""
    digits = currency(code).digits
    found = AMOUNT.match(amount.strip())
    part = (found["part"] or "") if found else ""
    if found is None or len(part) > digits:
        raise ValueError(f"not an amount in {code}: {amount!r}")
    minor = int(found["whole"]) * 10**digits + int(part.ljust(digits, "0") or 0)
    return -minor if found["sign"] else minor
