"""Where this program and the agents keep things on this machine."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

import platformdirs

APP = "handcompact"


def data_dir() -> Path:
    """The folder for backups, manifests and reports (`HANDCOMPACT_DATA_DIR`, else the platform's own)."""
    named = os.environ.get("HANDCOMPACT_DATA_DIR")
    return Path(named) if named else platformdirs.user_data_path(APP, appauthor=False)


def config_dir() -> Path:
    """The folder for preferences (`HANDCOMPACT_CONFIG_DIR`, else the platform's own)."""
    named = os.environ.get("HANDCOMPACT_CONFIG_DIR")
    return Path(named) if named else platformdirs.user_config_path(APP, appauthor=False)


def claude_dir(env: Mapping[str, str] | None = None) -> Path:
    """Claude Code's own folder: `$CLAUDE_CONFIG_DIR`, else `~/.claude`."""
    named = (os.environ if env is None else env).get("CLAUDE_CONFIG_DIR")
    return Path(named) if named else Path.home() / ".claude"


def agent_dirs() -> tuple[Path, ...]:
    """The folders that belong to agents: nothing but whole sessions may be put there."""
    return (claude_dir(),)


def in_agent_dir(path: Path) -> bool:
    """Whether a file lies in a folder that belongs to an agent."""
    resolved = path.resolve()
    return any(resolved.is_relative_to(folder.resolve()) for folder in agent_dirs())


def claude_slug(folder: str) -> str:
    """Claude Code's name for the folder of a project: every sign outside A-Z a-z 0-9 becomes `-`."""
    return re.sub(r"[^A-Za-z0-9]", "-", folder)
