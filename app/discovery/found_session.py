"""What is known of a session without opening it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final


@dataclass(frozen=True, slots=True)
class FoundSession:
    """A session; every text is session text and not safe for a terminal."""

    name: str
    """The path of its file, or what stands for one."""
    agent: str
    """`Claude Code` ..., or `sample`."""
    project: str
    """The folder that was worked in; what the agent calls it, where that is not known (yet)."""
    title: str
    modified: float
    """Seconds since 1970."""
    size: int
    """Bytes; 0 where it lies in a database."""
    tokens: int | None = None
    """The newest size of the context that the session records."""
    messages: int | None = None
    about: bool = False
    """Whether `messages` is an estimate: of a long file only both ends are read."""
    subagents: int = 0
    """Transcripts of subagents that belong to it."""
    is_read: bool = True
    """False where only a list of files was seen yet: title, tokens and messages are still to come."""

    @property
    def path(self) -> Path:
        """Where it lies. (Thousands of paths take longer to make than the files to find.)"""
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
    """A folder that was looked in, whether it was there or not."""

    agent: str
    folder: Path
    found: int


@dataclass(frozen=True, slots=True)
class Subagent:
    """The transcript of a subagent; texts are session text."""

    path: Path
    ident: str
    """The agent's own id for it; the empty text where it has none."""
    title: str
    """What it was asked for, or its kind."""
    modified: float
    size: int
    """Bytes."""
    call: str = ""
    """The id of the call that began it, where its own notes say so."""
