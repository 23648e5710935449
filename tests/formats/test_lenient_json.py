"""The fast decoder beside the standard library's: where both give a value, it is the same one."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.formats.lenient_json import DOUBTS, decode_fast, decode_sound

_SEED = (
    b'{"type":"user","uuid":"a-1","n":[1,-2.5e3,true,null],'
    b'"message":{"content":"say \\"\xc3\xa9\\u0041\\n\\ud83d\\ude00\\""}}'
)
_PIECES = (
    b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"\\u", b"\\ud83d", b"\\udc00", b"\xff", b"\xed\xa0\x80",
    b"\x00", b"\n", b"\r", b"\x1f", b"\x7f", b"1e5", b"-", b".", b"0", b"9" * 30, b" ", b"true", b"NaN",
    b"\xc3\xa9", b"e", b"E+", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"//", b"'", b"Infinity", b"1e400",
)  # fmt: skip
_changes = st.tuples(st.integers(0, len(_SEED)), st.integers(0, 3), st.sampled_from((b"", *_PIECES)))

_numbers = st.from_regex(rb"-?[0-9]{1,40}(\.[0-9]{1,40})?([eE][-+]?[0-9]{1,3})?", fullmatch=True)

SPELLINGS = (
    b"-0", b"-0.0", b"01", b"1.", b".5", b"1e", b"+1", b"1_0", b"0x10", b"1e400", b"-1e400", b"1e-400",
    b"18446744073709551615", b"18446744073709551616", b"-9223372036854775809", b"9" * 400, b"9" * 4301,
    b"9007199254740993", b"9007199254740993.0", b"1.7976931348623157e308", b"1.7976931348623159e308",
    b"2.4703282292062327e-324", b"0.30000000000000004", b"1" + b"0" * 400 + b".0",
    b"NaN", b"Infinity", b"-Infinity", b"nan", b"tru", b"[1,]", b'{"a":1,}', b"{a:1}", b"[1 2]", b"[]]",
    b'{"a":1,"a":2,"b":3}', b'{"\\u0061":1,"a":2}', b"\xef\xbb\xbf{}", b"{}\x00", b"{} {}", b"{}\x0b",
    b'"\xed\xa0\x80"', b'"\xc0\x80"', b'"\xff"', b'"\x00"', b'"\x1f"', b'"\x7f"', b'"\\ud800"', b'"\\x"',
    b'"\\ude00\\ud83d"', b'"\\ud83d\\u0041"', b'"\\ud83d\\ude00"', b'"\xf4\x90\x80\x80"', b'{"\\ud800":1}',
    b"/**/1", b"[1,//x\n2]", b"'a'", b"[" * 5000 + b"]" * 5000,
)  # fmt: skip


def _reject(word: str) -> Any:
    raise ValueError(word)


def _strictly(raw: bytes) -> Any:
    return json.loads(raw.decode(), parse_constant=_reject)


def _same(one: Any, other: Any) -> bool:
    """Equal, of the same types, keys in the same order, numbers with the same digits."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return repr(one) == repr(other) if isinstance(one, float) else bool(one == other)


def _assert_agreed(raw: bytes) -> None:
    try:
        value = decode_fast(raw)
    except DOUBTS:
        return
    with suppress(RecursionError):  # deeper than this can look
        assert _same(value, _strictly(raw))


@pytest.mark.parametrize("raw", SPELLINGS, ids=lambda raw: repr(raw[:24]))
def test_no_spelling_is_read_in_two_ways(raw: bytes) -> None:
    for around in (raw, b"[" + raw + b"]", b'{"k":' + raw + b"}"):
        _assert_agreed(around)


@given(st.lists(_changes, min_size=1, max_size=4))
def test_a_record_damaged_anywhere_is_never_read_in_two_ways(changes: list[tuple[int, int, bytes]]) -> None:
    raw = _SEED
    for at, gone, new in changes:
        raw = raw[:at] + new + raw[at + gone :]
    _assert_agreed(raw)


@given(_numbers)
@example(b"123456789012345678901234567890")
def test_a_number_keeps_its_digits(raw: bytes) -> None:
    _assert_agreed(raw)


@pytest.mark.parametrize("raw", [b'"\\ud800"', b"1e400", b'{"a":"\\ude00"}'])
def test_what_the_fast_decoder_refuses_is_read_by_the_slow_one(raw: bytes) -> None:
    with pytest.raises(DOUBTS):
        decode_fast(raw)
    assert _same(decode_sound(raw), _strictly(raw))


@pytest.mark.parametrize("raw", [b"NaN", b'"\xff"', b"{", b"{} {}", b"", b"[" * 100_000])
def test_what_is_not_sound_is_told_as_such(raw: bytes) -> None:
    with pytest.raises((ValueError, RecursionError)):
        decode_sound(raw)
