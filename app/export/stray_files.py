"""Unfinished files that a crash left: found by their names, removed when a person says so."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from app.errors import WriteFailed
from app.export.files import STAGING_PREFIX
from app.running import runs
from app.settings import data_dir


def strays(folders: Iterable[Path] = ()) -> tuple[Path, ...]:
    """Unfinished files and folders of exports that are not running any more.

    Looks into the program's own folders and into `folders` (those of the sessions at hand).
    """
    looked = dict.fromkeys((data_dir() / "staging", data_dir() / "backups", *folders))
    found = []
    for folder in looked:
        if folder.is_dir():
            found += [
                path
                for path in sorted(folder.iterdir())
                if path.name.startswith(STAGING_PREFIX) and not runs(_maker(path))
            ]
    return tuple(found)


def remove(paths: Iterable[Path]) -> int:
    """Remove strays; says how many are gone. Only names of unfinished files are ever removed.

    Raises WriteFailed for one that cannot be removed.
    """
    gone = 0
    for path in paths:
        if not path.name.startswith(STAGING_PREFIX):
            raise ValueError(f"{path} is not an unfinished file of handcompact")
        try:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        except OSError as error:
            raise WriteFailed(f"{path} could not be removed: {error.strerror or error}") from error
        gone += 1
    return gone


def _maker(path: Path) -> str:
    """The number of the process that gave this name, and may still be writing."""
    return path.name.removeprefix(STAGING_PREFIX).partition("-")[0]
