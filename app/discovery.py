"""Where agents keep their sessions on this machine, read by their heads only.

Each agent's folders are looked at by one small function; a file is opened, its first and last
kilobytes are read for a title, and it is closed again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from app.settings import claude_dir

HEAD_BYTES = 32 * 1024
TAIL_BYTES = 8 * 1024
MAX_TITLE = 200
"""Code points of a title that are kept."""


@dataclass(frozen=True, slots=True)
class Found:
    """A session file; every text is session text and not safe for a terminal."""

    path: Path
    agent: str
    """`Claude Code` ..., or `sample`."""
    project: str
    title: str
    modified: float
    """Seconds since 1970."""
    size: int
    """Bytes."""

    @property
    def is_sample(self) -> bool:
        return self.agent == "sample"


@dataclass(frozen=True, slots=True)
class Shelf:
    """A folder that was looked in, whether it was there or not."""

    agent: str
    folder: Path
    found: int


@dataclass(frozen=True, slots=True)
class Discovery:
    """All sessions found, newest first with the samples last, and where they were looked for."""

    sessions: tuple[Found, ...]
    shelves: tuple[Shelf, ...]


class Look:
    """The agents' folders as they are now: listed at once, each session's head read when it is asked for."""

    def __init__(self) -> None:
        folder = claude_dir() / "projects"
        self._stated = sorted(_claude_files(folder), key=lambda pair: -pair[1].st_mtime)
        self.shelves = (Shelf("Claude Code", folder, len(self._stated)),)

    def sessions(self, limit: int | None = None) -> Iterator[Found]:
        """Newest first with the samples last; `limit` caps how many heads are read (the newest)."""
        stated = self._stated if limit is None else self._stated[:limit]
        yield from (_claude_head(path, info) for path, info in stated)
        yield from samples()


def discover(limit: int | None = None) -> Discovery:
    """The sessions on this machine; `limit` caps how many heads are read (the newest)."""
    look = Look()
    return Discovery(tuple(look.sessions(limit)), look.shelves)


def samples() -> tuple[Found, ...]:
    """The sample sessions that come with the program, by name."""
    paths = sorted(Path(entry.path) for entry in _entries(_samples_dir()))
    return tuple(_sample(path) for path in paths if path.suffix in (".json", ".jsonl"))


def _samples_dir() -> Path:
    installed = Path(str(resources.files("app"))) / "samples"
    return installed if installed.is_dir() else Path(str(resources.files("app"))).parent / "sample_sessions"


def _sample(path: Path) -> Found:
    info = path.stat()
    title = path.stem.replace("-", " ")
    return Found(path, "sample", "samples", title, info.st_mtime, info.st_size)


def _claude_files(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Session files of Claude Code: one a session directly in a project's folder; subagents' are not."""
    for project in _entries(folder):
        if not project.is_dir():
            continue
        for entry in _entries(project.path):
            if not entry.name.endswith(".jsonl") or entry.name.startswith("agent-"):
                continue
            try:
                info = entry.stat()
            except OSError:
                continue
            if entry.is_file() and info.st_size:
                yield Path(entry.path), info


def _entries(folder: Path | str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _claude_head(path: Path, info: os.stat_result) -> Found:
    head, tail = _ends(path, info.st_size)
    project, prompt, title = path.parent.name, "", ""
    for record in _records([*head, *tail]):
        cwd = record.get("cwd")
        if isinstance(cwd, str) and cwd:
            project = cwd
        if not prompt:
            prompt = _prompt_of(record)
        for key in ("customTitle", "aiTitle", "summary"):
            if isinstance(record.get(key), str) and record.get("type") in ("custom-title", "ai-title", "summary"):
                title = record[key]
    shown = (title or prompt or path.stem)[:MAX_TITLE]
    return Found(path, "Claude Code", project, shown, info.st_mtime, info.st_size)


def _ends(path: Path, size: int) -> tuple[list[bytes], list[bytes]]:
    """Whole lines of a file's first and last kilobytes."""
    try:
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
            tail = b""
            if size > HEAD_BYTES:
                file.seek(max(HEAD_BYTES, size - TAIL_BYTES))
                tail = file.read(TAIL_BYTES)
    except OSError:
        return [], []
    return head.split(b"\n"), tail.split(b"\n")[1:]


def _records(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    for line in lines:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value


def _prompt_of(record: dict[str, Any]) -> str:
    """The words of a record if a person typed them."""
    message = record.get("message")
    if record.get("type") != "user" or record.get("isMeta") or not isinstance(message, dict):
        return ""
    content = message.get("content")
    if isinstance(content, list):
        texts = [b.get("text") for b in content if isinstance(b, dict) and b.get("type") == "text"]
        content = next((text for text in texts if isinstance(text, str)), "")
    return content if isinstance(content, str) and not content.lstrip().startswith("<") else ""
