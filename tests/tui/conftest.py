"""Screens in tests keep no preferences of the person who runs them, and know none."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Preferences, backups and agents' folders are this test's own."""
    monkeypatch.setenv("HANDCOMPACT_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("HANDCOMPACT_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.delenv("CODEX_HOME", raising=False)
