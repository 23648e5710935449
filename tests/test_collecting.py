"""The collector rests while it is asked to, and works again afterwards."""

from __future__ import annotations

import gc

import pytest

from app.collecting import collector_paused


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
