"""Bytes of a record that follow a changed value."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.formats.lines import parse_record
from app.formats.reshape import reshape

RAW = b'{ "n": 1.10, "x":1E2,"text" : "caf\\u00e9", "list": [ {"id": 1,  "a": 0.10}, {"id": 2}, {"id": 3} ] }'


def changed(**members: Any) -> dict[str, Any]:
    return {**parse_record(RAW), **members}


def test_an_equal_value_keeps_every_byte() -> None:
    assert reshape(RAW, parse_record(RAW), parse_record(RAW)) == RAW


def test_only_the_changed_member_is_written() -> None:
    assert reshape(RAW, parse_record(RAW), changed(text="é")) == RAW.replace(b'"caf\\u00e9"', '"é"'.encode())


def test_a_dropped_member_takes_its_comma_and_nothing_else() -> None:
    old = parse_record(RAW)
    new = {key: value for key, value in old.items() if key != "x"}
    assert reshape(RAW, old, new) == RAW.replace(b', "x":1E2', b"")


def test_a_new_member_stands_behind_the_others() -> None:
    assert reshape(b'{"a": 1.0}', {"a": 1.0}, {"a": 1.0, "b": [2]}) == b'{"a": 1.0,"b":[2]}'
    assert reshape(b"{ }", {}, {"a": None}) == b'{"a":null}'


def test_items_keep_their_bytes_when_others_go_come_or_move() -> None:
    old = parse_record(RAW)
    first, second, third = old["list"]
    assert b'{"id": 1,  "a": 0.10}, {"id": 3}' in reshape(RAW, old, {**old, "list": [first, third]})
    assert b'{"id": 3}, {"id": 1,  "a": 0.10}' in reshape(RAW, old, {**old, "list": [third, first]})
    shuffled = reshape(RAW, old, {**old, "list": [second, {"new": 1}, first]})
    assert b'{"id": 2}, {"new":1}, {"id": 1,  "a": 0.10}' in shuffled


def test_a_changed_item_is_found_among_dropped_ones() -> None:
    raw = b'[{"type": "a", "n": 1.50}, {"type": "b", "n": 2.50, "text": "long"}]'
    old = parse_record(raw)
    assert reshape(raw, old, [{**old[1], "text": "short"}]) == b'[{"type": "b", "n": 2.50, "text": "short"}]'


@pytest.mark.parametrize("new", [[], {}, "x", None, 1, True, 1.0])
def test_another_kind_of_value_is_written_anew(new: Any) -> None:
    assert json.loads(reshape(b"[1, 2]", [1, 2], new)) == new


SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | st.text('ab"\\\n\u00e9\U0001f600', max_size=4)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text('ab"', max_size=2), inner, max_size=4)
    ),
    max_leaves=12,
)
SPACINGS = st.sampled_from([(None, (",", ":")), (None, (", ", ": ")), (1, None), ("\t", None)])


@settings(max_examples=50, deadline=None)
@given(VALUES, VALUES, SPACINGS)
def test_whatever_changes_the_bytes_say_the_new_value(old: Any, new: Any, spacing: tuple[Any, Any]) -> None:
    raw = json.dumps(old, indent=spacing[0], separators=spacing[1]).encode()
    assert json.loads(reshape(raw, old, new)) == new
