"""How to resume a session from where its file is: the command, and its preconditions.

The rules describe the pinned version of each agent; `tests/clients` checks them against the agents.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from app.export.install import agent_folder
from app.export.shell_quoting import quoted
from app.formats.base import Format
from app.formats.opencode.names import PREFIX
from app.model import Session
from app.settings import (
    claude_dir,
    codex_dir,
    copilot_dir,
    gemini_dir,
    pi_dir,
    pi_session_dir,
    qwen_dir,
    qwen_sessions_dir,
)

BY_OPTION: Final = "an export with --install writes it there"
"""How to place a session where its agent looks, in terms of the command line."""


class Resuming(Struct, frozen=True):
    """How to resume a session. Texts may contain session text: not safe for a terminal."""

    command: str | None
    """For a POSIX shell; None if the session cannot be resumed from its present place."""
    obstacle: str = ""
    """Why there is no command, if the format has one at all."""
    folder: str = ""
    """Where the command must be run, or that this folder is missing on this machine."""
    folder_is_there: bool | None = None
    """Whether the session's working folder exists on this machine; None if it names none."""
    is_astray: bool = False
    """Whether the only obstacle is the file's place: an export can be written where its agent looks."""

    def why_none(self, way: str = BY_OPTION) -> str:
        """Why there is no command; `way` is the remedy, appended if there is one."""
        return f"{self.obstacle}, not here: {way}" if self.is_astray else self.obstacle

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person must know beside the command."""
        return tuple(filter(None, (self.why_none(), self.folder)))

    def as_json(self) -> Mapping[str, Any]:
        """The command and the notes as reports give them."""
        return {
            "command": self.command,
            "folder_is_there": self.folder_is_there,
            "notes": list(self.notes),
        }


def resuming(session: Session, kind: Format, path: Path | None, *, in_place: bool = False) -> Resuming:
    """How to resume the session in the file `path`; `in_place`: the file replaced its original.

    `path` is None for standard output and for an agent's database.
    """
    if session.session_id is None:
        return Resuming(None)
    if session.name.startswith(PREFIX):
        return Resuming(f"opencode --session {quoted(session.session_id)}")
    return resuming_as(session, kind, path, session.session_id, in_place=in_place)


def resuming_as(
    session: Session, kind: Format, path: Path | None, session_id: str, *, in_place: bool = False
) -> Resuming:
    """`resuming` for a session that gets another id."""
    ident = quoted(session_id)
    usual = kind.resume_command(ident)
    if usual is None:
        return Resuming(None)
    there = None if not session.cwd else is_there(session.cwd)
    told = _TOLD.get(kind.name)
    folder = "" if told is None or not session.cwd else told(session.cwd, bool(there))
    if path is None:
        return Resuming(None, "a session on standard output cannot be resumed", folder, there)
    from_file = _FROM_FILE.get(kind.name)
    if in_place and (why := passed_over(kind)):
        return Resuming(None, why, folder, there)
    if from_file is not None and not _is_in_its_folder(kind, path):
        return Resuming(from_file(ident, path), "", folder, there)
    if _is_in_its_folder(kind, path):
        return Resuming(usual, "", folder or _gemini_folder(kind, path), there)
    looked_in = agent_folder(session)
    if looked_in is None:
        why = f"{kind.title} does not look here; the README says where it does"
        return Resuming(None, why, folder, there)
    return Resuming(None, f"{kind.title} looks in {looked_in}", folder, there, is_astray=True)


def is_there(folder: str) -> bool:
    """Whether a folder that a session names exists on this machine."""
    try:
        return Path(folder).is_absolute() and Path(folder).is_dir()
    except (OSError, ValueError):
        return False


def passed_over(kind: Format) -> str:
    """Why an agent ignores a session that was written in place; empty if it does not."""
    if kind.name != "opencode":
        return ""
    return "opencode's import skips a session that it already has: export a new one, which gets its own id"


def _is_in_its_folder(kind: Format, path: Path) -> bool:
    """Whether a file is below a folder of its own agent; other agents would not find it."""
    resolved = path.resolve()
    homes = (home() for home in _HOMES.get(kind.name, ()))
    return any(home is not None and resolved.is_relative_to(home.resolve()) for home in homes)


def _claude_code(folder: str, there: bool) -> str:
    if there:
        return f"run it in {folder}"
    return (
        f"{folder} is not on this machine: Claude Code 2.1 finds the session from any folder, 2.0 only"
        " from that one (create it; it may be empty)"
    )


def _codex(folder: str, there: bool) -> str:
    return "" if there else f"{folder} is not on this machine: Codex resumes it from any other folder"


def _pi(folder: str, there: bool) -> str:
    if there:
        return f"run it in {folder}: from another folder pi asks whether to copy the session"
    return f"{folder} is not on this machine: pi needs it to resume (create it; it may be empty)"


def _qwen_code(folder: str, there: bool) -> str:
    if there:
        return f"run it in {folder}: Qwen Code finds only sessions of the folder it is started in"
    return (
        f"{folder} is not on this machine: Qwen Code finds the session only when it is started there"
        " (create it; it may be empty)"
    )


_HOMES: Final[Mapping[str, tuple[Callable[[], Path | None], ...]]] = {
    "claude-code": (claude_dir,),
    "codex-rollout": (codex_dir,),
    "copilot": (copilot_dir,),
    "gemini-cli": (gemini_dir,),
    "pi": (pi_dir, pi_session_dir),
    "qwen-code": (qwen_dir, qwen_sessions_dir),
}
"""By the name of the format, the folders of its agent; opencode looks in none."""

_TOLD: Final[Mapping[str, Callable[[str, bool], str]]] = {
    "claude-code": _claude_code,
    "codex-rollout": _codex,
    "pi": _pi,
    "qwen-code": _qwen_code,
}
"""By the name of the format: the note on the working folder, given whether it exists."""

_FROM_FILE: Final[Mapping[str, Callable[[str, Path], str]]] = {
    "opencode": lambda ident, path: (
        f"opencode import {quoted(str(path.absolute()))} && opencode --session {ident}"
    ),
    "pi": lambda _, path: f"pi --session {quoted(str(path.absolute()))}",
}
"""Commands of agents that load a session from any file, by the name of the format."""


def _gemini_folder(kind: Format, path: Path) -> str:
    """The note on the working folder for Gemini CLI, whose sessions record it only in a file beside them."""
    root = path.parent.parent / ".project_root"
    try:
        told = root.read_text("utf-8").strip() if kind.name == "gemini-cli" else ""
    except (OSError, ValueError):
        return ""
    return f"run it in {told}: Gemini CLI finds only sessions of the folder it is started in" if told else ""
