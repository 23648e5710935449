"""From the price on the page to the price of a line in the basket."""

from __future__ import annotations

from dataclasses import dataclass

TAX_PERMILLE = {
    # standard and reduced rate, in tenths of a percent
    "AT": (200, 100),
    "CH": (81, 26),
    "CN": (130, 90),
    "DE": (190, 70),
    "DK": (250, 250),
    "FR": (200, 55),
    "GB": (200, 0),
    "IT": (220, 100),
    "JP": (100, 80),
    "NO": (250, 150),
    "SE": (250, 120),
}

TIERS = ((24, 150), (12, 100), (6, 50))
"""From so many pieces of one thing on, so many tenths of a percent off."""


@dataclass(frozen=True)
class Line:
    """One row of the basket."""

    sku: str
    unit_price: int
    quantity: int = 1
    reduced_tax: bool = False


def tier_discount(quantity: int) -> int:
    """Tenths of a percent off for that many pieces."""
    return next((off for pieces, off in TIERS if quantity >= pieces), 0)


def line_total(line: Line) -> int:
    """What the line costs before tax, in minor units, cut down to whole ones."""
    if line.quantity < 1:
        raise ValueError(f"quantity of {line.sku} must be at least 1")
    full = line.unit_price * line.quantity
    return full - full * tier_discount(line.quantity) // 1000


def tax(line: Line, country: str) -> int:
    """The tax on the line, in minor units; a country without a rate pays none."""
    standard, reduced = TAX_PERMILLE.get(country, (0, 0))
    rate = reduced if line.reduced_tax else standard
    return line_total(line) * rate // 1000


def voucher(total: int, percent: int) -> int:
    """What a voucher takes off `total`; never more than the total itself."""
    if not 0 <= percent <= 100:
        raise ValueError("a voucher is 0 to 100 percent")
    return min(total, total * percent // 100)
