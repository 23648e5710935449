"""The facts about a session that are known without opening it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final


@dataclass(frozen=True, slots=True)
class FoundSession:
    """A session; every text is session text and not safe for a terminal."""

    name: str
    """The path of its file, or `opencode:<session id>`."""
    agent: str
    """`Claude Code` ..., or `sample`."""
    project: str
    """The working directory; the agent's own name for it if that is not known (yet)."""
    title: str
    modified: float
    """Seconds since 1970."""
    size: int
    """Bytes; 0 for a session in a database."""
    tokens: int | None = None
    """The newest recorded size of the context."""
    messages: int | None = None
    about: bool = False
    """Whether `messages` is an estimate, since only both ends of a long file are read."""
    subagents: int = 0
    """Number of its subagents' transcripts."""
    is_read: bool = True
    """False if only the file name is known so far: title, tokens and messages are still to come."""

    @property
    def path(self) -> Path:
        """Its path, made on demand: making thousands of paths takes longer than finding the files."""
        return Path(self.name)

    @property
    def is_sample(self) -> bool:
        return self.agent == SAMPLE


SAMPLE: Final = "sample"
OPENCODE: Final = "opencode"
MAX_TITLE: Final = 200
"""Code points of a title that are kept."""


@dataclass(frozen=True, slots=True)
class SearchedFolder:
    """A folder that was searched, whether it exists or not."""

    agent: str
    folder: Path
    found: int


@dataclass(frozen=True, slots=True)
class Subagent:
    """The transcript of a subagent; texts are session text."""

    path: Path
    ident: str
    """The agent's own id for it; empty if it has none."""
    title: str
    """Its task, or its kind."""
    modified: float
    size: int
    """Bytes."""
    call: str = ""
    """The id of the call that started it, if its metadata says so."""
