"""No bytes whatever make a reader or a writer fail, hang, or take memory that it does not give back."""

from __future__ import annotations

import gc
import time
import tracemalloc
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.formats import FORMATS
from tests.fuzz.corpus import FINDS, seeds
from tests.fuzz.mutations import mutate
from tests.fuzz.readers import SECONDS, holds

SEEDS = seeds()
BUDGET = 2 << 20
"""Bytes that a hundred sessions, read and written, may leave behind in all."""


def test_the_seeds_are_of_every_format() -> None:
    # Gemini's contents have one name, whichever way they lie in the file.
    assert {kind.name for kind in FORMATS} <= {holds(data) for data in SEEDS}


@pytest.mark.parametrize("name", sorted(path.name for path in FINDS.iterdir()))
def test_what_went_wrong_once(name: str) -> None:
    holds((FINDS / name).read_bytes())


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_nothing_goes_wrong_with_what_went_wrong(seed: int) -> None:
    chance = Random(seed)
    began = time.monotonic()
    holds(mutate(chance.choice(SEEDS), chance, SEEDS))
    assert time.monotonic() - began < SECONDS


@settings(max_examples=50, deadline=None)
@given(data=st.binary(max_size=200))
def test_nothing_goes_wrong_with_any_bytes(data: bytes) -> None:
    holds(data)
    holds(b'{"messages":[{"role":"user","content":"' + data + b'"}]}')


def test_what_was_read_is_given_back() -> None:
    chance = Random(7)
    made = [mutate(chance.choice(SEEDS), chance, SEEDS) for _ in range(100)]
    for data in made:
        holds(data)
    gc.collect()
    tracemalloc.start()
    try:
        for data in made:
            holds(data)
        gc.collect()
        left, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert left < BUDGET


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, 40_000, 4_000))
def test_nothing_goes_wrong_many_times(start: int) -> None:
    for seed in range(start, start + 4_000):
        chance = Random(seed)
        holds(mutate(chance.choice(SEEDS), chance, SEEDS))
