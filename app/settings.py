"""Where this program and the agents keep things on this machine."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal

APP = "handcompact"

FIRST = "gentle"
"""The default pipeline, listed first."""


def data_dir() -> Path:
    """The folder for backups, manifests and reports (`HANDCOMPACT_DATA_DIR`, else the platform's own)."""
    return _own("data")


def cache_dir() -> Path:
    """The folder for data that can be recomputed (`HANDCOMPACT_CACHE_DIR`, else the platform's own)."""
    return _own("cache")


def config_dir() -> Path:
    """The folder for preferences (`HANDCOMPACT_CONFIG_DIR`, else the platform's own)."""
    return _own("config")


def state_dir() -> Path:
    """The folder for unexported steps and error logs (`HANDCOMPACT_STATE_DIR`, else the platform's own)."""
    return _own("state")


def _own(kind: Literal["data", "cache", "config", "state"]) -> Path:
    if named := os.environ.get(f"HANDCOMPACT_{kind.upper()}_DIR"):
        return Path(named)
    # Imported lazily: reading a single file needs none of these folders.
    import platformdirs

    own = platformdirs.PlatformDirs(APP, appauthor=False)
    path: Path = getattr(own, f"user_{kind}_path")
    return path


def lets_errors_through() -> bool:
    """Whether unexpected errors show tracebacks, for developers (`HANDCOMPACT_TRACEBACKS`)."""
    return bool(os.environ.get("HANDCOMPACT_TRACEBACKS"))


def claude_dir(env: Mapping[str, str] | None = None) -> Path:
    """Claude Code's own folder: `$CLAUDE_CONFIG_DIR`, else `~/.claude`."""
    named = (os.environ if env is None else env).get("CLAUDE_CONFIG_DIR")
    return Path(named) if named else Path.home() / ".claude"


def codex_dir(env: Mapping[str, str] | None = None) -> Path:
    """Codex's own folder: `$CODEX_HOME`, else `~/.codex`."""
    named = (os.environ if env is None else env).get("CODEX_HOME")
    return Path(named) if named else Path.home() / ".codex"


def pi_dir(env: Mapping[str, str] | None = None) -> Path:
    """pi's own folder: `$PI_CODING_AGENT_DIR`, else `~/.pi/agent`."""
    named = (os.environ if env is None else env).get("PI_CODING_AGENT_DIR")
    return Path(named) if named else Path.home() / ".pi" / "agent"


def pi_session_dir(env: Mapping[str, str] | None = None) -> Path | None:
    """The flat folder in which pi keeps all sessions, if `$PI_CODING_AGENT_SESSION_DIR` names one."""
    named = (os.environ if env is None else env).get("PI_CODING_AGENT_SESSION_DIR")
    return Path(named).expanduser() if named else None


def qwen_dir(env: Mapping[str, str] | None = None) -> Path:
    """Qwen Code's own folder: `$QWEN_HOME`, else `~/.qwen`."""
    named = (os.environ if env is None else env).get("QWEN_HOME")
    return Path(named) if named else Path.home() / ".qwen"


def qwen_sessions_dir(env: Mapping[str, str] | None = None) -> Path:
    """Where Qwen Code writes its sessions: `$QWEN_RUNTIME_DIR`, else its own folder."""
    named = (os.environ if env is None else env).get("QWEN_RUNTIME_DIR")
    return Path(named).expanduser() if named else qwen_dir(env)


def gemini_dir(env: Mapping[str, str] | None = None) -> Path:
    """Gemini CLI's own folder: `.gemini` in `$GEMINI_CLI_HOME`, else in the home folder."""
    named = (os.environ if env is None else env).get("GEMINI_CLI_HOME")
    return (Path(named) if named else Path.home()) / ".gemini"


def copilot_dir(env: Mapping[str, str] | None = None) -> Path:
    """Copilot CLI's own folder: `$COPILOT_HOME`, else `~/.copilot`."""
    named = (os.environ if env is None else env).get("COPILOT_HOME")
    return Path(named) if named else Path.home() / ".copilot"


def opencode_store(env: Mapping[str, str] | None = None) -> Path:
    """opencode's database: in `$XDG_DATA_HOME`, else in `~/.local/share` on every platform.

    `$OPENCODE_DB` names another file; a relative one is in the same folder.
    """
    known = os.environ if env is None else env
    named = known.get("XDG_DATA_HOME")
    folder = (Path(named) if named else Path.home() / ".local" / "share") / "opencode"
    return folder / (known.get("OPENCODE_DB") or "opencode.db")


def agent_dirs() -> tuple[Path, ...]:
    """The folders that belong to agents: only complete sessions may be written there."""
    named = pi_session_dir()
    folders = (
        claude_dir(),
        codex_dir(),
        pi_dir(),
        gemini_dir(),
        qwen_dir(),
        qwen_sessions_dir(),
        copilot_dir(),
    )
    return (*folders, opencode_store().parent, *((named,) if named is not None else ()))


def in_agent_dir(path: Path) -> bool:
    """Whether a file is in a folder that belongs to an agent."""
    resolved = path.resolve()
    return any(resolved.is_relative_to(folder.resolve()) for folder in agent_dirs())


def claude_slug(folder: str) -> str:
    """Claude Code's folder name for a project: every character outside A-Z a-z 0-9 becomes `-`."""
    return re.sub(r"[^A-Za-z0-9]", "-", folder)


@dataclass(frozen=True, slots=True)
class Preferences:
    """A person's display preferences; never anything from a session."""

    theme: str = "textual-dark"
    ascii: bool = False
    """Draw with ASCII characters only, even if the terminal has others."""
    by_tokens: bool = False
    """Sort the message list by tokens, the largest first."""
    by_project: bool = False
    """Group sessions by project."""
    split: bool = False
    """Show diffs side by side where there is room."""
    wrap: bool = True


def load_preferences(folder: Path | None = None) -> Preferences:
    """The saved preferences; defaults for whatever is missing, broken or of the wrong type."""
    try:
        data = json.loads(_preferences_file(folder).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        data = None
    known: dict[str, Any] = {}
    for field in fields(Preferences):
        value = data.get(field.name) if isinstance(data, dict) else None
        if type(value) is type(field.default):
            known[field.name] = value
    return Preferences(**known)


def save_preferences(preferences: Preferences, folder: Path | None = None) -> bool:
    """Save the preferences; False if the folder cannot be written, which must not stop the program."""
    file = _preferences_file(folder)
    unfinished = file.with_suffix(f".{os.getpid()}.tmp")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_text(json.dumps(asdict(preferences), indent=1) + "\n", "utf-8")
        unfinished.replace(file)
    except OSError:
        return False
    return True


def _preferences_file(folder: Path | None) -> Path:
    return (folder or config_dir()) / "preferences.json"
