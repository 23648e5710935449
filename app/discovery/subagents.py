"""Finding the transcripts of a session's subagents."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from app.discovery.file_ends import HEAD_BYTES, ends_of
from app.discovery.found_session import MAX_TITLE, FoundSession, Subagent
from app.model import Block, Session, ToolResult, ToolUse, blocks_of


def count_of(found: FoundSession) -> int:
    """The number of a session's subagent transcripts."""
    return sum(1 for _ in _files(found.path))


def subagents_of(path: Path) -> list[Subagent]:
    """The transcripts of the subagents of the session in a file, oldest first."""
    return sorted((_subagent(file) for file in _files(path)), key=lambda found: found.modified)


def transcript_of(session: Session, block: Block) -> Path | None:
    """The transcript of the subagent that a call started, or that a result is from, if there is one."""
    call = block.id if isinstance(block, ToolUse) else None
    call = block.tool_use_id if isinstance(block, ToolResult) else call
    if not call:
        return None
    there = subagents_of(Path(session.name))
    named = next((found.path for found in there if found.call == call), None)
    if named is not None or not there:
        return named
    ident = _agent_of(session, call)
    return next((found.path for found in there if ident and found.ident == ident), None)


def _agent_of(session: Session, call: str) -> str | None:
    """The subagent that the record of a call's result names."""
    for _, block in blocks_of(session.messages):
        if isinstance(block, ToolResult) and block.tool_use_id == call and block.place is not None:
            record = session.records.value(block.place.record)
            told = record.get("toolUseResult") if isinstance(record, dict) else None
            ident = told.get("agentId") if isinstance(told, dict) else None
            return ident if isinstance(ident, str) else None
    return None


def _files(path: Path) -> Iterator[Path]:
    """Transcripts beside a session: in its side folder, in the folder of its id, or flat, naming the id."""
    for folder in (path.with_suffix("") / "subagents", *_by_short_id(path)):
        yield from (Path(entry.path) for entry in _entries(folder) if entry.name.endswith(".jsonl"))
    if path.parent.parent.name == "projects":
        yield from _flat(path.parent, path.parent.stat().st_mtime_ns).get(path.stem, ())


def _by_short_id(path: Path) -> Iterator[Path]:
    """Gemini CLI: a folder named by the session's full id, of which the file's name has the first part."""
    if path.parent.name == "chats" and path.name.startswith("session-"):
        short = path.stem.rpartition("-")[2]
        for name in _folders(path.parent, path.parent.stat().st_mtime_ns):
            if name.startswith(short):
                yield path.parent / name


@lru_cache(maxsize=64)
def _folders(folder: Path, _: int) -> tuple[str, ...]:
    return tuple(entry.name for entry in _entries(folder) if entry.is_dir())


@lru_cache(maxsize=64)
def _flat(folder: Path, _: int) -> dict[str, tuple[Path, ...]]:
    """Claude Code 2.0: transcripts beside the sessions, by the session id that each contains."""
    found: dict[str, tuple[Path, ...]] = {}
    for entry in _entries(folder):
        if entry.name.startswith("agent-") and entry.name.endswith(".jsonl"):
            path = Path(entry.path)
            owner = _first(path).get("sessionId")
            if isinstance(owner, str):
                found[owner] = (*found.get(owner, ()), path)
    return found


def _subagent(path: Path) -> Subagent:
    about = _json(path.with_suffix(".meta.json"))
    first = _first(path)
    words = (about.get("agentType"), about.get("description"))
    title = ": ".join(word for word in words if isinstance(word, str) and word)
    message = first.get("message")
    asked = message.get("content") if isinstance(message, dict) else first.get("content")
    if not title and isinstance(asked, str):
        title = asked
    ident = path.stem.removeprefix("agent-")
    try:
        info = path.stat()
    except OSError:
        return Subagent(path, ident, title[:MAX_TITLE], 0, 0)
    call = about.get("toolUseId")
    shown = (title or path.stem)[:MAX_TITLE]
    return Subagent(path, ident, shown, info.st_mtime, info.st_size, call if isinstance(call, str) else "")


def _first(path: Path) -> dict[str, Any]:
    try:
        size = path.stat().st_size
    except OSError:
        return {}
    return next(ends_of(path, size, HEAD_BYTES).first(), {})


def _json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []
