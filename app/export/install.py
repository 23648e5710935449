"""Where each agent looks for its sessions, so that an export can be placed there and resumed.

No agent's index or database is ever written: every agent listed here finds a session by its file.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import Final

from app.errors import InputError
from app.formats.base import Format
from app.formats.gemini import project_of
from app.model import Session
from app.settings import claude_dir, claude_slug, codex_dir, copilot_dir, gemini_dir, pi_dir, qwen_dir


def agent_folder(session: Session) -> Path | None:
    """The folder in which the session's agent would find it; None if unknown.

    Claude Code, pi and Qwen have one folder per project, so the session must record its working folder;
    Gemini CLI knows a project only if it was started in that folder before.
    """
    place = _PLACES.get(session.format)
    return None if place is None else place(session)


def installed_path(session: Session, kind: Format, original: PurePath, session_id: str | None) -> Path:
    """The path of a new session in its agent's folder; raises InputError if that folder is unknown."""
    folder = agent_folder(session)
    if folder is None or session_id is None:
        raise InputError(
            f"it is not known where {kind.title} would look for this session{_WHY.get(kind.name, '')}:"
            " give a file to write instead (--out PATH)"
        )
    own = PurePath(_OWN_NAMES.get(kind.name, original))
    # `new_name` is relative (`../ID/NAME`) if each session has its own folder: start from any of them.
    lies_in = folder / "any" if kind.name in _OWN_NAMES else folder
    return beside(lies_in / own.name, kind.new_name(own, session_id))


def beside(original: Path, name: str) -> Path:
    """The path of `name` relative to the original's folder; some agents have one folder per session."""
    return Path(os.path.normpath(original.resolve().parent / name))


def _claude(session: Session) -> Path | None:
    return claude_dir() / "projects" / claude_slug(session.cwd) if session.cwd else None


def _codex(session: Session) -> Path | None:
    times = [message.time for message in session.messages if message.time is not None]
    day = datetime.fromtimestamp(times[0], UTC) if times else datetime.now(UTC)
    return codex_dir() / "sessions" / f"{day:%Y}" / f"{day:%m}" / f"{day:%d}"


def _pi(session: Session) -> Path | None:
    if not session.cwd:
        return None
    slug = session.cwd.strip("/\\").replace("/", "-").replace("\\", "-").replace(":", "-")
    return pi_dir() / "sessions" / f"--{slug}--"


def _qwen(session: Session) -> Path | None:
    return qwen_dir() / "projects" / claude_slug(session.cwd) / "chats" if session.cwd else None


def _copilot(session: Session) -> Path | None:
    return copilot_dir() / "session-state" if session.session_id else None


def _gemini(session: Session) -> Path | None:
    """The chats folder of the session's project, if Gemini CLI has that project registered here."""
    home = gemini_dir()
    folder, told = project_of(session)
    for known, name in _gemini_projects(home).items():
        if known == folder or hashlib.sha256(known.encode("utf-8", "replace")).hexdigest() == told:
            return home / "tmp" / name / "chats"
    return None


def _gemini_projects(home: Path) -> dict[str, str]:
    """Gemini CLI's own list of projects: folder -> name; empty if missing or unreadable."""
    try:
        listed = json.loads((home / "projects.json").read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    projects = listed.get("projects") if isinstance(listed, dict) else None
    found = projects.items() if isinstance(projects, dict) else ()
    return {known: name for known, name in found if isinstance(name, str) and _is_one_name(name)}


def _is_one_name(name: str) -> bool:
    return (
        name not in ("", ".", "..") and PurePath(name).name == name and "\\" not in name and "\0" not in name
    )


_PLACES: Final[Mapping[str, Callable[[Session], Path | None]]] = {
    "claude-code": _claude,
    "codex-rollout": _codex,
    "pi": _pi,
    "qwen-code": _qwen,
    "gemini-cli": _gemini,
    "copilot": _copilot,
}
"""By the name of the format."""

_OWN_NAMES: Final[Mapping[str, str]] = {"copilot": "events.jsonl"}
"""Agents whose sessions all have the same file name, each in its own folder."""

_WHY: Final[Mapping[str, str]] = {
    "gemini-cli": " (none of its projects has the session's folder; start it there once)",
    "opencode": " (it keeps sessions in a database; its import command accepts a file from anywhere)",
}
"""Why the folder is unknown, by the name of the format."""
