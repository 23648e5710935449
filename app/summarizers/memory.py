"""A summary that is the project's memory: what the person's memory files say (MiniCode)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from msgspec import Struct

from app.model import Author, Held, Text
from app.summarizers.base import Job, Outcome, Tail
from app.tokens.base import Estimator

MEMORY_TOKENS: Final = 6000
MEMORY_FILES: Final = ("CLAUDE.md", "AGENTS.md")


class Memory(Struct, frozen=True):
    """What the project's memory says, in place of what was said."""

    name: str = "memory"
    strategy: str = "session-memory"
    tail: Tail = Tail.TOKENS
    holds_earlier: bool = False

    def __call__(self, job: Job) -> Outcome:
        memory = job.summaries.memory
        if not memory.strip():
            return Outcome(missing="no memory text given")
        return Outcome(
            f"[Context compacted at {job.clock} via Session Memory]\n"
            f"Messages removed: {job.removed}. Tokens before: ~{job.tokens}\n\n"
            f"## Project Memory & Context\n\n{memory}\n\n"
            "--- Recent conversation continues below ---"
        )


def memory_files(folder: Path) -> tuple[Path, ...]:
    """The memory files of a project that can be offered: those that are there."""
    return tuple(path for name in MEMORY_FILES if (path := folder / name).is_file())


def memory_text(
    texts: Iterable[str], estimator: Estimator, max_tokens: int = MEMORY_TOKENS
) -> tuple[str, int]:
    """Memory files as one text of at most `max_tokens` of the estimator, and how many lines were left out.

    Whole lines from the start.
    """
    lines = "\n\n".join(text.strip() for text in texts if text.strip()).splitlines(keepends=True)
    low, high = 0, len(lines)
    while low < high:
        middle = (low + high + 1) // 2
        text = Text("", Held("".join(lines[:middle])), Author.INJECTED)
        low, high = (middle, high) if estimator.block(text) <= max_tokens else (low, middle - 1)
    return "".join(lines[:low]).rstrip(), len(lines) - low
