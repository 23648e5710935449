"""The collector rests while it is asked to, and works again afterwards."""

from __future__ import annotations

import gc
import sys

import pytest

from app.cli.main import collect_seldom
from app.gc_control import collector_paused


def test_it_rests_until_the_last_pause_ends_also_after_an_error() -> None:
    assert gc.isenabled()
    with collector_paused():
        with pytest.raises(ValueError, match="oops"), collector_paused():
            raise ValueError("oops")
        assert not gc.isenabled()
    assert gc.isenabled()


def test_where_it_was_off_it_stays_off() -> None:
    gc.disable()
    try:
        with collector_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_only_what_lasts_is_never_looked_at_again() -> None:
    frozen = gc.get_freeze_count()
    with collector_paused():
        pass
    assert gc.get_freeze_count() == frozen
    try:
        with collector_paused():
            with collector_paused(lasting=True):
                made = [[number] for number in range(10)]
            assert gc.get_freeze_count() == frozen
        assert made and gc.get_freeze_count() > frozen
    finally:
        gc.unfreeze()


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="there it looks at a share of what is old each time")
def test_a_program_that_makes_a_million_objects_is_never_held_up_by_a_look_at_all_of_them() -> None:
    limits = gc.get_threshold()
    looked: list[int] = []

    def look(phase: str, info: dict[str, int]) -> None:
        if phase == "start" and info["generation"] < 2:
            looked.append(sum(len(gc.get_objects(young)) for young in range(info["generation"] + 1)))

    gc.collect()
    collect_seldom()
    gc.callbacks.append(look)
    try:
        made = [[number] for number in range(1_200_000)]
    finally:
        gc.callbacks.remove(look)
        gc.set_threshold(*limits)
    assert len(made) == 1_200_000
    assert 5 < len(looked) < 40
    assert max(looked) < 200_000
