"""What the checker of Gemini contents does beside its table: order and size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from app.validity import check_gemini
from tests.validity.made import growth, paired

SAYS = {"role": "user", "parts": [{"text": "hi"}]}
CALLS = {"role": "model", "parts": [{"functionCall": {"name": "a", "args": {}}}] * 2}
ANSWERS = {"role": "user", "parts": [{"functionResponse": {"name": "a", "response": {"output": "ok"}}}] * 2}


def test_what_breaks_is_told_in_the_order_of_the_contents_with_its_key() -> None:
    found = check_gemini(paired([CALLS, SAYS, ANSWERS, CALLS]))
    assert [(v.rule, v.key) for v in found] == [
        ("gemini.first-role", "k0"),
        ("gemini.part-count", "k1"),
        ("gemini.orphan-response", "k2"),
        ("gemini.part-count", "k3"),
    ]
    assert found[1].detail == "0 responses for 2 calls"


def test_the_time_grows_no_faster_than_the_conversation() -> None:
    def contents(count: int) -> Iterator[tuple[str, Any]]:
        for _ in range(0, count, 3):
            yield from paired((SAYS, CALLS, ANSWERS))

    assert check_gemini(contents(99)) == []
    assert growth(lambda count: check_gemini(contents(count))) < 35
