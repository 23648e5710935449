"""Amounts that can be paid with the coins there are."""

from __future__ import annotations

from shop.currencies import currency


def to_step(minor: int, step: int) -> int:
    """The multiple of `step` nearest to an amount in minor units; ValueError for a step below 1."""
    if step < 1:
        raise ValueError("a step is at least one minor unit")
    return round(minor / step) * step


def payable(minor: int, code: str) -> int:
    """What is paid where `minor` is owed: the nearest amount that the coins of the currency allow."""
    return to_step(minor, currency(code).step)


def difference(minor: int, code: str) -> int:
    """What rounding adds to an amount (or takes off it, then below zero), in minor units."""
    return payable(minor, code) - minor
