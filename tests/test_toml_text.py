"""What is written as TOML is what TOML reads."""

from __future__ import annotations

import tomllib
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from app.toml_text import can_be_said, toml_key, toml_pairs

TEXTS = st.text(st.characters(exclude_categories=["Cs"])) | st.text("\"\\\n\r\t '", max_size=12)
ITEMS = (
    TEXTS | st.booleans() | st.integers(-(2**62), 2**62) | st.floats(allow_nan=False, allow_infinity=False)
)
VALUES = ITEMS | st.lists(ITEMS, max_size=8)


@settings(max_examples=300)
@given(st.dictionaries(TEXTS, VALUES, max_size=4))
def test_what_is_written_is_read_and_moves_no_terminal(table: dict[str, Any]) -> None:
    text = "\n".join(toml_pairs(table.items()))
    assert tomllib.loads(text) == table
    assert all(line.isprintable() for line in text.split("\n"))


def test_half_of_a_pair_cannot_be_said() -> None:
    assert can_be_said("😀") and not can_be_said("a\udc80")
    assert toml_key("a\ud800") == '"a?"'
