"""Agents' folders on every platform, and the variables that move them."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.discovery.folders import AgentFolders
from app.settings import (
    agent_dirs,
    claude_dir,
    codex_dir,
    copilot_dir,
    gemini_dir,
    opencode_store,
    pi_dir,
    pi_session_dir,
    qwen_dir,
    qwen_sessions_dir,
)

ID = "01a22b88-652c-7cf1-9182-83c7b06e4e46"
VARIABLES = (
    "CLAUDE_CONFIG_DIR", "CODEX_HOME", "PI_CODING_AGENT_DIR", "PI_CODING_AGENT_SESSION_DIR",
    "GEMINI_CLI_HOME", "QWEN_HOME", "QWEN_RUNTIME_DIR", "XDG_DATA_HOME", "OPENCODE_DB",
    "COPILOT_HOME",
)  # fmt: skip


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home in which no variable says anything."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    return tmp_path


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_every_agent_has_its_folder_in_the_home_on_every_platform(
    bare: Path, platform: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setenv("APPDATA", str(bare / "AppData/Roaming"))
    monkeypatch.setenv("LOCALAPPDATA", str(bare / "AppData/Local"))
    looked = {shelf.agent: shelf.folder.relative_to(bare).as_posix() for shelf in AgentFolders().shelves}
    assert looked == {
        "Claude Code": ".claude/projects",
        "Codex": ".codex/sessions",
        "pi": ".pi/agent/sessions",
        "Gemini CLI": ".gemini/tmp",
        "Qwen Code": ".qwen/projects",
        "Copilot CLI": ".copilot/session-state",
        "opencode": ".local/share/opencode/opencode.db",
    }


def test_each_agents_own_variable_moves_its_folder() -> None:
    def env(name: str, value: str = "/else") -> dict[str, str]:
        return {name: value}

    there = Path("/else")
    assert claude_dir(env("CLAUDE_CONFIG_DIR")) == there
    assert codex_dir(env("CODEX_HOME")) == there
    assert pi_dir(env("PI_CODING_AGENT_DIR")) == there
    assert pi_session_dir(env("PI_CODING_AGENT_SESSION_DIR")) == there and pi_session_dir({}) is None
    assert gemini_dir(env("GEMINI_CLI_HOME")) == there / ".gemini"
    assert copilot_dir(env("COPILOT_HOME")) == there
    assert qwen_dir(env("QWEN_HOME")) == there and qwen_sessions_dir(env("QWEN_HOME")) == there
    assert qwen_sessions_dir({"QWEN_HOME": "/a", "QWEN_RUNTIME_DIR": "/else"}) == there
    assert opencode_store(env("XDG_DATA_HOME")) == there / "opencode/opencode.db"
    assert opencode_store(env("OPENCODE_DB", "/else/my.db")) == there / "my.db"
    assert opencode_store({"XDG_DATA_HOME": "/else", "OPENCODE_DB": "my.db"}) == there / "opencode/my.db"


@pytest.mark.parametrize("name", VARIABLES)
def test_an_empty_variable_says_nothing(name: str, bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = agent_dirs()
    monkeypatch.setenv(name, "")
    assert agent_dirs() == before


def test_sessions_are_found_where_the_variables_say(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "PI_CODING_AGENT_SESSION_DIR": "1_x.jsonl",
        "QWEN_RUNTIME_DIR": f"projects/-p/chats/{ID}.jsonl",
        "CODEX_HOME": f"archived_sessions/rollout-2026-11-30T08-18-08-{ID}.jsonl",
    }
    for variable, file in files.items():
        folder = bare / variable.lower()
        path = folder / file
        path.parent.mkdir(parents=True)
        path.write_text('{"type":"session","cwd":"/p"}\n')
        monkeypatch.setenv(variable, str(folder))
    found = {each.path for each in AgentFolders().listed}
    assert found == {bare / variable.lower() / file for variable, file in files.items()}
    assert all(any(path.is_relative_to(folder) for folder in agent_dirs()) for path in found)
