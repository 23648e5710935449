"""JSON laid out for reading keeps every sign of what stands in the file."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from app.pretty_json import pretty_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def test_members_and_items_get_a_line_each() -> None:
    text = '{"a":1,"b":[1,{"c":"x, [y] {z}"}],"d":{},"e":[]}'
    assert pretty_json(text).split("\n") == [
        "{",
        '  "a": 1,',
        '  "b": [',
        "    1,",
        "    {",
        '      "c": "x, [y] {z}"',
        "    }",
        "  ],",
        '  "d": {},',
        '  "e": []',
        "}",
    ]


def test_numbers_and_escapes_are_spelled_as_they_stand() -> None:
    laid_out = pretty_json('[1.10,1E2,-0.0,"\\u00e9\\/\\""]')
    assert laid_out == '[\n  1.10,\n  1E2,\n  -0.0,\n  "\\u00e9\\/\\""\n]'


@settings(max_examples=50)
@given(VALUES)
def test_it_is_still_the_same_value(value: object) -> None:
    assert json.loads(pretty_json(json.dumps(value))) == value


@settings(max_examples=50)
@given(st.text(alphabet='{}[],:"\\ \n\x00a1é', max_size=60))
def test_what_is_no_json_loses_nothing_but_blanks(text: str) -> None:
    assert "".join(pretty_json(text).split()) == "".join(text.split())


def test_hostile_nesting_stays_small() -> None:
    assert len(pretty_json("[" * 20_000)) < 20_000 * 90
