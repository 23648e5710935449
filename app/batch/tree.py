"""The files below a folder that may be sessions, by their names."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from msgspec import Struct

from app.errors import UnreadableFile

ENDINGS: Final = (".jsonl", ".json", ".traj")
_OURS: Final = (".transcripts",)
"""Folders that this program puts backups into: what lies there was looked at as a session before."""


class Entry(Struct, frozen=True):
    """A file that may be a session."""

    path: Path
    size: int
    """Bytes."""


def sessions_below(
    folder: Path,
    *,
    leave_out: Collection[Path] = (),
    unlisted: Callable[[Path, str], None] = lambda folder, why: None,
) -> list[Entry]:
    """The files below a folder that may be sessions, by path; folders behind links are not gone into.

    `leave_out` are folders that are passed over. Raises UnreadableFile where the folder itself cannot
    be listed; `unlisted` is told of one inside that cannot.
    """
    try:
        os.listdir(folder)  # noqa: PTH208 (only to know whether it may be listed)
    except OSError as error:
        raise UnreadableFile(
            f"{folder} cannot be listed ({error.strerror}): give a folder of sessions"
        ) from error
    skipped = {path.resolve() for path in leave_out}

    def tell(error: OSError) -> None:
        unlisted(Path(error.filename), error.strerror or type(error).__name__)

    return sorted(_walk(folder, skipped, tell), key=lambda entry: entry.path)


def _walk(folder: Path, skipped: Collection[Path], tell: Callable[[OSError], None]) -> Iterator[Entry]:
    for place, folders, files in os.walk(folder, onerror=tell):
        at = Path(place)
        folders[:] = [name for name in folders if name not in _OURS and (at / name).resolve() not in skipped]
        for name in files:
            if name.endswith(ENDINGS) and not name.startswith("."):
                with suppress(OSError):
                    found = (at / name).stat()
                    # Whoever opens a pipe waits for somebody who writes into it.
                    if stat.S_ISREG(found.st_mode):
                        yield Entry(at / name, found.st_size)
