"""Where agents keep their sessions on this machine, read by their heads only.

Each agent's folders are looked at by one small function; a file is opened, its first and last
kilobytes are read for a title, and it is closed again.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any, TypeAlias

from app.formats.gemini.entries import as_text
from app.formats.gemini.words import IGNORED, SET
from app.formats.opencode.database import PREFIX, Listed, sessions_in
from app.formats.responses.authors import authors_of
from app.formats.responses.blocks import text_in
from app.model import Author
from app.settings import claude_dir, codex_dir, gemini_dir, opencode_store, pi_dir, qwen_dir

HEAD_BYTES = 32 * 1024
LONG_HEAD_BYTES = 128 * 1024
"""Instructions of the vendor and of the project stand before the first prompt."""
TAIL_BYTES = 8 * 1024
_QWEN_NAME = re.compile(r"[0-9a-fA-F-]{32,36}\.jsonl")
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


_Files: TypeAlias = Callable[[Path], Iterator[tuple[Path, os.stat_result]]]
_Head: TypeAlias = Callable[[Path, os.stat_result], Found]


class Look:
    """The agents' folders as they are now: listed at once, each session's head read when it is asked for."""

    def __init__(self) -> None:
        self._found: list[tuple[Path, os.stat_result, _Head]] = []
        self.shelves = (
            self._shelf("Claude Code", claude_dir() / "projects", _claude_files, _claude_head),
            self._shelf("Codex", codex_dir() / "sessions", _codex_files, _codex_head),
            self._shelf("pi", pi_dir() / "sessions", _pi_files, _pi_head),
            self._shelf("Gemini CLI", gemini_dir() / "tmp", _gemini_files, _gemini_head),
            self._shelf("Qwen Code", qwen_dir() / "projects", _qwen_files, _qwen_head),
            self._stored(opencode_store()),
        )
        self._found.sort(key=lambda found: -found[1].st_mtime)

    def sessions(self, limit: int | None = None) -> Iterator[Found]:
        """Newest first with the samples last; `limit` caps how many heads are read (the newest)."""
        newest = self._found if limit is None else self._found[:limit]
        yield from (head(path, info) for path, info, head in newest)
        yield from samples()

    def _stored(self, store: Path) -> Shelf:
        """The sessions of opencode, which lie in a database; each has a name that can be opened."""
        found = sessions_in(store)
        for each in found:
            times = (each.modified, each.modified, each.modified)
            info = os.stat_result((0, 0, 0, 0, 0, 0, 0, *map(int, times)))
            self._found.append((Path(f"{PREFIX}{each.ident}"), info, partial(_opencode_head, each)))
        return Shelf("opencode", store, len(found))

    def _shelf(self, agent: str, folder: Path, files: _Files, head: _Head) -> Shelf:
        found = [(path, info, head) for path, info in files(folder)]
        self._found += found
        return Shelf(agent, folder, len(found))


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
            if entry.name.endswith(".jsonl") and not entry.name.startswith("agent-"):
                yield from _stated(entry)


def _codex_files(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Rollouts of Codex, which lie in a folder a day."""
    for year in _entries(folder):
        for month in _entries(year.path):
            for day in _entries(month.path):
                for entry in _entries(day.path):
                    if entry.name.startswith("rollout-") and entry.name.endswith(".jsonl"):
                        yield from _stated(entry)


