"""What all tests share: a home that is not the person's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.tokens.encode import keep_counts


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even read the tests that start real agents, unless they are asked for."""
    wanted = str(config.getoption("markexpr"))
    asked = "clients" in wanted and "not clients" not in wanted
    return True if collection_path.name == "clients" and not asked else None


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home: the agents' folders and this program's own folders lie below it."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(folder / ".claude"))
    monkeypatch.setenv("CODEX_HOME", str(folder / ".codex"))
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(folder / ".pi" / "agent"))
    monkeypatch.setenv("GEMINI_CLI_HOME", str(folder))
    monkeypatch.setenv("XDG_DATA_HOME", str(folder / ".local" / "share"))
    monkeypatch.setenv("QWEN_HOME", str(folder / ".qwen"))
    monkeypatch.setenv("COPILOT_HOME", str(folder / ".copilot"))
    for name in ("PI_CODING_AGENT_SESSION_DIR", "QWEN_RUNTIME_DIR", "OPENCODE_DB"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HANDCOMPACT_DATA_DIR", str(folder / "data"))
    monkeypatch.setenv("HANDCOMPACT_CONFIG_DIR", str(folder / "config"))
    monkeypatch.setenv("HANDCOMPACT_STATE_DIR", str(folder / "state"))
    monkeypatch.setenv("HANDCOMPACT_CACHE_DIR", str(folder / "cache"))
    return folder


@pytest.fixture(autouse=True)
def _own_places(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test reads or writes the settings, backups and counts of the person who runs it."""
    folder = tmp_path_factory.mktemp("places")
    monkeypatch.setenv("HANDCOMPACT_DATA_DIR", str(folder / "data"))
    monkeypatch.setenv("HANDCOMPACT_CONFIG_DIR", str(folder / "config"))
    monkeypatch.setenv("HANDCOMPACT_STATE_DIR", str(folder / "state"))
    monkeypatch.setenv("HANDCOMPACT_CACHE_DIR", str(folder / "cache"))
    # A mistake of ours is to be seen as it is, and not as a person would.
    monkeypatch.setenv("HANDCOMPACT_TRACEBACKS", "1")
    yield
    keep_counts(None)
