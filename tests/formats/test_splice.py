"""Values found and replaced in a record's own bytes."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.formats.splice import compact_items, compact_members, encode, insert, items, scan, skip, span, splice
from app.model import JsonPath

KEYS = st.text(max_size=4)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
SPACINGS: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [{"separators": (",", ":")}, {}, {"indent": 1}, {"separators": (" ,\t", "\r\n: ")}, {"indent": "\t"}]
)


def paths(value: Any, path: JsonPath = ()) -> list[JsonPath]:
    found = [path]
    if isinstance(value, dict):
        for key, member in value.items():
            found += paths(member, (*path, key))
    elif isinstance(value, list):
        for index, member in enumerate(value):
            found += paths(member, (*path, index))
    return found


def at(value: Any, path: JsonPath) -> Any:
    for step in path:
        value = value[step]
    return value


@st.composite
def records(draw: st.DrawFn) -> tuple[bytes, Any, JsonPath]:
    """Some JSON in some spelling, what it says, and a path that is there."""
    value = draw(VALUES)
    text = json.dumps(value, ensure_ascii=draw(st.booleans()), **draw(SPACINGS))
    raw = draw(st.sampled_from(["", " ", "\n\t"])) + text + draw(st.sampled_from(["", " "]))
    return raw.encode("utf-8"), value, draw(st.sampled_from(paths(value)))


@given(records(), VALUES)
@settings(max_examples=50, deadline=None)
def test_only_the_value_at_the_path_changes(record: tuple[bytes, Any, JsonPath], new: Any) -> None:
    raw, value, path = record
    start, end = span(raw, path)
    assert json.loads(raw[start:end]) == at(value, path)
    written = splice(raw, {path: encode(new)})
    assert (written[:start], written[start + len(encode(new)) :]) == (raw[:start], raw[end:])
    wanted: Any = [value]
    at(wanted, (0, *path)[:-1])[(0, *path)[-1]] = new
    assert json.loads(written) == wanted[0]


@given(records(), st.data())
@settings(max_examples=50, deadline=None)
def test_removed_members_are_gone_and_the_rest_is_json(
    record: tuple[bytes, Any, JsonPath], data: st.DataObject
) -> None:
    raw, value, path = record
    holder = at(value, path)
    keys: list[Any] = []
    if isinstance(holder, dict | list):
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
    gone = data.draw(st.sets(st.sampled_from(keys))) if keys else set()
    written = splice(raw, {}, [(*path, key) for key in gone])
    left: Any = holder
    if isinstance(holder, dict):
        left = {key: member for key, member in holder.items() if key not in gone}
    elif isinstance(holder, list):
        left = [member for index, member in enumerate(holder) if index not in gone]
    assert json.loads(written[slice(*span(written, path))]) == left
    assert written == raw or gone


@given(records(), KEYS, VALUES)
@settings(max_examples=50, deadline=None)
def test_an_added_member_stands_last(record: tuple[bytes, Any, JsonPath], key: str, new: Any) -> None:
    raw, value, path = record
    holder = at(value, path)
    if not isinstance(holder, dict):
        with pytest.raises(KeyError):
            insert(raw, path, key, encode(new))
        return
    written = insert(raw, path, key, encode(new))
    start, end = span(written, path)
    assert json.loads(written[start:end]) == {**holder, key: new}


@given(VALUES)
@settings(max_examples=50, deadline=None)
def test_what_is_encoded_reads_the_same(value: Any) -> None:
    raw = encode(value)
    assert json.loads(raw) == value
    assert skip(raw, 0) == len(raw)
    assert scan(raw).whole
    assert scan(raw).end == len(raw)


@given(records())
@settings(max_examples=50, deadline=None)
def test_a_container_that_breaks_off_is_torn_and_not_wrong(record: tuple[bytes, Any, JsonPath]) -> None:
    raw = record[0].strip()
    if raw[:1] in (b"{", b"["):
        for end in range(1, len(raw)):
            found = scan(raw[:end])
            assert found.torn
            assert not found.whole


def test_every_edit_is_done_at_once_by_the_paths_before_them() -> None:
    raw = b'{ "a" : [1, 2 ,3], "b": {"c":1.10,"d":1E2}, "e":"f" }'
    written = splice(raw, {("a", 2): b"33", ("b", "d"): b'"x"'}, [("a", 0), ("e",), ("b", "c")])
    assert written == b'{ "a" : [2 ,33], "b": {"d":"x"} }'


@pytest.mark.parametrize(
    ("gone", "left"),
    [
        ("a", b'{ "b" :\t2 , "c":3 }'),
        ("b", b'{ "a":1 , "c":3 }'),
        ("c", b'{ "a":1 , "b" :\t2 }'),
        ("ab", b'{ "c":3 }'),
        ("bc", b'{ "a":1 }'),
        ("ac", b'{ "b" :\t2 }'),
        ("abc", b"{  }"),
    ],
)
def test_a_removed_member_takes_its_comma(gone: str, left: bytes) -> None:
    written = splice(b'{ "a":1 , "b" :\t2 , "c":3 }', {}, [(key,) for key in gone])
    assert json.loads(written) == json.loads(left)
    assert written.replace(b" ", b"") == left.replace(b" ", b"")


def test_of_equal_keys_the_last_counts_and_all_go() -> None:
    raw = b'{"a":1,"b":2,"\\u0061":3}'
    assert span(raw, ("a",)) == (22, 23)
    assert splice(raw, {("a",): b"4"}) == b'{"a":1,"b":2,"\\u0061":4}'
    assert splice(raw, {}, [("a",)]) == b'{"b":2}'


def test_keys_are_found_in_any_spelling() -> None:
    for spelled in (b'"caf\\u00e9"', '"caf\u00e9"'.encode(), b'"c\\u0061f\\u00E9"'):
        assert span(b"{%b:1}" % spelled, ("caf\u00e9",)) == (len(spelled) + 2, len(spelled) + 3)
    assert span(b'{"a\nb":1}', ("a\nb",)) == (7, 8)
    assert span(b'{"\\ud83d":1}', ("\ud83d",)) == (10, 11)


@pytest.mark.parametrize(
    "path", [("x",), ("a", 3), ("a", -1), ("a", "b"), (0,), ("a", 0, "b"), ("d", "e")], ids=str
)
def test_a_path_that_is_not_there_is_a_key_error(path: JsonPath) -> None:
    raw = b'{"a":[1,2,3],"d":"e"}'
    with pytest.raises(KeyError):
        span(raw, path)
    with pytest.raises(KeyError):
        splice(raw, {}, [path])


@pytest.mark.parametrize("raw", [b"", b"   ", b'{"a":', b'{"a" 1}', b'{"a":[1', b"{a:1}"])
def test_what_is_not_json_is_a_value_error(raw: bytes) -> None:
    with pytest.raises(ValueError, match="byte"):
        span(raw, ("a", 1) if b"[" in raw else ("a",) if raw.strip() else ())


def test_edits_that_overlap_are_refused() -> None:
    raw = b'{"a":{"b":1}}'
    with pytest.raises(ValueError, match="overlap"):
        splice(raw, {("a",): b"1", ("a", "b"): b"2"})
    with pytest.raises(ValueError, match="overlap"):
        splice(raw, {("a", "b"): b"2"}, [("a",)])
    with pytest.raises(ValueError, match="removed"):
        splice(raw, {}, [()])


def test_damaged_strings_are_stepped_over() -> None:
    raw = b'{"a":"x\n\0\xff{]\\" \\\\","b":[null]}'
    assert splice(raw, {("b", 0): b"1"}) == raw.replace(b"null", b"1")


def test_what_json_has_no_word_for_is_written_as_json() -> None:
    assert encode("\ud83d x \u00e9") == '"\\ud83d x \u00e9"'.encode()
    assert encode({"a": [math.inf, -math.inf, math.nan, 1.5], "b": {}, "c": []}) == (
        b'{"a":[1e999,-1e999,null,1.5],"b":{},"c":[]}'
    )


def test_depth_and_length_cost_no_recursion() -> None:
    deep: Any = 1
    for _ in range(2500):
        deep = {"a": deep, "b": []}
    raw = encode(deep)
    assert scan(raw).end == skip(raw, 0) == len(raw)
    assert raw[slice(*span(raw, ("a",) * 50))] == raw[5 * 50 : -8 * 50]
    long = b'{"a":"' + b"x\\n" * 500_000 + b'","b":1}'
    assert span(long, ("b",)) == (len(long) - 2, len(long) - 1)


@pytest.mark.parametrize(
    "raw",
    [
        b'{"a": NaN, "b": [1, -Infinity], "c": 2}',
        b'{"a": "one\nline \x01", "b": {"c": "two\ttabs"}, "d": []}',
        b'{"a": ' + b"9" * 5_000 + b', "b": 1.50, "c": ' + b"[" * 3_000 + b"]" * 3_000 + b"}",
        b'{"a": "\xff\xfe", "b": "\xe4\xbd\xa0", "c": [{"d": "\xf0\x9f\x98\x80"}]}',
    ],
    ids=["no numbers of JSON", "raw control characters", "too much for a decoder", "bytes beyond ASCII"],
)
def test_values_end_where_their_brackets_do_whatever_a_strict_decoder_says(raw: bytes) -> None:
    found = list(items(raw, 0))
    assert [(item.start, item.end) for item in found] == [
        (item.start, skip(raw, item.start)) for item in found
    ]
    assert len(found) >= 3


@pytest.mark.parametrize(
    "raw",
    [
        b"{}",
        b'{"a": 1}',
        b'{ "a":1}',
        b'{"a":1,"a":2}',
        b'{"\\u0061":1}',
        b'{"a":1} ',
        b'{"a":NaN}',
        b"[1]",
        b'{"a"',
    ],
)
def test_what_is_not_compact_is_told(raw: bytes) -> None:
    assert compact_members(raw) is None


def test_the_members_and_items_of_compact_json_are_its_bytes() -> None:
    raw = '{"a":1.10,"é":{"b": [1, 2]},"c":"\\u00e9"}'.encode()
    assert compact_members(raw) == {"a": b"1.10", "é": b'{"b": [1, 2]}', "c": b'"\\u00e9"'}
    assert compact_items(b'[1.0,"x",{"a": 1}]') == [b"1.0", b'"x"', b'{"a": 1}']
    assert compact_items(b"[1, 2]") is None and compact_items(b"[]") is None and compact_items(b"{}") is None