def _pi_files(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Session files of pi, which lie in a folder a project."""
    for project in _entries(folder):
        for entry in _entries(project.path):
            if entry.name.endswith(".jsonl"):
                yield from _stated(entry)


def _qwen_files(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Session files of Qwen Code, which lie in the `chats` of a project."""
    for project in _entries(folder):
        for entry in _entries(Path(project.path) / "chats"):
            if _QWEN_NAME.fullmatch(entry.name):
                yield from _stated(entry)


def _gemini_files(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Session files of Gemini CLI, which lie in the `chats` of a project; subagents' lie deeper."""
    for project in _entries(folder):
        for entry in _entries(Path(project.path) / "chats"):
            if entry.name.startswith("session-") and entry.name.endswith((".jsonl", ".json")):
                yield from _stated(entry)


def _stated(entry: os.DirEntry[str]) -> Iterator[tuple[Path, os.stat_result]]:
    """A file with something in it."""
    try:
        info = entry.stat()
        is_file = entry.is_file()
    except OSError:
        return
    if is_file and info.st_size:
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
            if isinstance(record.get(key), str) and record.get("type") in (
                "custom-title",
                "ai-title",
                "summary",
            ):
                title = record[key]
    shown = (title or prompt or path.stem)[:MAX_TITLE]
    return Found(path, "Claude Code", project, shown, info.st_mtime, info.st_size)


def _codex_head(path: Path, info: os.stat_result) -> Found:
    head, tail = _ends(path, info.st_size, LONG_HEAD_BYTES)
    project, prompt, title = "", "", ""
    for record in _records([*head, *tail]):
        payload = record.get("payload")
        if not isinstance(payload, dict):
            continue
        if not project and isinstance(payload.get("cwd"), str):
            project = payload["cwd"]
        if payload.get("type") == "thread_name_updated" and isinstance(payload.get("thread_name"), str):
            title = payload["thread_name"]
        if not prompt and record.get("type") == "response_item":
            prompt = _typed(payload)
    return Found(
        path, "Codex", project, (title or prompt or path.stem)[:MAX_TITLE], info.st_mtime, info.st_size
    )


def _pi_head(path: Path, info: os.stat_result) -> Found:
    head, tail = _ends(path, info.st_size, LONG_HEAD_BYTES)
    project, prompt, title = "", "", ""
    for entry in _records([*head, *tail]):
        message = entry.get("message")
        if entry.get("type") == "session" and isinstance(entry.get("cwd"), str):
            project = entry["cwd"]
        elif entry.get("type") == "session_info" and isinstance(entry.get("name"), str):
            title = entry["name"].strip()
        elif not prompt and isinstance(message, dict) and message.get("role") == "user":
            prompt = _first_text(message.get("content"))
    return Found(path, "pi", project, (title or prompt or path.stem)[:MAX_TITLE], info.st_mtime, info.st_size)


def _qwen_head(path: Path, info: os.stat_result) -> Found:
    head, tail = _ends(path, info.st_size)
    project, prompt, title = "", "", ""
    for record in _records([*head, *tail]):
        message, payload = record.get("message"), record.get("systemPayload")
        if not project and isinstance(record.get("cwd"), str):
            project = record["cwd"]
        if record.get("subtype") == "custom_title" and isinstance(payload, dict):
            title = payload["customTitle"] if isinstance(payload.get("customTitle"), str) else title
        elif not prompt and record.get("type") == "user" and "subtype" not in record:
            prompt = _first_text(message.get("parts")) if isinstance(message, dict) else ""
    shown = (title or prompt or path.stem)[:MAX_TITLE]
    return Found(path, "Qwen Code", project, shown, info.st_mtime, info.st_size)


def _gemini_head(path: Path, info: os.stat_result) -> Found:
    head, tail = _ends(path, info.st_size)
    prompt, title = "", ""
    for record in _records([*head, *tail]):
        patch = record.get(SET)
        if isinstance(patch, dict) and isinstance(patch.get("summary"), str):
            title = patch["summary"]
        text = "" if prompt or record.get("type") != "user" else as_text(record.get("content")).strip()
        prompt = prompt or ("" if text.startswith(IGNORED) else text)
    project = path.parent.parent.name
    with suppress(OSError, ValueError):
        project = (path.parent.parent / ".project_root").read_text("utf-8").strip() or project
    shown = (title or prompt or path.stem)[:MAX_TITLE]
    return Found(path, "Gemini CLI", project, shown, info.st_mtime, info.st_size)


def _opencode_head(listed: Listed, path: Path, info: os.stat_result) -> Found:
    title = (listed.title or listed.ident)[:MAX_TITLE]
    return Found(path, "opencode", listed.folder, title, listed.modified, info.st_size)


def _first_text(content: Any) -> str:
    """The first text of a content that is a string or a list of parts."""
    if isinstance(content, list):
        texts = (part.get("text") for part in content if isinstance(part, dict))
        return next((text for text in texts if isinstance(text, str)), "")
    return content if isinstance(content, str) else ""


def _typed(item: dict[str, Any]) -> str:
    """The words of a message item if a person typed them."""
    content = item.get("content")
    if item.get("role") != "user" or not isinstance(content, list):
        return ""
    texts = {number: text for number, part in enumerate(content) if (text := text_in(part)) is not None}
    authors = authors_of(item, texts)
    return next((text for number, text in texts.items() if authors[number] is Author.USER), "")


def _ends(path: Path, size: int, head_bytes: int = HEAD_BYTES) -> tuple[list[bytes], list[bytes]]:
    """Whole lines of a file's first and last kilobytes."""
    try:
        with path.open("rb") as file:
            head = file.read(head_bytes)
            tail = b""
            if size > head_bytes:
                file.seek(max(head_bytes, size - TAIL_BYTES))
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
