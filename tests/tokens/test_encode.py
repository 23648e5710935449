"""Counting never raises, never takes long, and never counts one text twice."""

from __future__ import annotations

import argparse
import base64
import inspect
import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.tokens.encode import Encoder, encoder, pieces
from app.tokens.vocabulary import O200K, Lazy

HOSTILE = {
    "blanks": " ",
    "one letter": "a",
    "newlines": "\n",
    "newlines and blanks": "\n ",
    "newlines and slashes": "\n/",
    "capitals": "A",
    "lone surrogates": "\ud83d",
    "emoji": "😀",
    "Chinese": "的",
    "wide blanks": "\u3000",
    "combining marks": "\u0301",
    "nothing but NUL": "\x00",
    "digits": "1",
    "rule": "=",
}


LAZY = Lazy(O200K)


def _exactly(text: str) -> int:
    encoding = LAZY.get()
    assert encoding is not None
    return len(encoding.encode_ordinary(text))


def _count(text: str) -> int:
    count = encoder().count(text)
    assert count is not None
    return count


@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE)
def test_runs_of_one_thing_are_counted_quickly(unit: str) -> None:
    text = unit * (150_000 // len(unit))
    start = time.process_time()
    assert 0 < _count(text) <= len(text.encode("utf-8", "replace")) * 3
    assert time.process_time() - start < 1.5


@pytest.mark.slow
@pytest.mark.parametrize("unit", [*HOSTILE.values(), "base64"], ids=[*HOSTILE, "base64"])
def test_a_megabyte_of_one_thing_takes_at_most_a_second_and_a_half(unit: str) -> None:
    _count("load the vocabulary")
    noise = base64.b64encode(random.Random(1).randbytes(750_000)).decode()
    text = noise if unit == "base64" else unit * (1_000_000 // len(unit))
    start = time.process_time()
    assert _count(text) > 0
    assert time.process_time() - start <= 1.5


def test_words_that_spell_special_tokens_are_words() -> None:
    assert _count("What does <|endoftext|> do?") == _exactly("What does <|endoftext|> do?") > 8
    assert _count("<|im_start|><|fim_prefix|><|endofprompt|>") > 12


def test_a_lone_surrogate_is_one_unknown_character() -> None:
    assert _count("half of a sign: \ud83d") == _count("half of a sign: \ufffd")


def test_pieces_cost_next_to_nothing() -> None:
    code = inspect.getsource(argparse)
    assert len(code) > 10 * 8_192
    whole = _exactly(code)
    assert whole <= _count(code) <= whole * 1.0005


@settings(max_examples=50, deadline=None)
@given(
    text=st.text(st.sampled_from("ab \n/\r\u2028😀的"), max_size=400),
    size=st.integers(1, 40),
)
def test_pieces_are_the_text_and_none_is_too_long(text: str, size: int) -> None:
    parts = list(pieces(text, size))
    assert "".join(parts) == text
    assert all(0 < len(part) <= size for part in parts)


def test_a_cut_stands_behind_a_line_end_that_ends_a_token() -> None:
    assert next(pieces("one\n  two\nthree\n/four and more", 20)) == "one\n  two\n"


def test_the_same_text_is_encoded_once() -> None:
    counts = Encoder(LAZY)
    first = [counts.count("some words"), counts.count("some words"), counts.count("other words")]
    assert first == [2, 2, 2]
    assert counts.calls == 2


def test_memory_for_counts_is_bounded() -> None:
    counts = Encoder(LAZY, limit=3)
    for n in range(10):
        counts.count(f"text {n}")
    calls = counts.calls
    counts.count("text 9")
    assert counts.calls == calls
    counts.count("text 0")
    assert counts.calls == calls + 1


def test_nothing_is_no_token() -> None:
    assert encoder().count("") == 0
