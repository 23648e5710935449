"""A folder in which one example of a test lives: its home, and where the program keeps what it keeps."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def own_place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A new folder, which is the home folder and the present one meanwhile."""
    with tempfile.TemporaryDirectory() as name, monkeypatch.context() as own:
        for kind in ("CONFIG", "DATA", "STATE", "CACHE"):
            own.setenv(f"HANDCOMPACT_{kind}_DIR", f"{name}/{kind.lower()}")
        own.setenv("HOME", name)
        own.chdir(name)
        yield Path(name)
