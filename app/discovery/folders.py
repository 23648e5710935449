"""Finding the agents' sessions on this machine, reading only their heads.

First the agents' folders are listed; then each session's file is opened, a few kilobytes of both its ends
are read, and it is closed again. The formats are imported after the listing, because importing them takes
longer than finding ten thousand files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from app.discovery.found_session import OPENCODE, SAMPLE, FoundSession, SearchedFolder, Subagent
from app.settings import (
    claude_dir,
    codex_dir,
    copilot_dir,
    gemini_dir,
    opencode_store,
    pi_dir,
    pi_session_dir,
    qwen_sessions_dir,
)

_QWEN_NAME = re.compile(r"[0-9a-fA-F-]{32,36}\.jsonl")


class Discovery(Struct, frozen=True):
    """All sessions found, newest first with the samples last, and the folders that were searched."""

    sessions: tuple[FoundSession, ...]
    shelves: tuple[SearchedFolder, ...]


_Files: TypeAlias = Callable[[Path], Iterator[os.DirEntry[str]]]


class AgentFolders:
    """The agents' folders as they are now: listed on creation, each session's head read on demand."""

    def __init__(self, told: Callable[[Sequence[FoundSession]], None] = lambda _: None) -> None:
        """`told` is called with the sessions of each folder as soon as it is listed."""
        found: list[FoundSession] = []
        shelves: list[SearchedFolder] = []
        for agent, folder, listed in _places():
            there = listed()
            told(there)
            found += there
            shelves.append(SearchedFolder(agent, folder, len(there)))
        self.shelves = tuple(shelves)
        self.listed = tuple(sorted(found, key=lambda each: -each.modified))
        """Newest first, known only by file name: `is_read` is false."""

    def sessions(self, limit: int | None = None) -> Iterator[FoundSession]:
        """All sessions, newest first, samples last; `limit` caps how many heads are read (the newest)."""
        yield from map(self.read, self.listed[:limit])
        yield from samples()

    @staticmethod
    def read(found: FoundSession) -> FoundSession:
        """A listed session with the facts from its head."""
        if found.agent == OPENCODE:
            from app.discovery.opencode_store import measured

            return measured(found)
        from app.discovery.heads import HEADS

        return HEADS[found.agent](found)


def discover(limit: int | None = None) -> Discovery:
    """The sessions on this machine; `limit` caps how many heads are read (the newest)."""
    look = AgentFolders()
    return Discovery(tuple(look.sessions(limit)), look.shelves)


def subagents(path: Path) -> list[Subagent]:
    """The transcripts of the subagents of a session, oldest first."""
    from app.discovery.subagents import subagents_of

    if not str(path).startswith(f"{OPENCODE}:"):
        return subagents_of(path)
    from app.discovery.opencode_store import stored_subagents

    return stored_subagents(str(path))


def samples() -> tuple[FoundSession, ...]:
    """The sample sessions that come with the program, by name."""
    paths = sorted(Path(entry.path) for entry in _entries(_samples_dir()))
    paths = [path for path in paths if path.suffix in (".json", ".jsonl")]
    stems = [path.stem for path in paths]
    return tuple(_sample(path, stems.count(path.stem) == 1) for path in paths)


def _samples_dir() -> Path:
    program = Path(__file__).parents[1]
    installed = program / "samples"
    return installed if installed.is_dir() else program.parent / "sample_sessions"


def _sample(path: Path, is_alone: bool) -> FoundSession:
    """A sample named after its file, with the suffix if another one has the same name."""
    info = path.stat()
    title = (path.stem if is_alone else path.name).replace("-", " ")
    return FoundSession(str(path), SAMPLE, "samples", title, info.st_mtime, info.st_size)


def _places() -> Iterator[tuple[str, Path, Callable[[], list[FoundSession]]]]:
    """Every agent's folder, and the function that lists its sessions."""

    def files(agent: str, folder: Path, lie: _Files) -> tuple[str, Path, Callable[[], list[FoundSession]]]:
        return agent, folder, lambda: [each for entry in lie(folder) for each in _listed(agent, entry)]

    yield files("Claude Code", claude_dir() / "projects", _claude_files)
    yield files("Codex", codex_dir() / "sessions", _codex_files)
    archive = codex_dir() / "archived_sessions"
    if archive.is_dir():
        yield files("Codex", archive, _rollouts)
    named = pi_session_dir()
    if named is not None:
        yield files("pi", named, _lines_in)
    yield files("pi", pi_dir() / "sessions", _pi_files)
    yield files("Gemini CLI", gemini_dir() / "tmp", _gemini_files)
    yield files("Qwen Code", qwen_sessions_dir() / "projects", _qwen_files)
    yield files("Copilot CLI", copilot_dir() / "session-state", _copilot_files)
    store = opencode_store()
    yield OPENCODE, store, partial(_stored, store)


