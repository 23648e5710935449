"""A value of each of many records."""

from __future__ import annotations

import pytest

from app.formats.columns import Numbers, Times


def test_times_are_told_as_they_were_and_none_as_none() -> None:
    times = Times()
    for time in (1.5, None, 0.0, -3.25):
        times.append(time)
    assert [times[0], times[1], times[2], times[-1]] == [1.5, None, 0.0, -3.25]
    with pytest.raises(IndexError):
        _ = times[4]


def test_numbers_of_more_than_64_bits_are_none() -> None:
    numbers = Numbers()
    told = (0, -1, None, 2**63 - 1, 2**63, -(2**63), 10**30)
    for number in told:
        numbers.append(number)
    assert (
        list(numbers) == [0, -1, None, 2**63 - 1, None, None, None] == [numbers[i] for i in range(len(told))]
    )
