"""What the sessions show and is kept as a file: the repository, what is written into it, longer words."""

from __future__ import annotations

from pathlib import Path

FILES = Path(__file__).parent / "files"
"""`shop` as the session finds it, `written` as it writes it, `texts`, and what commands have `recorded`."""


def written(path: str) -> str:
    """A file that the long session writes, by its path in the invented repository."""
    return (FILES / "written" / path).read_text(encoding="utf-8")


def words(name: str) -> str:
    """A longer text that somebody says or a tool gives back."""
    return (FILES / "texts" / name).read_text(encoding="utf-8").rstrip("\n")