def _claude_files(folder: Path) -> Iterator[os.DirEntry[str]]:
    """The files directly in a project's folder, one for each session; subagents' are deeper."""
    for project in _entries(folder):
        for entry in _entries(project.path):
            if entry.name.endswith(".jsonl") and not entry.name.startswith("agent-"):
                yield entry


def _codex_files(folder: Path) -> Iterator[os.DirEntry[str]]:
    """The rollouts, in a folder for each day."""
    for year in _entries(folder):
        for month in _entries(year.path):
            for day in _entries(month.path):
                yield from _rollouts(day.path)


def _rollouts(folder: Path | str) -> Iterator[os.DirEntry[str]]:
    for entry in _entries(folder):
        if entry.name.startswith("rollout-") and entry.name.endswith(".jsonl"):
            yield entry


def _pi_files(folder: Path) -> Iterator[os.DirEntry[str]]:
    """The sessions, in a folder for each project."""
    for project in _entries(folder):
        yield from _lines_in(project.path)


def _lines_in(folder: Path | str) -> Iterator[os.DirEntry[str]]:
    for entry in _entries(folder):
        if entry.name.endswith(".jsonl"):
            yield entry


def _qwen_files(folder: Path) -> Iterator[os.DirEntry[str]]:
    """The sessions, in the `chats` folder of each project."""
    for project in _entries(folder):
        for entry in _entries(f"{project.path}/chats"):
            if _QWEN_NAME.fullmatch(entry.name):
                yield entry


def _copilot_files(folder: Path) -> Iterator[os.DirEntry[str]]:
    """The event log in each session's folder, or a file named after the session in older versions."""
    for session in _entries(folder):
        if session.name.endswith(".jsonl"):
            yield session
        elif session.is_dir():
            yield from (entry for entry in _entries(session.path) if entry.name == "events.jsonl")


def _gemini_files(folder: Path) -> Iterator[os.DirEntry[str]]:
    """The sessions, in the `chats` folder of each project; subagents' are deeper."""
    for project in _entries(folder):
        for entry in _entries(f"{project.path}/chats"):
            if entry.name.startswith("session-") and entry.name.endswith((".jsonl", ".json")):
                yield entry


def _listed(agent: str, entry: os.DirEntry[str]) -> Iterator[FoundSession]:
    """A non-empty file as a session, with the facts from its name."""
    try:
        info = entry.stat()
        if not info.st_size or not entry.is_file():
            return
    except OSError:
        return
    folder, _, name = entry.path.rpartition(os.sep)
    if agent in ("Gemini CLI", "Qwen Code"):
        folder = folder.rpartition(os.sep)[0]
    project = "" if agent in ("Codex", "Copilot CLI") else folder.rpartition(os.sep)[2]
    stem = name.rpartition(".")[0]
    yield FoundSession(entry.path, agent, project, stem, info.st_mtime, info.st_size, is_read=False)


def _stored(store: Path) -> list[FoundSession]:
    if not store.is_file():
        return []
    from app.discovery.opencode_store import stored_sessions

    return stored_sessions(store)


def _entries(folder: Path | str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []
