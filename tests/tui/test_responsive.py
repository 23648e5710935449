"""The collector rests while it is asked to, and works again afterwards."""

from __future__ import annotations

import gc

import pytest

from app.tui.responsive import collector_paused


def test_it_rests_until_the_last_pause_ends_also_after_an_error() -> None:
    assert gc.isenabled()
    with collector_paused():
        with pytest.raises(ValueError, match="oops"), collector_paused():
            raise ValueError("oops")
        assert not gc.isenabled()
    assert gc.isenabled()
