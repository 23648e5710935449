"""The JSON that the program itself puts out."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.json_out import WRITTEN_AT_ONCE, json_bytes, json_pieces

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
def test_a_value_is_read_back_from_ascii(value: Any) -> None:
    data = b"".join(json_bytes(value))
    assert data.isascii() and data.endswith(b"\n") and json.loads(data) == value


def test_the_outer_levels_have_a_line_a_member_and_what_lies_deeper_has_one_line() -> None:
    steps = [{"stage": "snip", "trace": [], "changes": [{"key": "a", "at": [1, 2]}, {"key": "b"}]}]
    assert "".join(json_pieces({"target": None, "steps": steps})).split("\n") == [
        "{",
        ' "target": null,',
        ' "steps": [',
        "  {",
        '   "stage": "snip",',
        '   "trace": [],',
        '   "changes": [',
        '    {"key": "a", "at": [1, 2]},',
        '    {"key": "b"}',
        "   ]",
        "  }",
        " ]",
        "}",
        "",
    ]


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_number_that_json_does_not_know_is_refused(number: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        list(json_pieces({"cost": number}))


def test_a_long_report_is_not_held() -> None:
    changes = [{"key": f"key {number}", "reason": "old"} for number in range(20_000)]
    assert all(len(piece) >= WRITTEN_AT_ONCE for piece in [*json_bytes(changes)][:-1])
    tracemalloc.start()
    size = sum(map(len, json_bytes({"steps": [{"changes": changes}]})))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100_000 < size
