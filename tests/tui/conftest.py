"""Screens in tests keep no preferences of the person who runs them, and know none."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A folder with a short name, so that a path fits on the screens of the tests."""
    with tempfile.TemporaryDirectory(prefix="t") as name:
        yield Path(name).resolve()


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Preferences, backups and agents' folders are this test's own."""
    monkeypatch.setenv("HANDCOMPACT_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("HANDCOMPACT_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("HANDCOMPACT_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("HANDCOMPACT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.delenv("CODEX_HOME", raising=False)
    monkeypatch.setenv("COLORTERM", "truecolor")


@pytest.fixture(autouse=True)
def warm_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    """No screen tells how long ago a sample's last reply was."""
    monkeypatch.setattr("app.work.pricing.clock", lambda: 0.0)
