"""Attributes that are found out when somebody asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.lazy import found_when_asked


class Square:
    __slots__ = ("area", "asked", "side")
    area: int

    def __init__(self, side: int) -> None:
        self.side = side
        self.asked = 0

    if not TYPE_CHECKING:
        __getattr__ = found_when_asked

    def _find_area(self) -> int:
        self.asked += 1
        return self.side**2


def test_a_value_is_found_once_and_only_when_somebody_asks() -> None:
    square = Square(3)
    assert square.asked == 0
    assert square.area == square.area == 9 and square.asked == 1


def test_what_nobody_finds_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="'Square' object has no attribute 'volume'"):
        _ = Square(3).volume  # type: ignore[attr-defined]
