"""The papers of an export: the original's backup, the manifest that tells of it, and the report.

A backup is synced before anything else is written, but has its name only when its manifest has one, at the
last moment before the original can change. So one that bears a name is one that `restore` lists.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from msgspec import Struct

from app.export.files import Staged, discard, make_folder, publish_free, remove_if_empty, stage
from app.export.guard import uninterrupted
from app.formats.source import Source, chunks
from app.json_out import json_bytes


def stamp() -> str:
    """The present in UTC, as `20260101T120000Z`."""
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())


class Backup(Struct, frozen=True):
    """The original's bytes in another place, synced, under an unfinished name."""

    staged: Staged
    extension: str


class Kept(Struct, frozen=True):
    """The names that backup and manifest have."""

    manifest: Path
    backup: Path | None

    def discard(self) -> None:
        """Take both away: nothing came of what they were made for."""
        for path in filter(None, (self.manifest, self.backup)):
            discard(path)


class Papers:
    """Where the papers of one export lie, and what they are called."""

    def __init__(self, folder: Path, stem: str) -> None:
        self.folder = folder
        self.made = stamp()
        self._stem = f"{stem}.{self.made}"
        self._new: list[Path] = []
        """Folders that were made for these papers, the outermost first."""

    def back_up(self, source: Source, pieces: Iterable[bytes] | None = None) -> Backup:
        """The original's bytes as read, synced; `pieces` are all of them. Raises WriteFailed."""
        with uninterrupted():
            self._new += make_folder(self.folder)
        extension = Path(source.name).suffix if source.name != "-" else ""
        return Backup(stage(self.folder, chunks(source) if pieces is None else pieces), extension)

    def keep(self, backup: Backup | None, manifest: dict[str, Any]) -> Kept:
        """Give the backup its name, under one that never existed, and write the manifest that tells of it.

        Raises WriteFailed; neither is there then.
        """
        path = None
        if backup is not None:
            path = publish_free(backup.staged, self.folder, self._stem, backup.extension)
        told = {**manifest, "backup": None if path is None else str(path)}
        try:
            return Kept(self.write("manifest", told), path)
        except BaseException:
            if path is not None:
                discard(path)
            raise

    def write(self, kind: str, data: dict[str, Any]) -> Path:
        """Write one of the papers; raises WriteFailed."""
        self._new += make_folder(self.folder)
        return publish_free(
            stage(self.folder, json_bytes(data)), self.folder, f"{self._stem}.{kind}", ".json"
        )

    def remove_folders(self) -> None:
        """Remove the folders that were made for these papers and that nothing lies in."""
        for folder in reversed(self._new):
            remove_if_empty(folder)
